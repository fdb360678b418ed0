import type { Coordination, LogReader } from '@tributary/storage'
import { defaultPipelineSettings } from './settings.ts'
import type { StoredPositions } from './stored-positions.ts'

/** Topic on which the pipeline publishes about how many bytes of accepted bodies are not stored yet. */
export const backlogTopic = 'pipeline.backlog'

/** The ends of the log at an earlier time. */
type Seen = { readonly at: number; readonly ends: readonly number[] }

export type PipelineLag = {
  /**
   * Whether requests that were accepted more than `behindMs` ago are not stored yet, or more wait than goes into an
   * insert, as of about a second ago.
   */
  isBehind(): boolean
  close(): void
}

const everyMs = 1000
/** More than one insert takes: storing has work without a pause. */
const maxBytes = defaultPipelineSettings.flushBytes

/** Watches how far the pipeline is behind the accepted requests, in whatever thread or process it runs. */
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
  /** Milliseconds of a clock that never goes back. */
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
    // The newest look that is old enough, and later ones.
    const old = seen.findLastIndex((each) => at - each.at >= behindMs)
    seen = [...seen.slice(Math.max(old, 0)), { at, ends }]
  }
  // A log that cannot be read leaves the last look.
  const timer = setInterval(() => void look().catch(() => {}), everyMs)
  timer.unref()
  return {
    isBehind() {
      // Without recent reports of the pipeline, only the position in the log counts.
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
