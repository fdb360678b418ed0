import type { DeliverResult } from '@tributary/connector-kit'
import { backoffMs } from '@tributary/kernel'
import { outcomeAt } from './outcomes.ts'
import type { WorkerContext } from './worker-context.ts'

/**
 * States of a destination's worker.
 * - `flowing`: events are sent;
 * - `broken`: after too many failures, nothing is sent until the rest is over;
 * - `probing`: single requests test whether the destination works again;
 * - `deferred`: the destination asked for a pause;
 * - `paused`: disabled, not in the cache yet, or with unusable settings;
 * - `gone`: deleted.
 */
export const workerStates = ['flowing', 'broken', 'probing', 'deferred', 'paused', 'gone'] as const
export type WorkerState = (typeof workerStates)[number]

/**
 * Events that change a worker's state.
 * - `failed`: a failure that may be retried;
 * - `tripped`: the failure that breaks the circuit;
 * - `asked`: a failure with a Retry-After;
 * - `rested`: the rest is over;
 * - `halted` and `usable`: from the configuration;
 * - `removed`: the destination was deleted.
 */
export const workerEvents = [
  'succeeded',
  'failed',
  'tripped',
  'asked',
  'rested',
  'halted',
  'usable',
  'removed',
] as const
export type WorkerEvent = (typeof workerEvents)[number]

/**
 * Every state lists every event, including those that do not change it. Late responses to earlier requests do not end a
 * rest.
 */
export const workerTransitions: Readonly<Record<WorkerState, Readonly<Record<WorkerEvent, WorkerState>>>> = {
  flowing: {
    succeeded: 'flowing',
    failed: 'flowing',
    tripped: 'broken',
    asked: 'deferred',
    rested: 'flowing',
    halted: 'paused',
    usable: 'flowing',
    removed: 'gone',
  },
  broken: {
    succeeded: 'broken',
    failed: 'broken',
    tripped: 'broken',
    asked: 'broken',
    rested: 'probing',
    halted: 'paused',
    usable: 'broken',
    removed: 'gone',
  },
  probing: {
    succeeded: 'flowing',
    failed: 'broken',
    tripped: 'broken',
    asked: 'broken',
    rested: 'probing',
    halted: 'paused',
    usable: 'probing',
    removed: 'gone',
  },
  deferred: {
    succeeded: 'deferred',
    failed: 'deferred',
    tripped: 'broken',
    asked: 'deferred',
    rested: 'flowing',
    halted: 'paused',
    usable: 'deferred',
    removed: 'gone',
  },
  paused: {
    succeeded: 'paused',
    failed: 'paused',
    tripped: 'paused',
    asked: 'paused',
    rested: 'paused',
    halted: 'paused',
    usable: 'flowing',
    removed: 'gone',
  },
  gone: {
    succeeded: 'gone',
    failed: 'gone',
    tripped: 'gone',
    asked: 'gone',
    rested: 'gone',
    halted: 'paused',
    usable: 'flowing',
    removed: 'gone',
  },
}

/** Whether another request may start while `inFlight` requests are open. */
export const mayStart = (state: WorkerState, inFlight: number, concurrency: number): boolean => {
  if (state === 'flowing') return inFlight < concurrency
  return state === 'probing' && inFlight === 0
}

/**
 * The facts that decide whether the circuit breaks: consecutive failures, and the last outcomes (true = failed), newest
 * last.
 */
export type FailureWindow = { readonly inARow: number; readonly recent: readonly boolean[] }

export const noFailures: FailureWindow = { inARow: 0, recent: [] }

/** Returns the window with one more outcome. */
export const noteOutcome = (window: FailureWindow, failed: boolean, size: number): FailureWindow => {
  // A healthy destination, the most common case, needs no allocation.
  if (!failed && window.recent.length === 0) return window
  const recent = [...window.recent, failed].slice(-size)
  return recent.includes(true) ? { inARow: failed ? window.inARow + 1 : 0, recent } : noFailures
}

/** Whether the failures in the window break the circuit. */
export const trips = (
  window: FailureWindow,
  rules: { consecutive: number; window: number; ratio: number },
): boolean => {
  if (window.inARow >= rules.consecutive) return true
  const failures = window.recent.filter(Boolean).length
  return window.recent.length >= rules.window && failures >= rules.ratio * rules.window
}

