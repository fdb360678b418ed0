import { type Clock, newId, systemClock } from '@tributary/kernel'
import { type ConsumerJournal, type Coordination, isCatchingUp } from '@tributary/storage'
import type { ChangedProfiles, ProfileChanges } from './changes.ts'

/**
 * Topic of the positions of profiles: for a partition of the stream, the offset before which profiles have read. It is 0 while
 * profiles read earlier events of the partition from the event store. The profiles that changed since the message before
 * follow the positions.
 */
const topic = 'profiles.positions'

/** How often changed positions are published, and how often all positions are, ms. */
const everyMs = 100
const repeatMs = 1000

/** How long after a message profiles count as silent, and how long after the start if no message came, ms. */
const silentMs = 5000
const startMs = 30_000

/**
 * How long all profiles count as changed after the start of a publisher, ms. The process before it may have committed
 * changes last that it did not publish.
 */
const defaultBeginningMs = 10_000

/** The end of a message. Numbers without a gap show that no message of the publisher was lost. */
type Tail = { readonly from: string; readonly number: number; readonly changed: ChangedProfiles }

const tailOf = (message: readonly unknown[]): Tail | undefined => {
  const last = message.at(-1)
  if (typeof last !== 'object' || last === null || !('changed' in last)) return undefined
  return last as Tail
}

export type ProfilePositions = {
  /** The offset of a partition of the stream that profiles read next, by the last message; 0 if there was none. */
  next(partition: number): number
  /** Whether no message has come for some time, so that profiles are down or do not run. */
  isSilent(): boolean
  /**
   * The time (epoch ms) of the last message, before which all changes of profiles are known. It is 0 after a lost
   * message and after another publisher, until the next message.
   */
  knownAt(): number
  /**
   * Calls the listener with the changed profiles of each message, before `next` returns its positions. They are `all`
   * after a lost message.
   */
  onChanged(listener: (changed: ChangedProfiles) => void): void
  close(): void
}

/**
 * Publishes how far profiles have read and which ones changed, until the returned function is called. A position is
 * never published before the changes of the events before it.
 */
export const publishProfilePositions = (
  coordination: Pick<Coordination, 'publish'>,
  journal: Pick<ConsumerJournal, 'positions' | 'notes'>,
  changes: Pick<ProfileChanges, 'take'>,
  beginningMs = defaultBeginningMs,
): (() => void) => {
  const from = newId()
  let number = 0
  let last: ReadonlyMap<number, number> = new Map()
  let unsentMs = repeatMs
  let ageMs = 0
  const timer = setInterval(() => {
    const notes = journal.notes()
    const now = new Map(
      [...journal.positions()].map(([partition, next]) => [partition, isCatchingUp(notes.get(partition)) ? 0 : next]),
    )
    unsentMs += everyMs
    ageMs += everyMs
    const isWhole = unsentMs >= repeatMs
    const positions = [...now].filter(([partition, next]) => isWhole || last.get(partition) !== next)
    const changed = changes.take()
    if (positions.length === 0 && changed.length === 0 && !isWhole) return
    last = now
    if (isWhole) unsentMs = 0
    const tail: Tail = { from, number: number++, changed: ageMs <= beginningMs ? 'all' : changed }
    coordination.publish(topic, [...positions, tail])
  }, everyMs)
  return () => clearInterval(timer)
}

/** Follows how far profiles have read and which ones changed, in any thread. */
export const followProfilePositions = (
  coordination: Pick<Coordination, 'subscribe'>,
  clock: Clock = systemClock,
): ProfilePositions => {
  const positions = new Map<number, number>()
  const listeners: ((changed: ChangedProfiles) => void)[] = []
  let silentFrom = clock() + startMs
  let before: Tail | undefined
  let knownAt = 0

  const noteChanges = (tail: Tail | undefined): void => {
    const isNext = tail !== undefined && tail.from === before?.from && tail.number === before.number + 1
    before = tail
    // A publisher of an earlier version names no changes.
    knownAt = isNext ? clock() : 0
    const changed = isNext ? tail.changed : 'all'
    if (changed.length > 0) for (const listener of listeners) listener(changed)
  }

  const close = coordination.subscribe(topic, (message) => {
    if (!Array.isArray(message)) return
    silentFrom = clock() + silentMs
    noteChanges(tailOf(message))
    for (const each of message as unknown[]) if (Array.isArray(each)) positions.set(Number(each[0]), Number(each[1]))
  })
  return {
    next: (partition) => positions.get(partition) ?? 0,
    isSilent: () => clock() >= silentFrom,
    knownAt: () => knownAt,
    onChanged: (listener) => void listeners.push(listener),
    close,
  }
}
