import type { RequestMeta } from '@tributary/contract'
import { faultPoint } from '@tributary/kernel'
import { LogOverloaded } from '@tributary/storage'
import type { CollectDeps, WriteKeyEntry } from './ports.ts'
import type { Quota } from './quota.ts'
import type { Refusal } from './refusal.ts'

/** One checked request on its way into the log. */
type Accepted = { entry: WriteKeyEntry; meta: RequestMeta; body: Buffer }

export type LogProducer = {
  /**
   * Appends a request to the log and calls `done` once: with nothing when it is on disk, else with why it is not. Then
   * nothing of it is kept.
   */
  append(accepted: Accepted, done: (refusal?: Refusal) => void): void
  /** Resolves when nothing is on its way to the disk. */
  idle(): Promise<void>
}

const observeEvery = 32

/** The way into the log, within each workspace's quota. */
export const createLogProducer = (
  deps: Pick<CollectDeps, 'log' | 'logger' | 'metrics' | 'clock'>,
  quota: Quota,
  retryLater: Record<'overloaded' | 'unavailable' | 'quota', Refusal>,
): LogProducer => {
  const { log, logger, metrics, clock } = deps
  let running = 0
  let appended = 0
  let lastComplaint = 0
  let waiters: (() => void)[] = []

  const finished = (): void => {
    if (--running > 0) return
    for (const waiter of waiters) waiter()
    waiters = []
  }
  const failed = (error: unknown): Refusal => {
    if (error instanceof LogOverloaded) return retryLater.overloaded
    const now = clock()
    if (now - lastComplaint > 1000) {
      lastComplaint = now
      logger.error({ err: error }, 'The log cannot be written; collection answers 503')
    }
    return retryLater.unavailable
  }
  /** Nothing above catches what is thrown here: by now the outcome for the record is decided, only its answer is lost. */
  const settle = (done: (refusal?: Refusal) => void, refusal?: Refusal): void => {
    try {
      done(refusal)
    } catch (error) {
      logger.error({ err: error }, 'An answer of collection failed')
    }
  }
  return {
    append({ entry, meta, body }, done) {
      if (!quota.reserve(entry.workspaceId, body.length)) return done(retryLater.quota)
      running++
      const from = ++appended % observeEvery === 0 ? performance.now() : 0
      log.append({ key: entry.workspaceId, meta: JSON.stringify(meta), body }).then(
        (place) => {
          quota.placed(entry.workspaceId, body.length, place)
          if (from !== 0) metrics.observe('collect_append', performance.now() - from)
          faultPoint('collect.appended')
          finished()
          settle(done)
        },
        (error: unknown) => {
          quota.release(entry.workspaceId, body.length)
          finished()
          settle(done, failed(error))
        },
      )
    },
    idle() {
      return running === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))
    },
  }
}
