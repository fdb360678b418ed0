import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs, type Logger, type Metrics } from '@tributary/kernel'
import type { PipelineSettings } from './settings.ts'

/** Waits `ms`, or less if `signal` aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})

/** Thrown by `retrying` when it was stopped before it succeeded. */
export class Stopped extends Error {
  constructor(cause?: unknown) {
    super('The pipeline was stopped', { cause })
    this.name = 'Stopped'
  }
}

export type RetryingOptions = {
  baseMs: number
  capMs: number
  /** Time in ms after which an error is thrown instead of retried. If absent, retries have no limit. */
  maxElapsedMs?: number
  signal: AbortSignal
  /** Whether a retry may fix the error; other errors are thrown immediately. */
  mayRetry(error: unknown): boolean
  /** Called after each failure with the number of the failed attempt (from 1). */
  onFailure(error: unknown, attempt: number): void
}

/** Calls `task` until it succeeds, with exponential back-off and jitter. Throws Stopped once `signal` aborts. */
export const retrying = async <T>(task: () => Promise<T> | T, options: RetryingOptions): Promise<T> => {
  const { baseMs, capMs, maxElapsedMs = Number.POSITIVE_INFINITY } = options
  const policy = { baseMs, capMs, maxElapsedMs }
  const began = performance.now()
  for (let attempt = 1; ; attempt++) {
    if (options.signal.aborted) throw new Stopped()
    try {
      return await task()
    } catch (error) {
      if (!options.mayRetry(error)) throw error
      if (options.signal.aborted) throw new Stopped(error)
      if (performance.now() - began >= maxElapsedMs) throw error
      options.onFailure(error, attempt)
    }
    await pause(backoffMs(policy, attempt), options.signal)
  }
}

/**
 * Calls `task`, a write of the kind `what`, until it succeeds. With `mayRetry`, throws the errors for which it returns
 * false.
 */
export type RetryWrite = <T>(
  what: string,
  task: () => Promise<T> | T,
  mayRetry?: (error: unknown) => boolean,
) => Promise<T>

/** Retries writes with the settings' back-off, until `signal` aborts. Counts each retry, and logs the first. */
export const createRetryWrite =
  (deps: {
    settings: Pick<PipelineSettings, 'retryBaseMs' | 'retryCapMs'>
    signal: AbortSignal
    logger: Logger
    metrics: Metrics
  }): RetryWrite =>
  (what, task, mayRetry = () => true) =>
    retrying(task, {
      baseMs: deps.settings.retryBaseMs,
      capMs: deps.settings.retryCapMs,
      signal: deps.signal,
      mayRetry,
      onFailure(error, attempt) {
        deps.metrics.count('pipeline_retries', 1, { what })
        if (attempt === 1)
          deps.logger.warn({ err: error, what }, 'a write failed; the pipeline tries again until it succeeds')
      },
    })
