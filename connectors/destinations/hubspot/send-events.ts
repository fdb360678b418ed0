import {
  answerObject,
  type Call,
  type DeliverResult,
  type EventOutcome,
  type Lifetime,
  type OutgoingEvent,
  RetryableError,
} from '@tributary/connector-kit'
import { noteOf } from '../../wire/conversions/left-out.ts'
import { sendEvent } from './actions/send-event.ts'
import { isFullName, type Occurrence, occurrenceOf } from './custom-event.ts'
import { ask, type Context, failureOf, wordsOf } from './request.ts'
import { recordsAtOnce } from './write-records.ts'

const portals = new WeakMap<Lifetime, string>()

/** Returns the ID of the account to which the token belongs; asked once in the lifetime of the settings. */
const portalOf = async (context: Context): Promise<string> => {
  const known = portals.get(context.lifetime)
  if (known !== undefined) return known
  const call = await ask(context, 'GET', '/account-info/v3/details')
  const failure = failureOf(call, context.clock())
  const id = answerObject(call)?.['portalId']
  if (failure !== undefined || (typeof id !== 'number' && typeof id !== 'string'))
    throw new RetryableError('HubSpot did not say its account ID', { exchange: call.exchange() })
  portals.set(context.lifetime, String(id))
  return String(id)
}

type Numbered = { readonly index: number; readonly occurrence: Exclude<Occurrence, { problem: string }> }

/**
 * Returns the failure of a request; undefined for a success. An unknown event is a fault of its own mapping, so unlike
 * an unknown object, it must not hold the other events.
 */
const failureOfEvents = (call: Call, now: number): EventOutcome | undefined => {
  const { status } = call.answer
  return status === 404 ? { kind: 'rejected', reason: wordsOf(answerObject(call), 'HTTP 404') } : failureOf(call, now)
}

/**
 * Sends occurrences of custom events (HubSpot, "Send a batch of event completions": 204 without a body). If HubSpot
 * refuses a request, halves are sent until each faulty event is found. Occurrences keep their UUID in each attempt.
 */
export const sendEvents = async (events: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const isAnyShort = events.some((event) => !isFullName(sendEvent.payloadOf(event).event_name))
  const portal = isAnyShort ? await portalOf(context) : ''
  const made = events.map((event) => occurrenceOf(event, portal))
  const outcomes = made.map((one): EventOutcome => {
    if ('problem' in one) return { kind: 'rejected', reason: one.problem }
    const note = noteOf(one.leftOut)
    return note === undefined ? { kind: 'delivered' } : { kind: 'delivered', note }
  })
  const sendable = made.flatMap((occurrence, index): Numbered[] =>
    'problem' in occurrence ? [] : [{ index, occurrence }],
  )
  let shown: Call | undefined
  let failed: Call | undefined
  let latencyMs = 0
  const send = async (numbered: readonly Numbered[]): Promise<void> => {
    const inputs = numbered.map(({ occurrence }) => occurrence.body)
    const call = await ask(context, 'POST', '/events/v3/send/batch', { inputs })
    shown ??= call
    latencyMs += call.answer.latencyMs
    const failure = failureOfEvents(call, context.clock())
    if (failure === undefined) return
    if (failure.kind === 'rejected' && numbered.length > 1) {
      const middle = Math.ceil(numbered.length / 2)
      await send(numbered.slice(0, middle))
      return send(numbered.slice(middle))
    }
    failed = call
    for (const { index } of numbered) outcomes[index] = failure
  }
  for (let from = 0; from < sendable.length; from += recordsAtOnce)
    await send(sendable.slice(from, from + recordsAtOnce))
  const result = { outcomes, httpStatus: shown?.answer.status ?? 0, latencyMs }
  if (outcomes.every(({ kind }) => kind === 'delivered')) return result
  return failed === undefined
    ? { ...result, request: '', response: '' }
    : { ...result, ...failed.exchange(), latencyMs }
}
