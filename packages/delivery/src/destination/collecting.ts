import type { Batching } from '@tributary/connector-kit'
import { type Lane, shareOf } from '../log/record.ts'
import type { SpilledRanges } from '../parking/spilled-ranges.ts'
import type { BatchQueue } from './batch-queue.ts'
import type { WorkerState } from './circuit-breaker.ts'
import type { Ready } from './readiness.ts'
import type { WorkerContext } from './worker-context.ts'

/** Retried events have already waited once, so they wait for a batch only this long, ms. */
const retriedWaitMs = 1000

export type Collecting = {
  /** Whether batches wait so long that their events are held as a range of the log, not in memory. */
  active(): boolean
  /** Whether held records should be read now. */
  due(): boolean
  /** Returns the batching that applies to the queue now. */
  batching(ready: Ready): Batching
  /** Returns the maximum number of events and bytes in the queue. */
  bounds(): { events: number; bytes: number }
}

/**
 * Decides when a worker reads its held records. A worker whose batches fill quickly always reads. A worker whose
 * batches wait for minutes (objects of a storage) holds everything by reference. It reads when there is enough for a
 * whole batch, or when the first record has waited long enough. Then everything held at that moment is sent.
 */
export const createCollecting = (deps: {
  context: Pick<WorkerContext, 'clock' | 'settings' | 'queued'>
  lane: Lane
  spilled: SpilledRanges
  queue: BatchQueue
  ready: () => Ready | undefined
  state: () => WorkerState
}): Collecting => {
  const { spilled, queue, ready, state } = deps
  const { clock, settings, queued } = deps.context
  /** Records up to this time are sent now, and wait for no more records. */
  let flushUntil: number | undefined

  const active = (): boolean => (ready()?.batching.maxWaitMs ?? 0) > settings.collectMs

  /** Whether some of the records that should be sent are not read yet. */
  const flushing = (): boolean => {
    const next = spilled.next()
    return flushUntil !== undefined && next !== undefined && next.firstTime <= flushUntil
  }

  /** Whether the waiting events suffice for a whole batch, queued and unread events together. */
  const enough = ({ maxEvents, maxBytes }: Batching): boolean => {
    let [events, bytes] = [queue.length(), queue.bytes()]
    for (const range of spilled.all()) {
      events += range.unreadEvents
      bytes += range.unreadBytes
    }
    return events >= maxEvents || bytes >= maxBytes
  }

  return {
    active,
    due: () => {
      const batching = ready()?.batching
      if (batching === undefined || !active() || state() === 'probing' || flushing()) return true
      if (queue.length() === 0) flushUntil = undefined
      const next = spilled.next()
      if (next === undefined) return false
      const now = clock()
      if (now - next.firstTime >= batching.maxWaitMs) flushUntil = now
      return flushUntil === now || enough(batching)
    },
    batching: ({ batching }) => {
      if (!active()) return batching
      // If memory does not allow more events, the queue is sent as it is.
      const complete = flushUntil !== undefined && !flushing()
      if (state() === 'probing' || complete || queued.bytes >= settings.totalBytes * shareOf[deps.lane])
        return { ...batching, maxWaitMs: 0 }
      const retried = queue.oldest()?.inFlight.row !== undefined
      return retried ? { ...batching, maxWaitMs: Math.min(batching.maxWaitMs, retriedWaitMs) } : batching
    },
    bounds: () => {
      const { queueEvents, queueBytes, totalBytes } = settings
      const batching = ready()?.batching
      if (batching === undefined || batching.maxEvents <= 1) return { events: queueEvents, bytes: queueBytes }
      const { maxEvents, maxBytes } = batching
      return {
        // If more events were read than a batch takes, the rest would be sent as a small batch of its own.
        events: active() ? maxEvents : Math.max(queueEvents, 2 * maxEvents),
        bytes: Math.max(queueBytes, Math.min(maxBytes, totalBytes / 4)),
      }
    },
  }
}
