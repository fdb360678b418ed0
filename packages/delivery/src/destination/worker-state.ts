/**
 * States of a destination's worker.
 * - `flowing`: events go out;
 * - `broken`: too many failures, nothing is sent until a rest is over;
 * - `probing`: one request at a time finds out whether it works again;
 * - `deferred`: the destination asked for a pause;
 * - `paused`: disabled, not known yet, or not usable as set up;
 * - `gone`: deleted.
 */
export const workerStates = ['flowing', 'broken', 'probing', 'deferred', 'paused', 'gone'] as const
export type WorkerState = (typeof workerStates)[number]

/**
 * Events of a worker's state.
 * - `failed`: a failure worth another try;
 * - `tripped`: the failure that breaks the circuit;
 * - `asked`: a failure with a Retry-After;
 * - `rested`: the time of rest is over;
 * - `halted` and `usable`: from the configuration;
 * - `removed`: deleted.
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

/** Every state answers every event; staying put is written out. Late answers of earlier requests end no rest. */
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

/** Whether another request may start with `inFlight` running. */
export const mayStart = (state: WorkerState, inFlight: number, concurrency: number): boolean => {
  if (state === 'flowing') return inFlight < concurrency
  return state === 'probing' && inFlight === 0
}

/**
 * Facts that decide whether the circuit breaks: failures in a row, and the last outcomes (true = failed), newest last.
 */
export type FailureWindow = { readonly inARow: number; readonly recent: readonly boolean[] }

export const noFailures: FailureWindow = { inARow: 0, recent: [] }

/** The window with one more outcome. */
export const noteOutcome = (window: FailureWindow, failed: boolean, size: number): FailureWindow => {
  // The common case of a healthy destination costs no allocation.
  if (!failed && window.recent.length === 0) return window
  const recent = [...window.recent, failed].slice(-size)
  return recent.includes(true) ? { inARow: failed ? window.inARow + 1 : 0, recent } : noFailures
}

/** True when the window's failures break the circuit. */
export const trips = (
  window: FailureWindow,
  rules: { consecutive: number; window: number; ratio: number },
): boolean => {
  if (window.inARow >= rules.consecutive) return true
  const failures = window.recent.filter(Boolean).length
  return window.recent.length >= rules.window && failures >= rules.ratio * rules.window
}
