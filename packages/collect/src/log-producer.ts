import type { RequestMeta } from '@tributary/contract'
import { faultPoint, type Logger } from '@tributary/kernel'
import { cutRequest, LogOverloaded, type RequestPart } from '@tributary/storage'
import type { Admission } from './admission.ts'
import { createPauses, type Pauses } from './pauses.ts'
import type { CollectDeps, WriteKeyEntry } from './ports.ts'
import type { Quota } from './quota.ts'
import type { Refusal } from './refusal.ts'

/** A checked request to append to the log. */
type Accepted = { entry: WriteKeyEntry; meta: RequestMeta; body: Buffer }
type Done = (refusal?: Refusal) => void

export type LogProducer = {
  /**
   * Appends a request to the log and calls `done` once: without an argument when the whole request is on disk,
   * otherwise with a refusal. After a refusal, the producer keeps nothing of the request. A request of a workspace that
   * is spread over several partitions is split; after a refusal, a part of it may still be on disk. The generator
   * yields while a large body is split, so that other work can run.
   */
  append(accepted: Accepted, done: Done): Generator<void, void>
  /** Does the same as `append` in one step, without yielding to other work. */
  appendNow(accepted: Accepted, done: Done): void
  /** Resolves when no append is in flight. */
  idle(): Promise<void>
  /** See `Pauses`. */
  paused: Pauses['paused']
  /** Rejects the requests that wait for the end of a change of their workspace's spread. */
  close(): void
}

const observeEvery = 32

type Part = Omit<RequestPart, 'partition'> & { partition?: number }

/**
 * Calls `done`, and only logs its errors: the outcome of the record is already decided, and only the response is
 * lost.
 */
const settle = (logger: Logger, done: Done, refusal?: Refusal): void => {
  try {
    done(refusal)
  } catch (error) {
    logger.error({ err: error }, 'answer to a collection request failed')
  }
}

/** Runs an append to its end without yielding to other work. */
const drain = (appending: Generator<void, void>): void => {
  while (appending.next().done !== true) {}
}

/** Creates the producer that appends requests to the log, within the quota of each workspace. */
export const createLogProducer = (
  deps: Pick<CollectDeps, 'log' | 'logger' | 'metrics' | 'clock' | 'spreads'>,
  quota: Quota,
  retryLater: Record<'overloaded' | 'unavailable' | 'quota' | 'moving' | 'slowed', Refusal>,
  admission: Admission,
): LogProducer => {
  const { log, logger, metrics, clock, spreads } = deps
  const pauses = createPauses(spreads, () => log.isUnsure?.() === true)
  let appended = 0
  let lastComplaint = 0

  const failed = (error: unknown): Refusal => {
    if (error instanceof LogOverloaded) return retryLater.overloaded
    const now = clock()
    if (now - lastComplaint > 1000) {
      lastComplaint = now
      logger.error({ err: error }, 'log cannot be written; collection answers 503')
    }
    return retryLater.unavailable
  }
  /** Appends the part for one partition, or the whole request if it was not split. */
  const put = (workspaceId: string, { meta, body, partition }: Part, done: Done): void => {
    const finished = pauses.begin()
    const from = ++appended % observeEvery === 0 ? performance.now() : 0
    log.append({ key: workspaceId, partition, meta: JSON.stringify(meta), body }).then(
      (place) => {
        quota.placed(workspaceId, body.length, place)
        if (from !== 0) metrics.observe('collect_append', performance.now() - from)
        faultPoint('collect.appended')
        finished()
        settle(logger, done)
      },
      (error: unknown) => {
        quota.release(workspaceId, body.length)
        finished(!(error instanceof LogOverloaded))
        settle(logger, done, failed(error))
      },
    )
  }

  const putAll = (workspaceId: string, parts: readonly RequestPart[], done: Done): void => {
    let open = parts.length
    let refused: Refusal | undefined
    for (const part of parts)
      put(workspaceId, part, (refusal) => {
        refused ??= refusal
        // Success means that all parts are in the log. After a refusal, some parts may be in the log. If the client
        // repeats the request, their events are discarded by their message IDs.
        if (--open === 0) done(refused)
      })
  }

  /** Appends a request now or after its wait, if acceptance is slowed. */
  function* admit(accepted: Accepted, done: Done): Generator<void, void> {
    const { workspaceId } = accepted.entry
    const { length } = accepted.body
    if (admission.admits(workspaceId, length)) return yield* append(accepted, done)
    const goOn = () => append(accepted, done)
    admission.wait(workspaceId, length, { goOn, sendAway: () => settle(logger, done, retryLater.slowed) })
  }

  function* append(accepted: Accepted, done: Done, hasWaited = false): Generator<void, void> {
    const { workspaceId } = accepted.entry
    if (pauses.isPaused(workspaceId) || (!hasWaited && pauses.isAwaited(workspaceId))) {
      const goOn = () => append(accepted, done, true)
      const sendAway = () => settle(logger, done, retryLater.moving)
      return pauses.wait(workspaceId, { bytes: accepted.body.length, goOn, sendAway }, hasWaited)
    }
    const spread = spreads?.of(workspaceId)
    if (spread === undefined) {
      if (!quota.reserve(workspaceId, accepted.body.length)) return done(retryLater.quota)
      return put(workspaceId, accepted, done)
    }
    const parts = yield* cutRequest(accepted.meta, accepted.body, spread.partitions)
    // The spread may have changed while other work ran during the split.
    if (spreads?.of(workspaceId) !== spread) return yield* append(accepted, done, hasWaited)
    const bytes = parts.reduce((sum, { body }) => sum + body.length, 0)
    if (!quota.reserve(workspaceId, bytes)) return done(retryLater.quota)
    putAll(workspaceId, parts, done)
  }

  return {
    append: admit,
    appendNow: (accepted, done) => drain(admit(accepted, done)),
    idle: pauses.idle,
    paused: pauses.paused,
    close() {
      admission.close()
      pauses.close()
    },
  }
}
