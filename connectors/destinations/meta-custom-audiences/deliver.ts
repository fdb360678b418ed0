import {
  answerObject,
  ConfigurationError,
  type ConnectionTest,
  cutText,
  type DeliverResult,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  parseExactJson,
  type RowField,
  type RowObjectDetail,
  testOf,
} from '@tributary/connector-kit'
import { inGroups } from '../../wire/conversions/by-test-code.ts'
import { type NamedBy, namedList, wrongList } from '../../wire/conversions/named-list.ts'
import { ask, failureOf } from '../../wire/meta/graph.ts'
import { addPerson } from './actions/add-person.ts'
import { removePerson } from './actions/remove-person.ts'
import { audienceObject, audienceOf } from './audience-address.ts'
import { audienceFacts } from './audience-facts.ts'
import { type MatchKey, matchKeys, valueKey } from './match-keys.ts'
import { type Context, type GivenPerson, type Sent, sendPeople } from './send-people.ts'
import { adAccountOf, isAudience } from './settings.ts'

const resultOf = ({ outcomes, call, latencyMs }: Sent): DeliverResult => {
  if (call === undefined) return { outcomes, httpStatus: 0, latencyMs }
  if (outcomes.every(({ kind }) => kind === 'delivered')) return { outcomes, httpStatus: call.answer.status, latencyMs }
  return { outcomes, ...call.exchange(), latencyMs }
}

/** Adds the people of events to one Custom Audience, or removes them, in order. */
const deliverTo = async (
  { id, namedBy }: { id: string; namedBy: NamedBy },
  events: readonly OutgoingEvent[],
  context: Context,
): Promise<DeliverResult> => {
  if (id === '') throw new ConfigurationError('Enter the Custom Audience for events in the settings')
  if (!isAudience(id)) {
    const outcome = wrongList(namedBy, `"${cutText(id, 40).toWellFormed()}" is not the ID of a Custom Audience`)
    return { outcomes: events.map(() => outcome), httpStatus: 0, latencyMs: 0 }
  }
  const people = events.map((event): GivenPerson => {
    if (event.action === removePerson.name)
      return { operation: 'delete', key: removePerson.payloadOf(event).extern_id, values: {} }
    const { audience_id: _, ...values } = addPerson.payloadOf(event)
    return { operation: 'upsert', key: values.extern_id, values }
  })
  return resultOf(await sendPeople(context, { id, identifier: 'extern_id', namedBy }, people))
}

/**
 * Adds the person of each event to the Custom Audience that the event or the settings name, or removes the person. The
 * events of each audience keep their order. If one audience fails, only its events are sent again.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const lists = new Map<string, ReturnType<typeof namedList>>()
  const keyOf = (event: OutgoingEvent): string => {
    const list = namedList(event, 'audience_id', context.settings.audience_id)
    const key = `${list.namedBy} ${list.id}`
    lists.set(key, list)
    return key
  }
  return await inGroups(batch, keyOf, (events, key) => {
    const list = lists.get(key) ?? { id: '', namedBy: 'settings' }
    return deliverTo(list, events, context)
  })
}

/** Adds and removes the people of one Custom Audience, see `sendPeople`; rows of other objects are rejected. */
export const deliverRows = async (batch: readonly OutgoingRow[], context: Context): Promise<DeliverResult> => {
  const address = audienceOf(batch[0]?.object ?? '')
  if (address === undefined) {
    const reason = 'Enter the ID of a Custom Audience, such as 23847000000000000, as its name'
    return { outcomes: batch.map((): EventOutcome => ({ kind: 'rejected', reason })), httpStatus: 0, latencyMs: 0 }
  }
  const people = batch.map(
    ({ operation, key, json }): GivenPerson => ({
      operation,
      key,
      values: parseExactJson(json) as Record<string, unknown>,
    }),
  )
  return resultOf(await sendPeople(context, address, people))
}

const labels: Readonly<Record<MatchKey, string>> = {
  EMAIL: 'Email',
  PHONE: 'Phone',
  GEN: 'Gender',
  DOBY: 'Year of birth',
  DOBM: 'Month of birth',
  DOBD: 'Day of birth',
  LN: 'Last name',
  FN: 'First name',
  FI: 'Initial of the first name',
  CT: 'City',
  ST: 'State',
  ZIP: 'Postal code',
  COUNTRY: 'Country',
  MADID: 'Mobile advertiser ID',
}

const fieldOf = (name: string, label: string, unique: boolean): RowField => ({
  name,
  label,
  type: '',
  required: false,
  unique,
  options: [],
})

/** Lists the fields that match people, and the state of a Custom Audience at Meta. */
export const describeRows = async (context: Context, { name }: { name: string }): Promise<RowObjectDetail> => {
  const fields = [
    fieldOf('extern_id', 'Your own ID', true),
    ...matchKeys.map((key) => fieldOf(key.toLowerCase(), labels[key], key === 'EMAIL' || key === 'PHONE')),
    fieldOf(valueKey.toLowerCase(), 'Value in a value-based audience', false),
  ]
  const id = audienceOf(audienceObject({ id: name, identifier: 'extern_id' }))?.id
  if (id === undefined) return { fields, facts: [] }
  return { fields, facts: await audienceFacts(context, id) }
}

/** Reads the name of the ad account. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const call = await ask(context, 'GET', `act_${adAccountOf(context.settings.ad_account_id)}?fields=name`)
    const failure = failureOf(call, context.clock(), 'ad account')
    if (failure !== undefined) return { ok: false, message: `Meta can't be used right now: ${failure.reason}` }
    const name = answerObject(call)?.['name']
    if (typeof name !== 'string') return { ok: false, message: 'What answered is not Meta' }
    return { ok: true, message: `Connected to the ad account ${name}.` }
  })
