import {
  ConfigurationError,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  RejectedError,
  RetryableError,
} from '@tributary/connector-kit'
import { type DeliveryStatus, waitsForEarlierChange } from '@tributary/contract'
import { backoffMs, type RetryPolicy } from '@tributary/kernel'
import type { AttemptLog } from '../log/attempts.ts'
import { type Recorded, release } from '../log/record.ts'
import type { Decision, EventFailure, InFlightRecord, Item } from '../parking/in-flight-record.ts'
import { type KeyOrder, laterDelivered } from '../parking/key-order.ts'
import type { RetryQueue } from '../parking/retry-queue.ts'
import type { DeliverySettings } from '../settings.ts'
import { isLeftOut, isOfForgotten, userDeleted } from './forgotten.ts'
import type { GateResult } from './gate.ts'
import type { WorkerContext } from './worker-context.ts'

export type AttemptFacts = {
  /** Number of this attempt, from 1. */
  attempt: number
  /** When the event was first tried. */
  firstTime: number
  now: number
  random?: () => number
}

/**
 * Decides the next step after an outcome. Delivered, skipped (nothing left to do), and rejected are final. After
 * another failure, the event waits for its back-off, and at least as long as the destination asked for (capped). It
 * becomes a dead letter when the retry time since the first attempt is over. Failures of the settings never become dead
 * letters: only a user can fix them, and then the events are still there.
 */
export const decide = (
  outcome: EventOutcome,
  facts: AttemptFacts,
  policy: RetryPolicy,
  retryAfterCapMs: number,
): Decision => {
  if (outcome.kind === 'delivered' || outcome.kind === 'skipped') return { kind: 'delivered' }
  if (outcome.kind === 'rejected') return { kind: 'dead', reason: outcome.reason }
  if (outcome.misconfigured !== true && facts.now - facts.firstTime >= policy.maxElapsedMs)
    return { kind: 'dead', reason: `Retries exhausted: ${outcome.reason}` }
  const asked = Math.min(Math.max(outcome.retryAfterMs ?? 0, 0), retryAfterCapMs)
  const delay = Math.max(backoffMs(policy, facts.attempt, facts.random), asked)
  return { kind: 'waiting', nextTime: facts.now + delay, reason: outcome.reason }
}

/**
 * The outcome of the event at `index` of a batch. An event without an outcome counts as a retryable failure. If the
 * result asks to split a batch of one event, that event is the rejected one.
 */
export const outcomeAt = (result: DeliverResult, index: number): EventOutcome => {
  const { outcomes } = result
  if ('kind' in outcomes) return outcomes.kind === 'split' ? { kind: 'rejected', reason: outcomes.reason } : outcomes
  return outcomes[index] ?? { kind: 'retry', reason: 'The connector returned no status for this event' }
}

