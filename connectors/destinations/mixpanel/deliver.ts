import {
  ConfigurationError,
  type ConnectionTest,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type Exchange,
  failedOutcome,
  type JsonObject,
  type OutgoingEvent,
  type SplitOutcome,
  testOf,
  waitingAlone,
} from '@tributary/connector-kit'
import { noteOf } from '../../wire/conversions/left-out.ts'
import { aliasOperations } from './actions/alias.ts'
import { groupOperations } from './actions/group.ts'
import { identifyOperations } from './actions/identify.ts'
import { trackOperations } from './actions/track.ts'
import { purchaseOperations } from './actions/track-purchase.ts'
import { type Endpoint, endpoints, type Made } from './operation.ts'
import { type Context, outcomesOf, post, setUpProblem } from './request.ts'
import type { MixpanelSettings } from './settings.ts'

const operationsOf = (event: OutgoingEvent, settings: MixpanelSettings): Made => {
  switch (event.action) {
    case 'identify':
      return identifyOperations(event, settings)
    case 'group':
      return groupOperations(event, settings)
    case 'alias':
      return aliasOperations(event, settings)
    case 'track_purchase':
      return purchaseOperations(event, settings)
    default:
      return trackOperations(event, settings)
  }
}

/**
 * Returns the outcome of an event with several records: a retry if one record needs a retry, otherwise rejected if one
 * is rejected.
 */
const worst = (one: EventOutcome, other: EventOutcome): EventOutcome => {
  if (one.kind === 'retry' || other.kind === 'delivered') return one
  return other.kind === 'retry' || one.kind === 'delivered' ? other : one
}

/** A record with the position of its event in the batch. */
type Numbered = { index: number; body: JsonObject; bytes: number }

/** Keeps the outcome of a record. */
type Settle = (record: Numbered, outcome: EventOutcome) => void

/** The requests of a batch in their order: a change that must not be sent twice comes after all other records. */
const passes = [
  ...endpoints.map((endpoint) => ({ endpoint, once: false })),
  { endpoint: 'engage', once: true },
] as const

/**
 * Returns the records of a batch for a pass. A change that must not be sent twice waits for the next attempt if another
 * record of its event has failed.
 */
const recordsFor = (
  pass: { endpoint: Endpoint; once: boolean },
  made: readonly Made[],
  outcomes: readonly EventOutcome[],
): Numbered[] =>
  made.flatMap((each, index) =>
    'problem' in each || (pass.once && outcomes[index]?.kind !== 'delivered')
      ? []
      : each.operations
          .filter(({ endpoint, once = false }) => endpoint === pass.endpoint && once === pass.once)
          .map(({ body, bytes = 0 }) => ({ index, body, bytes })),
  )

/** Mixpanel, "Import Events" and "Update Multiple Profiles": 2,000 records and 10 MB a request. */
const limits = { records: 2000, bytes: 8 * 1024 * 1024 }

/** Maximum records of one event that must not be sent twice: `$add`, and `$append` of values and of a transaction. */
const mostOnce = 3

/**
 * Splits records into lists that fit into a request, in their order. Only the events of products can add up to more than
 * a batch, so only sizes of events count. With `isWhole`, the records of an event stay together.
 */
const requestsOf = (records: readonly Numbered[], isWhole: boolean): Numbered[][] => {
  const requests: Numbered[][] = []
  let bytes = 0
  for (const record of records) {
    const last = requests.at(-1)
    const isOfLast = isWhole && last?.at(-1)?.index === record.index
    const most = isWhole && !isOfLast ? limits.records - mostOnce + 1 : limits.records
    if (last !== undefined && last.length < most && bytes + record.bytes <= limits.bytes) {
      last.push(record)
      bytes += record.bytes
    } else {
      requests.push([record])
      bytes = record.bytes
    }
  }
  return requests
}

const nothing: Exchange = { httpStatus: 0, latencyMs: 0, request: '', response: '' }

