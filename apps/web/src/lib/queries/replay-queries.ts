import { methods, type Replay } from '@tributary/contract'
import { destinationIds } from '../format/names.ts'
import { pagesQuery } from './query.ts'

/** Whether a replay's numbers still grow: it runs, or the destination has not answered to all that was sent. */
export const isMoving = (replay: Replay): boolean =>
  replay.state === 'running' || replay.delivered_count + replay.filtered_count + replay.failed_count < replay.sent_count

/** The replays of a destination, newest first, by pages of 20. Looked at often while one of them moves. */
export const replaysQuery = (destination: string) =>
  pagesQuery(
    methods.replays.list,
    { params: destinationIds(destination), query: { page_size: 20 } },
    {
      refetchInterval: ({ state: { data } }) => {
        const replays = data?.pages.flatMap((page) => page.replays) ?? []
        if (replays.some(({ state }) => state === 'running')) return 1500
        // What waits for another try for hours is not worth a second's call.
        return replays.some(isMoving) ? 5000 : 15_000
      },
    },
  )
