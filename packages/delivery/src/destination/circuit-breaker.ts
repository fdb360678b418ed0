import type { DeliverResult } from '@tributary/connector-kit'
import { backoffMs } from '@tributary/kernel'
import { outcomeAt } from '../parking/retry-rules.ts'
import type { WorkerContext } from './worker-context.ts'
import {
  noFailures,
  noteOutcome,
  trips,
  type WorkerEvent,
  type WorkerState,
  workerTransitions,
} from './worker-state.ts'

/** Decides whether a worker sends: it breaks after failures, rests, probes, and sends again. */
export type CircuitBreaker = {
  state(): WorkerState
  /** Why it is not flowing; empty when it is. */
  reason(): string
  /** Applies an event; `restMs` is the pause that the destination asked for. */
  note(event: WorkerEvent, why: string, restMs?: number): void
  /**
   * Counts an answered request with its number of events. A request with wrong settings breaks the circuit immediately,
   * and so does any failure of a destination in order.
   */
  record(result: DeliverResult, events: number, facts: { misconfigured: boolean; ordered: boolean }): void
  /** Ends a rest whose time is over. */
  tick(): void
  /** Ends a rest at the next tick, whatever its time. */
  endRest(): void
}

/** The queue stays in memory during a pause up to this long. */
const shortRestMs = 2000

/**
 * The worst failure of an answered request: the reason, and the longest pause asked for; undefined without a failure.
 */
const failureOf = (
  result: DeliverResult,
  events: number,
  retryAfterCapMs: number,
): { why: string; restMs: number } | undefined => {
  let failure: { why: string; restMs: number } | undefined
  for (let index = 0; index < events; index++) {
    const outcome = outcomeAt(result, index)
    if (outcome.kind !== 'retry') continue
    const restMs = Math.min(outcome.retryAfterMs ?? 0, retryAfterCapMs)
    failure = { why: outcome.reason, restMs: Math.max(restMs, failure?.restMs ?? 0) }
  }
  return failure
}

/**
 * Creates a paused breaker. It calls `recovered` when it sends again after a break. It calls `stopped` when nothing is
 * sent for longer than a moment, so that the queue is requeued.
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
      const failure = failureOf(result, events, settings.retryAfterCapMs)
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
