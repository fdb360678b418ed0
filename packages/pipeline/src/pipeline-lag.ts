import type { LogReader } from '@tributary/storage'
import type { StoredPositions } from './stored-positions.ts'

/** Where the log ended a while ago. */
type Seen = { readonly at: number; readonly ends: readonly number[] }

export type PipelineLag = {
  /** Whether requests that were accepted more than `behindMs` ago are not stored yet, as of about a second ago. */
  isBehind(): boolean
  close(): void
}

const everyMs = 1000

/** Watches how far the pipeline is behind what is accepted, in whatever thread or process it runs. */
export const watchPipelineLag = ({
  requests,
  stored,
  behindMs = 3000,
  now = () => performance.now(),
}: {
  requests: Pick<LogReader, 'ends'>
  stored: Pick<StoredPositions, 'isBehind'>
  behindMs?: number
  /** Milliseconds of a clock that never goes back. */
  now?: () => number
}): PipelineLag => {
  let seen: Seen[] = []
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
      const old = seen.findLast(({ at }) => now() - at >= behindMs)
      return old !== undefined && stored.isBehind(old.ends)
    },
    close: () => clearInterval(timer),
  }
}
