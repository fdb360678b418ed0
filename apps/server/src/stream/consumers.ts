import type { LogPosition } from '@tributary/storage'
import { askPositions } from '../operations/retention.ts'
import type { RoleThread } from '../roles/role-thread.ts'

/**
 * What happens to a consumer that falls behind by more than the stream may hold. One that holds is never left behind: the
 * stream grows beyond its limit. One that catches up loses its place and reads what it missed from the event store.
 */
export type WhenBehind = 'holds' | 'catches-up'

/** A consumer of the stream as trimming sees it. Only those that are registered hold anything. */
export type StreamConsumer = {
  /** Names its journal, its metrics and what is said of it. */
  name: string
  whenBehind: WhenBehind
  /**
   * The lowest offset of each partition that it has still to read or may read again; a partition that is not named is
   * needed from its start. Rejects while that cannot be told.
   */
  needed(): Promise<readonly LogPosition[]>
  /** Tells it that there is something new. */
  wake(): void
}

/** A consumer that runs in a thread of its own, which answers the question `needed`. */
export const threadConsumer = (
  name: string,
  whenBehind: WhenBehind,
  thread: Pick<RoleThread, 'ask' | 'wake'> | undefined,
): StreamConsumer => ({
  name,
  whenBehind,
  // Where its role runs elsewhere or not at all, nobody knows what it needs: it is needed all the same.
  needed: () => askPositions(thread, 'needed'),
  wake: () => thread?.wake(),
})
