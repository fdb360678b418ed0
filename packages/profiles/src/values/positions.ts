import { type Clock, systemClock } from '@tributary/kernel'
import type { ConsumerJournal, Coordination } from '@tributary/storage'

/** Topic of the positions of profiles: for each partition of the stream, the offset before which profiles have read. */
const topic = 'profiles.positions'

/** How often positions are published if they changed, and the longest time without a message, ms. */
const everyMs = 100
const repeatMs = 1000

/** How long after a message profiles count as silent, and how long after the start if no message came, ms. */
const silentMs = 5000
const startMs = 30_000

export type ProfilePositions = {
  /** The offset of a partition of the stream that profiles read next, by the last message; 0 if there was none. */
  next(partition: number): number
  /** Whether no message has come for some time, so that profiles are down or do not run. */
  isSilent(): boolean
  close(): void
}

/** Publishes how far profiles have read, until the returned function is called. */
export const publishProfilePositions = (
  coordination: Pick<Coordination, 'publish'>,
  journal: Pick<ConsumerJournal, 'positions'>,
): (() => void) => {
  let last = ''
  let unsentMs = repeatMs
  const timer = setInterval(() => {
    const positions = [...journal.positions()]
    const text = JSON.stringify(positions)
    unsentMs += everyMs
    if (text === last && unsentMs < repeatMs) return
    last = text
    unsentMs = 0
    coordination.publish(topic, positions)
  }, everyMs)
  return () => clearInterval(timer)
}

/** Follows how far profiles have read, in any thread. */
export const followProfilePositions = (
  coordination: Pick<Coordination, 'subscribe'>,
  clock: Clock = systemClock,
): ProfilePositions => {
  let positions: ReadonlyMap<number, number> = new Map()
  let silentFrom = clock() + startMs
  const close = coordination.subscribe(topic, (message) => {
    if (!Array.isArray(message)) return
    silentFrom = clock() + silentMs
    positions = new Map(
      message.flatMap((each: unknown) => (Array.isArray(each) ? [[Number(each[0]), Number(each[1])] as const] : [])),
    )
  })
  return { next: (partition) => positions.get(partition) ?? 0, isSilent: () => clock() >= silentFrom, close }
}
