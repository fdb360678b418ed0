import type { Coordination, LogReader } from '@tributary/storage'
import { defaultPipelineSettings } from './settings.ts'
import type { StoredPositions } from './stored-positions.ts'

/** Topic on which the pipeline tells about how many bytes of accepted bodies are not stored yet. */
export const backlogTopic = 'pipeline.backlog'

/** Where the log ended a while ago. */
type Seen = { readonly at: number; readonly ends: readonly number[] }

export type PipelineLag = {
  /**
   * Whether requests that were accepted more than `behindMs` ago are not stored yet, or more wait than goes into an insert, as of
   * about a second ago.
   */
  isBehind(): boolean
  close(): void
}

const everyMs = 1000
/** More than an insert takes: storing has work without a pause. */
const mostBytes = defaultPipelineSettings.flushBytes

/** Watches how far the pipeline is behind what is accepted, in whatever thread or process it runs. */
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
    // The newest that is old enough, and those that will be.
    const old = seen.findLastIndex((each) => at - each.at >= behindMs)
    seen = [...seen.slice(Math.max(old, 0)), { at, ends }]
  }
  // A log that cannot be read now says nothing new.
  const timer = setInterval(() => void look().catch(() => {}), everyMs)
  timer.unref()
  return {
    isBehind() {
      // Of a pipeline that says nothing any more the place in the log alone counts.
      if (backlog.bytes > mostBytes && now() - backlog.at < behindMs) return true
      const old = seen.findLast(({ at }) => now() - at >= behindMs)
      return old !== undefined && stored.isBehind(old.ends)
    },
    close() {
      clearInterval(timer)
      unsubscribe()
    },
  }
}
