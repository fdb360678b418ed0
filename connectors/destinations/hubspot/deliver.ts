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
import { upsertContact } from './actions/upsert-contact.ts'
import { recordsOf } from './object-type.ts'
import { ask, type Context, failureOf } from './request.ts'
import { valueText } from './values.ts'
import { type GivenRecord, type Written, writeRecords } from './write-records.ts'

const propertiesOf = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, valueText(value)]))

const resultOf = ({ outcomes, call, latencyMs }: Written): DeliverResult => {
  const httpStatus = call?.answer.status ?? 0
  if (call === undefined || outcomes.every(({ kind }) => kind === 'delivered'))
    return { outcomes, httpStatus, latencyMs }
  return { outcomes, ...call.exchange(), latencyMs }
}

/** Creates or updates a contact for each event, by its email address. */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const records = batch.map((event): GivenRecord => {
    const { email } = upsertContact.payloadOf(event)
    return { operation: 'upsert', key: email, properties: propertiesOf(event.payload ?? {}) }
  })
  return resultOf(await writeRecords(context, { type: 'contacts', idProperty: 'email' }, records))
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