/** Converts an error thrown by a connector to a result for every event of the batch. */
export const resultOfError = (error: unknown): DeliverResult & { misconfigured: boolean } => {
  const exchange = error instanceof DeliveryError ? error.exchange : undefined
  const kept = {
    httpStatus: exchange?.httpStatus ?? 0,
    latencyMs: exchange?.latencyMs ?? 0,
    request: exchange?.request ?? '',
    response: exchange?.response ?? '',
    misconfigured: error instanceof ConfigurationError,
  }
  if (error instanceof RejectedError) return { outcomes: { kind: 'rejected', reason: error.message }, ...kept }
  const reason = error instanceof DeliveryError ? error.message : 'The connector failed'
  if (kept.misconfigured) return { outcomes: { kind: 'retry', reason, misconfigured: true }, ...kept }
  const retryAfterMs = error instanceof RetryableError ? error.retryAfterMs : undefined
  return { outcomes: { kind: 'retry', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, ...kept }
}

/** An event that is not sent, with the reason. */
export type SkippedEvent = Pick<Item, 'inFlight' | 'index' | 'open'> & {
  event: Recorded
  gateResult: Exclude<GateResult, { kind: 'pass' }>
}

export type Outcomes = {
  /** Writes the outcomes of a batch: delivery log rows for all, parked rows for failures. */
  settle(batch: readonly Item[], result: DeliverResult, now: number): void
  /** Writes events that are not sent: a delivery log row for each, and a dead letter for those that cannot be sent. */
  skip(items: readonly SkippedEvent[], now: number): void
  /** Parks events that were not tried, due immediately. */
  requeue(items: readonly Item[], now: number): void
  /** Parks events that have to wait for an earlier change of their record. They become due after that change. */
  waitBehind(items: readonly { item: Item; nextTime: number }[], now: number): void
  /**
   * Parks events that have been queued or in flight for long. The shared stream no longer waits for their record, and
   * their outcomes are written to the parked row.
   */
  takeOver(items: readonly Item[], now: number): void
  /**
   * Records that a user was deleted. Items queued until now get no sample, and those of the user are neither retried
   * nor dead-lettered. Failures that are not written yet lose their values of profiles.
   */
  noteForgotten(items: readonly Item[], now: number): void
  /** Whether an item was queued before a deletion became known. Then the gate must check it before it is sent again. */
  isStale(item: Item): boolean
  /** Finishes a record in flight that cannot be read. */
  unreadable(inFlight: InFlightRecord, now: number): void
}

const groupByRecord = <T>(pairs: readonly { inFlight: InFlightRecord; value: T }[]): Map<InFlightRecord, T[]> => {
  const groups = new Map<InFlightRecord, T[]>()
  for (const { inFlight, value } of pairs) {
    const group = groups.get(inFlight)
    if (group === undefined) groups.set(inFlight, [value])
    else group.push(value)
  }
  return groups
}

/** Minimum wait of events behind a change that is due, ms, so that this change is sent first. */
const behindMs = 50

const untried: Omit<DeliverResult, 'outcomes'> = { httpStatus: 0, latencyMs: 0 }

const factOf = (
  failure: EventFailure | undefined,
  outcome: EventOutcome,
  { note }: Pick<Item, 'note'>,
): { status: DeliveryStatus; reason: string } => {
  const decision = failure?.decision
  if (decision === undefined) {
    if (outcome.kind === 'skipped') return { status: 'filtered', reason: outcome.reason }
    const ownNote = outcome.kind === 'delivered' ? outcome.note : undefined
    return { status: 'delivered', reason: [note, ownNote].filter((text) => text !== undefined).join('; ') }
  }
  return { status: decision.kind === 'dead' ? 'dead' : 'retry', reason: 'reason' in decision ? decision.reason : '' }
}

/** Whether an event needs no more work after a request. */
const isDone = (result: DeliverResult, index: number): boolean =>
  ['delivered', 'skipped'].includes(outcomeAt(result, index).kind)

/** Returns the failure of an event that a request did not deliver; undefined for a delivered event. */
const eventFailureOf = (
  item: Item,
  index: number,
  result: DeliverResult,
  now: number,
  settings: Pick<DeliverySettings, 'retry' | 'retryAfterCapMs'>,
): EventFailure | undefined => {
  const { row } = item.inFlight
  const facts = {
    attempt: (row?.attempts ?? 0) + 1,
    firstTime: row !== undefined && row.attempts > 0 ? row.firstTime : now,
    now,
  }
  const decision = decide(outcomeAt(result, index), facts, settings.retry, settings.retryAfterCapMs)
  return decision.kind === 'delivered'
    ? undefined
    : { index: item.index, eventId: item.event.eventId, decision, result, open: item.open, profile: item.profile }
}

/** Returns the row of the delivery log with the outcome of an event. */
const attemptOf = (
  destinationId: string,
  { inFlight, index, event, open }: Omit<SkippedEvent, 'gateResult'>,
  fact: { status: DeliveryStatus; reason: string },
  result: Omit<DeliverResult, 'outcomes'>,
  now: number,
): Parameters<AttemptLog['push']>[0] => {
  const failed = fact.status !== 'delivered'
  const producer = inFlight.record.meta.producer
  // Rows about a deleted user do not identify the user, and neither do rows of privacy requests.
  const named = fact.reason !== userDeleted && producer?.kind !== 'privacy'
  const row = event.row
  const known = producer?.keys?.[index]
  return {
    workspaceId: inFlight.record.meta.workspaceId,
    sourceId: inFlight.record.meta.sourceId,
    destinationId,
    eventId: event.eventId,
    messageId: named ? event.messageId : '',
    eventType: event.type,
    event: event.event,
    time: now,
    attempt: (inFlight.row?.attempts ?? 0) + 1,
    ...fact,
    httpStatus: result.httpStatus,
    latencyMs: result.latencyMs,
    request: failed ? (result.request ?? '') : '',
    response: failed ? (result.response ?? '') : '',
    replayId: inFlight.row?.replayId ?? inFlight.record.meta.replayId ?? '',
    producer: producer?.kind ?? '',
    operation: row?.operation ?? (known === undefined ? '' : 'event'),
    object: row?.object ?? '',
    key: named ? (row?.key ?? known ?? '') : '',
    version: open?.version ?? 0,
  }
}

/** Records the outcomes of one worker. Nothing is released before it is durable. */
export const createOutcomes = (
  destinationId: string,
  context: WorkerContext,
  retries: RetryQueue,
  order: KeyOrder,
): Outcomes => {
  const { attempts, settings, metrics, forgotten } = context
  /** Items queued up to this time were checked by a gate without a later deletion, epoch ms. */
  let staleUntil = Number.NEGATIVE_INFINITY
  const isStale: Outcomes['isStale'] = ({ since }) => since <= staleUntil

  /** Writes a row of the delivery log. When the row is durable, one hold on the record in flight is released. */
  const log = (
    { inFlight, index, event, open }: Omit<SkippedEvent, 'gateResult'>,
    fact: { status: DeliveryStatus; reason: string },
    result: Omit<DeliverResult, 'outcomes'>,
    now: number,
  ): void => {
    const producer = inFlight.record.meta.producer
    if (producer !== undefined) {
      inFlight.open++
      const outcome = { recordId: event.eventId, destinationId, ...fact, time: now }
      context.outcomes.push(producer.name, outcome, () => release(inFlight))
    }
    attempts.push(attemptOf(destinationId, { inFlight, index, event, open }, fact, result, now), inFlight)
  }

  /** Parks failed events. Those of a parked row are written when the outcomes of the whole row are known. */
  const parkFailed = (failed: readonly { inFlight: InFlightRecord; value: EventFailure }[], now: number): void => {
    for (const [inFlight, failures] of groupByRecord(failed)) {
      inFlight.failures.push(...failures)
      if (inFlight.row !== undefined) continue
      inFlight.open++
      retries.park(inFlight, failures, 1, now)
    }
  }

  /**
   * Parks events that were not tried. Those of a parked row are written when the outcomes of the whole row are known.
   */
  const giveBack = (items: readonly { item: Item; decision: EventFailure['decision'] }[], now: number): void => {
    const pairs = items.map(({ item, decision }) => {
      const { inFlight, index, event, open, profile = inFlight.row?.profiles?.[event.eventId] } = item
      const isGone = profile !== undefined && isOfForgotten(forgotten, inFlight.record, event)
      const value = { index, eventId: event.eventId, decision, result: undefined, open }
      return { inFlight, value: { ...value, profile: isGone ? null : profile } }
    })
    for (const [inFlight, failures] of groupByRecord(pairs)) {
      if (inFlight.row === undefined) retries.park(inFlight, failures, failures.length, now)
      else {
        inFlight.failures.push(...failures)
        release(inFlight, failures.length)
      }
    }
  }

  return {
    settle: (batch, answer, now) => {
      const failed: { inFlight: InFlightRecord; value: EventFailure }[] = []
      // For a deleted user, the exit from an audience and the deletion itself are still sent, but get no sample.
      const isTheirs = (item: Item): boolean => {
        const { record } = item.inFlight
        return (
          record.meta.producer?.kind === 'privacy' ||
          ((isStale(item) || record.meta.producer !== undefined) && isOfForgotten(forgotten, record, item.event))
        )
      }
      // All events of a batch share the request and response, so the sample is omitted for the whole batch.
      const { request: _, response: __, ...withoutSample } = answer
      const result = batch.some(isTheirs) ? withoutSample : answer
      for (const [index, { open }] of batch.entries())
        if (open !== undefined && isDone(result, index))
          order.close(open, outcomeAt(result, index).kind === 'delivered')
      for (const [index, item] of batch.entries()) {
        const failure = eventFailureOf(item, index, result, now, settings)
        const { open } = item
        if (failure !== undefined && isStale(item) && isLeftOut(forgotten, item.inFlight.record, item.event)) {
          if (open !== undefined) order.close(open, false)
          log(item, { status: 'filtered', reason: userDeleted }, untried, now)
          continue
        }
        if (open !== undefined && failure !== undefined) {
          // In an ordered destination, one batch can have both this change and the later one.
          if (order.isSuperseded(open)) {
            order.close(open, false)
            log(item, { status: 'filtered', reason: laterDelivered }, result, now)
            continue
          }
          if (failure.decision.kind === 'waiting') order.wait(open, failure.decision.nextTime)
          else order.close(open, false)
        }
        if (failure?.profile !== undefined && isTheirs(item)) failure.profile = null
        if (failure !== undefined) failed.push({ inFlight: item.inFlight, value: failure })
        log(item, factOf(failure, outcomeAt(result, index), item), result, now)
      }
      metrics.count('delivery_attempts', batch.length - failed.length, { outcome: 'delivered' })
      if (failed.length === 0) return
      metrics.count('delivery_attempts', failed.length, { outcome: 'failed' })
      parkFailed(failed, now)
    },
    skip: (items, now) => {
      const failed: { inFlight: InFlightRecord; value: EventFailure }[] = []
      for (const item of items) {
        if (item.open !== undefined) order.close(item.open, false)
        const { inFlight, index, gateResult } = item
        const { reason } = gateResult
        if (gateResult.kind === 'failed') {
          const decision = { kind: 'dead' as const, reason }
          failed.push({ inFlight, value: { index, eventId: item.event.eventId, decision, result: undefined } })
          log(item, { status: 'dead', reason }, untried, now)
        } else log(item, { status: 'filtered', reason }, untried, now)
      }
      metrics.count('delivery_events_filtered', items.length - failed.length)
      if (failed.length > 0) parkFailed(failed, now)
    },
    requeue: (items, now) => {
      for (const { open } of items) if (open !== undefined) order.wait(open, now)
      giveBack(
        items.map((item) => ({ item, decision: { kind: 'returned' } })),
        now,
      )
    },
    waitBehind: (items, now) => {
      const reason = waitsForEarlierChange
      const minNextTime = now + behindMs
      const given = items.map(({ item, nextTime }) => ({ item, nextTime: Math.max(nextTime, minNextTime) }))
      for (const { item, nextTime } of given) if (item.open !== undefined) order.wait(item.open, nextTime)
      giveBack(
        given.map(({ item, nextTime }) => ({ item, decision: { kind: 'behind', nextTime, reason } })),
        now,
      )
    },
    takeOver: (items, now) => {
      const free = items
        .filter((item) => item.inFlight.row === undefined)
        .map((item) => ({ inFlight: item.inFlight, value: item }))
      for (const [inFlight, group] of groupByRecord(free)) retries.takeOver(inFlight, group, now)
    },
    noteForgotten: (items, now) => {
      staleUntil = now
      for (const { inFlight } of items)
        for (const failure of inFlight.failures) {
          failure.result = undefined
          // Their events may belong to the user. Each retry looks their profiles up again.
          failure.profile = null
        }
    },
    isStale,
    unreadable: (inFlight, now) => {
      const decision = { kind: 'dead' as const, reason: "The record in the log can't be read" }
      const indexes = inFlight.row?.indexes ?? Array.from({ length: inFlight.record.meta.count }, (_, index) => index)
      const failures = indexes.map((index, place) => ({
        index,
        eventId: inFlight.row?.eventIds[place] ?? '',
        decision,
        result: undefined,
      }))
      if (inFlight.row === undefined) return retries.park(inFlight, failures, 1, now)
      inFlight.failures.push(...failures)
      release(inFlight)
    },
  }
}
