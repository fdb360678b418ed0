import { methods, type Replay } from '@tributary/contract'
import { destinationIds } from '../format/names.ts'
import { pagesQuery } from './query.ts'

/** Whether the numbers of a replay can still grow: it is running, or some of its sent events have no outcome yet. */
export const isMoving = (replay: Replay): boolean =>
  replay.state === 'running' || replay.delivered_count + replay.filtered_count + replay.failed_count < replay.sent_count

/** Reads the replays of a destination, newest first, by pages of 20. Reads them often while one of them changes. */
export const replaysQuery = (destination: string) =>
  pagesQuery(
    methods.replays.list,
    { params: destinationIds(destination), query: { page_size: 20 } },
    {
      refetchInterval: ({ state: { data } }) => {
        const replays = data?.pages.flatMap((page) => page.replays) ?? []
        if (replays.some(({ state }) => state === 'running')) return 1500
        // A replay that waits for retries can take hours, so it needs no read every second.
        return replays.some(isMoving) ? 5000 : 15_000
      },
    },
  )
