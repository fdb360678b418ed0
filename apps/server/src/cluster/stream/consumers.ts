import type { LogPosition } from '@tributary/storage'
import { askPositions, type PositionsRole } from '../../operations/retention.ts'
import type { RoleThread } from '../../threads/role-thread.ts'

/**
 * Treatment of a consumer that falls behind by more than the stream may hold. One that holds is never left behind: the
 * stream grows beyond its limit. One that catches up loses its place and reads what it missed from the event store.
 */
export type WhenBehind = 'holds' | 'catches-up'

/** A consumer of the stream as trimming uses it. Only registered consumers hold anything. */
export type StreamConsumer = {
  /** Name of its journal, in its metrics and in messages about it. */
  name: string
  whenBehind: WhenBehind
  /**
   * Returns the lowest offset of each partition that it has still to read or may read again; a partition that is not
   * named is needed from its start. Rejects while that is unknown.
   */
  needed(): Promise<readonly LogPosition[]>
  /** Notifies it that there is something new. */
  wake(): void
}

/** Creates a consumer that runs in its own thread, which answers the message `needed`. */
export const threadConsumer = (
  name: string,
  whenBehind: WhenBehind,
  thread: (PositionsRole<'needed'> & Pick<RoleThread, 'wake'>) | undefined,
): StreamConsumer => ({
  name,
  whenBehind,
  // Where its role runs elsewhere or not at all, its needs are unknown, and it counts as needing everything.
  needed: () => askPositions(thread, 'needed'),
  wake: () => thread?.wake(),
})
