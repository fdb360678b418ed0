import {
  answerObject,
  type ConnectionTest,
  type DeliverResult,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  parseExactJson,
  testOf,
} from '@tributary/connector-kit'
import { inGroups } from '../../wire/conversions/by-test-code.ts'
import { recordsOf } from './object-type.ts'
import { ask, type Context, failureOf } from './request.ts'
import { sendEvents } from './send-events.ts'
import { propertiesOf } from './values.ts'
import { resultOf, writeCompanies, writeContacts, writeDeals } from './write-events.ts'
import { type GivenRecord, writeRecords } from './write-records.ts'

/** How the events of each action are sent, in the order in which the actions need each other. */
const senders: readonly [string, (events: readonly OutgoingEvent[], context: Context) => Promise<DeliverResult>][] = [
  ['upsert_contact', writeContacts],
  ['upsert_company', writeCompanies],
  ['upsert_deal', writeDeals],
  ['send_event', sendEvents],
]

const rankOf = ({ action }: OutgoingEvent): number =>
  Math.max(
    0,
    senders.findIndex(([name]) => name === action),
  )

/**
 * Sends contacts first, then companies, deals, and custom events, each in the order of the batch. If one kind fails, only
 * its events are sent again.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const sorted = batch.toSorted((one, other) => rankOf(one) - rankOf(other))
  const result = await inGroups(sorted, rankOf, (events, rank) =>
    (senders[rank]?.[1] ?? writeContacts)(events, context),
  )
  const { outcomes } = result
  if ('kind' in outcomes) return result
  const byEvent = new Map(sorted.map((event, index) => [event, outcomes[index] as EventOutcome]))
  const inOrder = batch.map((event) => byEvent.get(event) as EventOutcome)
  const isWhole = inOrder.every(({ kind }) => kind === 'delivered') || result.request !== undefined
  return { ...result, outcomes: inOrder, ...(isWhole ? {} : { request: '', response: '' }) }
}

/** Writes rows of one object, see `writeRecords`; rows of other objects are rejected. */
export const deliverRows = async (batch: readonly OutgoingRow[], context: Context): Promise<DeliverResult> => {
  const type = recordsOf(batch[0]?.object ?? '')
  if (type === undefined) {
    const reason = 'HubSpot takes records of contacts, companies, deals, or a custom object'
    return { outcomes: batch.map((): EventOutcome => ({ kind: 'rejected', reason })), httpStatus: 0, latencyMs: 0 }
  }
  const records = batch.map(({ operation, key, json }): GivenRecord => {
    const values = parseExactJson(json) as Record<string, unknown>
    return { operation, key, properties: propertiesOf(values) }
  })
  return resultOf(await writeRecords(context, type, records))
}

/** Reads the account to which the token belongs. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const call = await ask(context, 'GET', '/account-info/v3/details')
    const failure = failureOf(call, context.clock())
    const portal = answerObject(call)?.['portalId']
    if (failure !== undefined) return { ok: false, message: `HubSpot can't be used right now: ${failure.reason}` }
    if (typeof portal !== 'number' && typeof portal !== 'string')
      return { ok: false, message: 'What answered is not HubSpot' }
    return { ok: true, message: `Connected to the HubSpot account ${portal}.` }
  })