/** Creates the sender of one batch. */
const createSender = (context: Context) => {
  let shown = nothing
  let latencyMs = 0
  let isFirst = true
  let wrongSetup: ConfigurationError | undefined
  let isAnyAccepted = false

  /**
   * Sends one request and settles its records. Only the first request of a batch can fail or split the whole batch. If
   * its set-up is wrong, the others are sent.
   */
  const send = async (
    endpoint: Endpoint,
    records: readonly Numbered[],
    settle: Settle,
  ): Promise<SplitOutcome | undefined> => {
    const wasFirst = isFirst
    isFirst = false
    try {
      const bodies = records.map(({ body }) => body)
      const call = await post(context, endpoint, bodies)
      latencyMs += call.answer.latencyMs
      const found = outcomesOf(call, records.length, context.clock())
      const failed = 'kind' in found || found.some(({ kind }) => kind !== 'delivered')
      if (shown.request === '') shown = failed ? call.exchange() : { ...nothing, httpStatus: call.answer.status }
      if (!('kind' in found)) {
        isAnyAccepted ||= found.some(({ kind }) => kind === 'delivered')
        for (const [at, record] of records.entries()) settle(record, found[at] ?? { kind: 'delivered' })
        return undefined
      }
      if (wasFirst) return found
      const middle = Math.ceil(records.length / 2)
      await send(endpoint, records.slice(0, middle), settle)
      await send(endpoint, records.slice(middle), settle)
    } catch (error) {
      const isWrongSetup = error instanceof ConfigurationError
      if (!(error instanceof DeliveryError) || (wasFirst && !isWrongSetup)) throw error
      if (isWrongSetup) wrongSetup ??= error
      const outcome = failedOutcome(error)
      if (shown.request === '' && error.exchange !== undefined) shown = error.exchange
      for (const record of records) settle(record, outcome)
    }
    return undefined
  }
  return {
    send,
    shown: () => shown,
    wrongSetup: () => (isAnyAccepted ? undefined : wrongSetup),
    latencyMs: () => latencyMs,
  }
}

/** The outcome of a change that must not be sent twice, by the name of its operation. */
type Change = { name: string; outcome: EventOutcome }

/**
 * Returns the outcome of an event with changes that must not be sent twice. If one of them has arrived, the event is not
 * sent again, and the others are left out. Adds them to `leftOut`.
 */
const outcomeOfChanges = (changes: readonly Change[], leftOut: string[]): EventOutcome => {
  const failed = changes.filter(({ outcome }) => outcome.kind !== 'delivered')
  if (failed.length === changes.length) return failed.map(({ outcome }) => outcome).reduce(worst)
  for (const { name, outcome } of failed) leftOut.push(`${name}: ${'reason' in outcome ? outcome.reason : ''}`)
  return { kind: 'delivered' }
}

/** Adds what was left out to the outcome of a delivered event. */
const withNote = (outcome: EventOutcome, made: Made | undefined, failed: readonly string[] = []): EventOutcome => {
  const note = made === undefined || 'problem' in made ? undefined : noteOf([...(made.leftOut ?? []), ...failed])
  return outcome.kind === 'delivered' && note !== undefined ? { kind: 'delivered', note } : outcome
}

/**
 * Sends a batch: events, then profiles of groups, then profiles of users. Mixpanel names the refused records; an event
 * is delivered if all of its records are. An event that is sent again counts once, by its insert ID, and setting a
 * profile again changes nothing. A change that counts twice is sent in the last requests, and only if all other records of
 * its event have arrived. If only some of these changes arrive, the delivery names the others, because another attempt would
 * count the first ones again.
 */
export const deliver = async (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const made = batch.map((event) => operationsOf(event, context.settings))
  const outcomes = made.map(
    (each): EventOutcome => ('problem' in each ? { kind: 'rejected', reason: each.problem } : { kind: 'delivered' }),
  )
  const sender = createSender(context)
  const changes = new Map<number, Change[]>()
  const settleOnce: Settle = ({ index, body }, outcome) => {
    const before = changes.get(index) ?? []
    changes.set(index, [...before, { name: Object.keys(body).at(-1) ?? '', outcome }])
  }
  const settle: Settle = ({ index }, outcome) => {
    outcomes[index] = worst(outcomes[index] ?? { kind: 'delivered' }, outcome)
  }
  for (const pass of passes)
    for (const records of requestsOf(recordsFor(pass, made, outcomes), pass.once)) {
      const split = await sender.send(pass.endpoint, records, pass.once ? settleOnce : settle)
      if (split !== undefined) return { ...sender.shown(), outcomes: split }
    }
  const failed = new Map<number, string[]>()
  for (const [index, those] of changes) {
    const leftOut: string[] = []
    outcomes[index] = outcomeOfChanges(those, leftOut)
    failed.set(index, leftOut)
  }
  const wrongSetup = sender.wrongSetup()
  if (wrongSetup !== undefined) throw wrongSetup
  const noted = waitingAlone(outcomes.map((outcome, index) => withNote(outcome, made[index], failed.get(index))))
  const { httpStatus, request, response } = sender.shown()
  const latencyMs = sender.latencyMs()
  const isWhole = [...failed.values()].every((leftOut) => leftOut.length === 0)
  if (isWhole && noted.every(({ kind }) => kind === 'delivered')) return { outcomes: noted, httpStatus, latencyMs }
  return { outcomes: noted, httpStatus, latencyMs, request, response }
}

/** Sends an empty list, because Mixpanel checks the token before the list. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const call = await post(context, 'import', [])
    const problem = setUpProblem(call)
    if (problem !== undefined) return { ok: false, message: problem }
    const { status } = call.answer
    if (status === 429 || status >= 500)
      return { ok: false, message: `Mixpanel cannot accept events right now (HTTP ${status})` }
    return { ok: true, message: 'Mixpanel accepts this project token.' }
  })
