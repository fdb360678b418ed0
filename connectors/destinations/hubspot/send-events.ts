import {
  answerObject,
  type Call,
  createHeldGroups,
  createRefusedInRow,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type Exchange,
  failedOutcome,
  type Lifetime,
  notSent,
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

type Sendable = Exclude<Occurrence, { problem: string }>
type Numbered = { readonly index: number; readonly occurrence: Sendable }

/** Whether an event is not in HubSpot. All events with its name then have the same fault. */
const isUnknown = ({ answer }: Call): boolean => answer.status === 404

/**
 * Returns the failure of a request; undefined for a success. An unknown event is a fault of its own mapping, so unlike
 * an unknown object, it must not hold the other events.
 */
const failureOfEvents = (call: Call, now: number): EventOutcome | undefined =>
  isUnknown(call) ? { kind: 'rejected', reason: wordsOf(answerObject(call), 'HTTP 404') } : failureOf(call, now)

const outcomeOf = ({ leftOut }: Sendable): EventOutcome => {
  const note = noteOf(leftOut)
  return note === undefined ? { kind: 'delivered' } : { kind: 'delivered', note }
}

const halvesOf = (numbered: readonly Numbered[]): (readonly Numbered[])[] => {
  const middle = Math.ceil(numbered.length / 2)
  return [numbered.slice(0, middle), numbered.slice(middle)]
}

/** Returns the parts of a refused request by the names of the events, or halves if there is one name. */
const partsOf = (numbered: readonly Numbered[]): (readonly Numbered[])[] => {
  const byName = [...Map.groupBy(numbered, ({ occurrence }) => occurrence.body['eventName']).values()]
  return byName.length > 1 ? byName : halvesOf(numbered)
}

/** Creates the sender of a batch, which sets the outcome of each event whose request has an answer. */
const createSender = (context: Context, outcomes: (EventOutcome | undefined)[]) => {
  let shown: Call | undefined
  let failed: Call | undefined
  let latencyMs = 0
  const held = createHeldGroups<readonly Numbered[]>()
  const refused = createRefusedInRow()
  let rest: EventOutcome | undefined
  let heldExchange: Exchange | undefined

  /** Sends occurrences, or holds them if the set-up is wrong. Returns whether more requests can be sent. */
  const send = async (numbered: readonly Numbered[]): Promise<boolean> => {
    let outcome = held.heldOutcome(numbered)
    try {
      if (outcome === undefined) return await sendOrSplit(numbered)
    } catch (error) {
      outcome = held.hold(numbered, error)
      if (error instanceof DeliveryError) heldExchange ??= error.exchange
    }
    for (const { index } of numbered) outcomes[index] ??= outcome
    return true
  }
  /** Sends occurrences, and parts of them if HubSpot refuses them. */
  const sendOrSplit = async (numbered: readonly Numbered[]): Promise<boolean> => {
    const inputs = numbered.map(({ occurrence }) => occurrence.body)
    const call = await ask(context, 'POST', '/events/v3/send/batch', { inputs })
    shown ??= call
    latencyMs += call.answer.latencyMs
    const failure = failureOfEvents(call, context.clock())
    held.answered(numbered, failure ?? { kind: 'delivered' })
    const names = new Set(numbered.map(({ occurrence }) => occurrence.body['eventName']))
    const isOneFault = numbered.length === 1 || (isUnknown(call) && names.size === 1)
    if (failure?.kind === 'rejected' && !isOneFault) {
      for (const part of partsOf(numbered)) if (!(await send(part))) return false
      return true
    }
    if (failure !== undefined) failed = call
    for (const { index, occurrence } of numbered) outcomes[index] = failure ?? outcomeOf(occurrence)
    if (numbered.length === 1) rest = refused.note(failure ?? { kind: 'delivered' })
    return failure?.kind !== 'retry' && rest === undefined
  }
  const exchange = (): Exchange | undefined => failed?.exchange() ?? heldExchange
  const facts = () => ({ shown, latencyMs, rest })
  return { send, settled: held.settled, exchange, facts }
}

/**
 * Sends occurrences of custom events (HubSpot, "Send a batch of event completions": 204 without a body). If HubSpot
 * refuses a request, each name is sent alone, and then halves until each faulty event is found. Occurrences keep their
 * UUID in each attempt. After a request that must be retried, or many refusals for one reason, no more requests are sent. A request with a wrong set-up
 * holds only its events. Rejects with a DeliveryError if no request has settled an event, or if all wait for a user.
 */
export const sendEvents = async (events: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const isAnyShort = events.some((event) => !isFullName(sendEvent.payloadOf(event).event_name))
  const portal = isAnyShort ? await portalOf(context) : ''
  const made = events.map((event) => occurrenceOf(event, portal))
  const settled: (EventOutcome | undefined)[] = made.map(() => undefined)
  const sendable = made.flatMap((occurrence, index): Numbered[] =>
    'problem' in occurrence ? [] : [{ index, occurrence }],
  )
  const sender = createSender(context, settled)
  let rest = notSent(undefined)
  let thrown: Exchange | undefined
  try {
    for (let from = 0; from < sendable.length; from += recordsAtOnce)
      if (!(await sender.send(sendable.slice(from, from + recordsAtOnce)))) break
  } catch (error) {
    if (!(error instanceof DeliveryError) || settled.every((outcome) => outcome === undefined)) throw error
    rest = failedOutcome(error)
    thrown = error.exchange
  }
  const { shown, latencyMs, rest: later } = sender.facts()
  rest = later ?? rest
  const sent = sender.settled(sendable.map(({ index }) => settled[index] ?? rest))
  const outcomes = made.map(
    (one): EventOutcome => ('problem' in one ? { kind: 'rejected', reason: one.problem } : (sent.shift() ?? rest)),
  )
  const result = { outcomes, httpStatus: shown?.answer.status ?? 0, latencyMs }
  if (outcomes.every(({ kind }) => kind === 'delivered')) return result
  const exchange = sender.exchange() ?? thrown
  return exchange === undefined ? { ...result, request: '', response: '' } : { ...result, ...exchange, latencyMs }
}
