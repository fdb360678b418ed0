import type { Batching } from '@tributary/connector-kit'
import type { WorkerContext } from '../ports.ts'
import type { SpilledRanges } from '../retry/spilled-ranges.ts'
import type { BatchQueue } from './batch-queue.ts'
import { type Lane, shareOf } from './lane.ts'
import type { Ready } from './readiness.ts'
import type { WorkerState } from './worker-state.ts'

/** What is tried again has waited already: it waits for its like this long, ms. */
const retriedWaitMs = 1000

export type Collecting = {
  /** True when batches wait so long that they do so in the log, as a range, and neither in memory nor in the way of others. */
  active(): boolean
  /** True when what is held is to be read. */
  due(): boolean
  /** How the queue is to batch now. */
  batching(ready: Ready): Batching
  /** Most events and bytes in the queue. */
  bounds(): { events: number; bytes: number }
}

/**
 * When a worker reads what it holds. One with quick batches always does. One whose batches wait for minutes (objects of a
 * storage) holds everything by reference and reads when there is enough for a whole batch, or when the first of it has
 * waited long enough: then all that is held by then leaves.
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
  /** What came up to this time leaves without waiting for more. */
  let flushUntil: number | undefined

  const active = (): boolean => (ready()?.batching.maxWaitMs ?? 0) > settings.collectMs

  /** True while something of what is to leave is unread. */
  const flushing = (): boolean => {
    const next = spilled.next()
    return flushUntil !== undefined && next !== undefined && next.firstTime <= flushUntil
  }

  /** True when a whole batch waits, in the queue or unread. */
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
      // Without memory for more, what is here leaves as it is.
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
        // What is read beyond a batch would leave as a small one of its own.
        events: active() ? maxEvents : Math.max(queueEvents, 2 * maxEvents),
        bytes: Math.max(queueBytes, Math.min(maxBytes, totalBytes / 4)),
      }
    },
  }
}
