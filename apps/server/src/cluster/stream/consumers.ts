import type { LogPosition } from '@tributary/storage'
import { askPositions, type PositionsRole } from '../../operations/retention.ts'
import type { RoleThread } from '../../threads/role-thread.ts'

/**
 * The treatment of a consumer that falls behind by more than the stream may hold. For a consumer that `holds`, the
 * stream grows beyond its limit. A consumer that `catches-up` loses its position and reads what it missed from the
 * event store.
 */
export type WhenBehind = 'holds' | 'catches-up'

/** A consumer of the stream, for trimming. Only registered consumers keep records in the stream. */
export type StreamConsumer = {
  /** Name of the consumer's journal, also used in its metrics and in messages about it. */
  name: string
  whenBehind: WhenBehind
  /**
   * Returns the lowest offset of each partition that the consumer may still read. A partition that is not named is
   * needed from its start. Rejects while the offsets are unknown.
   */
  needed(): Promise<readonly LogPosition[]>
  /** Notifies the consumer of new records. */
  wake(): void
}

/**
 * Minimum time between two wakes of a consumer that may catch up later, ms. Each wake costs as much as several events.
 */
const wakeMs = 20

/** Returns a function that calls `wake` at once, and then at most once in `ms`. No call is lost. */
export const pacedWake = (wake: () => void, ms: number): (() => void) => {
  let isAgain = false
  let timer: NodeJS.Timeout | undefined
  const go = (): void => {
    isAgain = false
    wake()
    timer = setTimeout(() => {
      timer = undefined
      if (isAgain) go()
    }, ms)
    timer.unref()
  }
  return () => {
    if (timer === undefined) go()
    else isAgain = true
  }
}

/** Creates a consumer that runs in its own thread, which responds to the message `needed`. */
export const threadConsumer = (
  name: string,
  whenBehind: WhenBehind,
  thread: (PositionsRole<'needed'> & Pick<RoleThread, 'wake'>) | undefined,
): StreamConsumer => ({
  name,
  whenBehind,
  // If the role runs in another process or not at all, its needs are unknown. It then counts as needing everything.
  needed: () => askPositions(thread, 'needed'),
  wake: whenBehind === 'holds' ? () => thread?.wake() : pacedWake(() => thread?.wake(), wakeMs),
})