/** Decides whether a worker sends: it breaks after failures, rests, probes, and sends again. */
export type CircuitBreaker = {
  state(): WorkerState
  /** The reason why the worker is not flowing; empty if it is. */
  reason(): string
  /** Applies an event; `restMs` is the pause that the destination asked for. */
  note(event: WorkerEvent, why: string, restMs?: number): void
  /**
   * Records a completed request with its number of events. A request with wrong settings breaks the circuit
   * immediately, and so does any failure of an ordered destination.
   */
  record(result: DeliverResult, events: number, facts: { misconfigured: boolean; ordered: boolean }): void
  /** Ends a rest whose time is over. */
  tick(): void
  /** Ends a rest at the next tick, even before its time. */
  endRest(): void
}

/** During a pause of at most this length, the queue stays in memory. */
const shortRestMs = 2000

/**
 * Returns the most serious failure of a completed request: its reason, and the longest requested pause. Returns
 * undefined if nothing failed. An event that waits alone is no failure, unless the destination keeps an order.
 */
const failureOf = (
  result: DeliverResult,
  events: number,
  { retryAfterCapMs, ordered }: { retryAfterCapMs: number; ordered: boolean },
): { why: string; restMs: number } | undefined => {
  let failure: { why: string; restMs: number } | undefined
  for (let index = 0; index < events; index++) {
    const outcome = outcomeAt(result, index)
    if (outcome.kind !== 'retry' || (outcome.ofEvent === true && !ordered)) continue
    const restMs = Math.min(outcome.retryAfterMs ?? 0, retryAfterCapMs)
    failure = { why: outcome.reason, restMs: Math.max(restMs, failure?.restMs ?? 0) }
  }
  return failure
}

/**
 * Creates a paused breaker. It calls `recovered` when sending resumes after a break. It calls `stopped` when sending
 * stops for longer than a short pause, so that the queue is requeued.
 */
export const createCircuitBreaker = (
  id: string,
  { clock, settings, logger, metrics }: Pick<WorkerContext, 'clock' | 'settings' | 'logger' | 'metrics'>,
  hears: { recovered(): void; stopped(): void },
): CircuitBreaker => {
  let state: WorkerState = 'paused'
  let reason = 'not looked up yet'
  let window = noFailures
  let tripCount = 0
  let restUntil = 0

  const enter = (next: WorkerState, restMs: number): void => {
    const previous = state
    state = next
    logger.info({ destination: id, from: previous, to: next, reason }, 'destination worker changed its state')
    metrics.count('delivery_worker_state_changes', 1, { state: next })
    if (next === 'broken')
      restUntil = clock() + Math.max(restMs, backoffMs({ ...settings.circuit, maxElapsedMs: 0 }, ++tripCount))
    if (next === 'deferred') restUntil = Math.max(restUntil, clock() + restMs)
    if (next === 'flowing') {
      window = noFailures
      tripCount = 0
      reason = ''
      if (previous !== 'deferred') hears.recovered()
      return
    }
    const waitsBriefly = next === 'probing' || (next === 'deferred' && restMs <= shortRestMs)
    if (!waitsBriefly) hears.stopped()
  }

  const note: CircuitBreaker['note'] = (event, why, restMs = 0) => {
    const next = workerTransitions[state][event]
    if (next !== 'flowing' && why !== '') reason = why
    if (next !== state) return enter(next, restMs)
    if (restMs > 0 && (state === 'deferred' || state === 'broken')) restUntil = Math.max(restUntil, clock() + restMs)
  }

  return {
    state: () => state,
    reason: () => reason,
    note,
    record: (result, events, { misconfigured, ordered }) => {
      const failure = failureOf(result, events, { retryAfterCapMs: settings.retryAfterCapMs, ordered })
      window = noteOutcome(window, failure !== undefined, settings.circuit.window)
      if (failure === undefined) return note('succeeded', '')
      const breaks = misconfigured || ordered || trips(window, settings.circuit)
      note(breaks ? 'tripped' : failure.restMs > 0 ? 'asked' : 'failed', failure.why, failure.restMs)
    },
    tick: () => {
      if ((state === 'broken' || state === 'deferred') && clock() >= restUntil) note('rested', '')
    },
    endRest: () => {
      restUntil = 0
    },
  }
}
