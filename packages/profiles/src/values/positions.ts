import { type Clock, systemClock } from '@tributary/kernel'
import { type ConsumerJournal, type Coordination, isCatchingUp } from '@tributary/storage'

/**
 * Topic of the positions of profiles: for a partition of the stream, the offset before which profiles have read. It is 0 while
 * profiles read earlier events of the partition from the event store.
 */
const topic = 'profiles.positions'

/** How often changed positions are published, and how often all positions are, ms. */
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
  journal: Pick<ConsumerJournal, 'positions' | 'notes'>,
): (() => void) => {
  let last: ReadonlyMap<number, number> = new Map()
  let unsentMs = repeatMs
  const timer = setInterval(() => {
    const notes = journal.notes()
    const now = new Map(
      [...journal.positions()].map(([partition, next]) => [partition, isCatchingUp(notes.get(partition)) ? 0 : next]),
    )
    unsentMs += everyMs
    const isWhole = unsentMs >= repeatMs
    const positions = [...now].filter(([partition, next]) => isWhole || last.get(partition) !== next)
    if (positions.length === 0 && !isWhole) return
    last = now
    if (isWhole) unsentMs = 0
    coordination.publish(topic, positions)
  }, everyMs)
  return () => clearInterval(timer)
}

/** Follows how far profiles have read, in any thread. */
export const followProfilePositions = (
  coordination: Pick<Coordination, 'subscribe'>,
  clock: Clock = systemClock,
): ProfilePositions => {
  const positions = new Map<number, number>()
  let silentFrom = clock() + startMs
  const close = coordination.subscribe(topic, (message) => {
    if (!Array.isArray(message)) return
    silentFrom = clock() + silentMs
    for (const each of message as unknown[]) if (Array.isArray(each)) positions.set(Number(each[0]), Number(each[1]))
  })
  return { next: (partition) => positions.get(partition) ?? 0, isSilent: () => clock() >= silentFrom, close }
}
