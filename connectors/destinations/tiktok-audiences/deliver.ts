import {
  type ConnectionTest,
  type DeliverResult,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  type RowField,
  type RowObjectDetail,
  testOf,
} from '@tributary/connector-kit'
import { apiVersions, endOf } from '../../wire/conversions/api-version.ts'
import { sendPrepared } from '../../wire/conversions/send-prepared.ts'
import { askTikTok, hiddenOf, outcomeOf } from '../../wire/tiktok/business-api.ts'
import { audienceOf } from './audience-address.ts'
import { audienceFacts, readAudience } from './audience-facts.ts'
import { personOfEvent, personOfRow } from './person.ts'
import { type Context, sendPeople } from './send-people.ts'
import { isNumber } from './settings.ts'

/** Adds the person of each event to an audience, or removes the person, in order. */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> =>
  sendPrepared(
    batch,
    (event) => personOfEvent(event, context.settings),
    (people) => sendPeople(context, people),
  )

/** Adds and removes the people of one audience, see `sendPeople`; rows of other objects are rejected. */
export const deliverRows = async (batch: readonly OutgoingRow[], context: Context): Promise<DeliverResult> => {
  const address = audienceOf(batch[0]?.object ?? '')
  if (address === undefined) {
    const reason = 'Enter the ID of an audience, such as 7312345678901234567, as its name'
    return { outcomes: batch.map((): EventOutcome => ({ kind: 'rejected', reason })), httpStatus: 0, latencyMs: 0 }
  }
  return await sendPrepared(
    batch,
    (row) => personOfRow(row, address, context.settings),
    (people) => sendPeople(context, people),
  )
}

const fieldOf = (name: string, label: string, unique: boolean): RowField => ({
  name,
  label,
  type: '',
  required: false,
  unique,
  options: [],
})

const identifiers = [
  fieldOf('email', 'Email', true),
  fieldOf('phone', 'Phone', true),
  fieldOf('idfa', 'Advertising ID of iOS', true),
  fieldOf('aaid', 'Advertising ID of Android', true),
]

/** Lists the fields that match people, and the state of an audience at TikTok. */
export const describeRows = async (
  context: Context,
  { object, name }: { object: string; name: string },
): Promise<RowObjectDetail> => {
  const others = [
    fieldOf('country', 'Country, which completes the phone', false),
    fieldOf('advertising_id', 'Advertising ID', false),
    fieldOf('device_type', 'System of the advertising ID', false),
  ]
  const fields = object === 'custom_audience' ? identifiers : [...identifiers, ...others]
  if (!isNumber(name)) return { fields, facts: [] }
  return { fields, facts: await audienceFacts(context, name.trim()) }
}

/** Reads the first audience of the ad account, which shows whether the token may manage audiences. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { advertiser_id, audience_id } = context.settings
    const query = new URLSearchParams({ advertiser_id: advertiser_id.trim(), page: '1', page_size: '1' })
    const call = await askTikTok(context, `dmp/custom_audience/list/?${query.toString()}`)
    const outcome = outcomeOf(call, { now: context.clock(), hidden: hiddenOf(context), items: 'audiences' })
    if (outcome.kind !== 'delivered') return { ok: false, message: `TikTok can't be used right now: ${outcome.reason}` }
    const end = endOf(apiVersions.tiktok, context.clock())
    const account = `Connected to the ad account ${advertiser_id.trim()}.`
    if (audience_id === undefined) return { ok: true, message: `${account}${end}` }
    const { name } = await readAudience(context, audience_id.trim())
    return { ok: true, message: `${account} People go to the audience ${String(name)}.${end}` }
  })
