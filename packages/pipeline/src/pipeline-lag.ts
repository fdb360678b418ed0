import type { Coordination, LogReader } from '@tributary/storage'
import { defaultPipelineSettings } from './settings.ts'
import type { StoredPositions } from './stored-positions.ts'

/**
 * The topic on which the pipeline publishes the approximate number of bytes of accepted bodies that are not stored yet.
 */
export const backlogTopic = 'pipeline.backlog'

/** The ends of the log, as they were at the time `at`. */
type Seen = { readonly at: number; readonly ends: readonly number[] }

export type PipelineLag = {
  /**
   * Whether requests accepted more than `behindMs` ago are not stored yet, or more bytes wait than fit into one insert.
   * The result is about a second old.
   */
  isBehind(): boolean
  close(): void
}

const everyMs = 1000
/** With more than one insert waiting, the store has continuous work. */
const maxBytes = defaultPipelineSettings.flushBytes

/** Watches how far the pipeline is behind the accepted requests, in any thread or process. */
export const watchPipelineLag = ({
  requests,
  stored,
  coordination,
  behindMs = 3000,
  now = () => performance.now(),
}: {
  requests: Pick<LogReader, 'ends'>
  stored: Pick<StoredPositions, 'isBehind'>
  coordination: Pick<Coordination, 'subscribe'>
  behindMs?: number
  /** A monotonic clock, ms. */
  now?: () => number
}): PipelineLag => {
  let seen: Seen[] = []
  let backlog = { bytes: 0, at: 0 }
  const unsubscribe = coordination.subscribe(backlogTopic, (bytes) => {
    backlog = { bytes: Number(bytes), at: now() }
  })
  const look = async (): Promise<void> => {
    const ends = await requests.ends()
    const at = now()
    // Keeps the newest ends that are old enough to be compared, and all later ones.
    const old = seen.findLastIndex((each) => at - each.at >= behindMs)
    seen = [...seen.slice(Math.max(old, 0)), { at, ends }]
  }
  // If the log cannot be read, the last ends stay in use.
  const timer = setInterval(() => void look().catch(() => {}), everyMs)
  timer.unref()
  return {
    isBehind() {
      // Without a recent report of the pipeline, only the position in the log counts.
      if (backlog.bytes > maxBytes && now() - backlog.at < behindMs) return true
      const old = seen.findLast(({ at }) => now() - at >= behindMs)
      return old !== undefined && stored.isBehind(old.ends)
    },
    close() {
      clearInterval(timer)
      unsubscribe()
    },
  }
}
