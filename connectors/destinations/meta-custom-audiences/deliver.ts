import {
  ConfigurationError,
  type ConnectionTest,
  type DeliverResult,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  parseExactJson,
  testOf,
} from '@tributary/connector-kit'
import { addPerson } from './actions/add-person.ts'
import { audienceOf } from './audience-address.ts'
import { answerObject, ask, type Context, failureOf } from './request.ts'
import { type GivenPerson, type Sent, sendPeople } from './send-people.ts'
import { adAccountOf } from './settings.ts'

const resultOf = ({ outcomes, call, latencyMs }: Sent): DeliverResult => {
  if (call === undefined) return { outcomes, httpStatus: 0, latencyMs }
  if (outcomes.every(({ kind }) => kind === 'delivered')) return { outcomes, httpStatus: call.answer.status, latencyMs }
  return { outcomes, ...call.exchange(), latencyMs }
}

/** Adds the person of each event to the Custom Audience of the settings. */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const { audience_id: id } = context.settings
  if (id === undefined) throw new ConfigurationError('Enter the Custom Audience for events in the settings')
  const people = batch.map((event): GivenPerson => {
    const values = addPerson.payloadOf(event)
    return { operation: 'upsert', key: values.extern_id, values }
  })
  return resultOf(await sendPeople(context, { id: id.trim(), identifier: 'extern_id' }, people))
}

/** Adds and removes the people of one Custom Audience as `sendPeople` says; rows of anything else are rejected. */
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

/** Asks for the name of the ad account. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const call = await ask(context, 'GET', `act_${adAccountOf(context.settings.ad_account_id)}?fields=name`)
    const failure = failureOf(call, context.clock())
    if (failure !== undefined) return { ok: false, message: `Meta can't be used right now: ${failure.reason}` }
    const name = answerObject(call)?.['name']
    if (typeof name !== 'string') return { ok: false, message: 'What answered is not Meta' }
    return { ok: true, message: `Connected to the ad account ${name}.` }
  })
