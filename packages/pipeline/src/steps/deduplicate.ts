import { hash } from 'node:crypto'
import type { ConsumerJournal, SeenId } from '@tributary/storage'
import { type Drop, drop } from '../outcome.ts'

/** The facts of an event that deduplication needs. */
export type Identified = {
  readonly sourceId: string
  /**
   * The message ID. For a replayed event, the ID of the stored event that it stands for, or a name for the event that
   * was set aside.
   */
  readonly id: string
  /** Whether the event was rejected. A rejected event does not block its corrected successor with the same ID. */
  readonly rejected: boolean
  /** Whether the event is replayed. The IDs of stored events are separate from the IDs that clients choose. */
  readonly replayed: boolean
  readonly partition: number
  readonly offset: number
  readonly index: number
}

/** The message IDs of one consumer: those of the journal, and those that are not in a journaled range yet. */
export type SeenIds = {
  /**
   * Returns undefined for an event with a new ID, which then waits to be journaled; a drop for a known ID. The first
   * log position wins. An event that is read again at its own position is not a duplicate of itself.
   */
  check(event: Identified): Drop | undefined
  /** Takes the waiting IDs, in the order of their events. They count as seen until `flushed` is called. */
  take(): readonly SeenId[]
  /** Drops the taken IDs, after the journal has them. */
  flushed(): void
  /** Removes the IDs of one record from those that wait to be journaled. */
  withdraw(record: { readonly partition: number; readonly offset: number }): void
}

const duplicate = drop('duplicate')
const duplicateRejected = drop('duplicate_rejected')

/** Deduplicates on (source, message ID) by 128 bits of SHA-256, over the journal's window and uncommitted events. */
export const createSeenIds = (journal: Pick<ConsumerJournal, 'firstSeen'>): SeenIds => {
  let keys = new Set<string>()
  /** IDs that are being written to the journal. */
  let taken = new Set<string>()
  let ids: SeenId[] = []
  return {
    check(event) {
      const key = hash(
        'sha256',
        `${event.replayed ? 'replayed' : event.rejected ? 'rejected' : 'accepted'}\n${event.sourceId}\n${event.id}`,
        'binary',
      ).slice(0, 16)
      if (keys.has(key) || (taken.size > 0 && taken.has(key))) return event.rejected ? duplicateRejected : duplicate
      const bytes = Buffer.from(key, 'latin1')
      const first = journal.firstSeen(bytes)
      if (first !== undefined) {
        const itself =
          first.partition === event.partition && first.offset === event.offset && first.index === event.index
        if (!itself) return event.rejected ? duplicateRejected : duplicate
      }
      keys.add(key)
      const { partition, offset, index } = event
      // The event store has the message ID of a replayed event, but not the ID of the stored event.
      if (event.replayed) ids.push({ hash: bytes, partition, offset, index, unstored: true })
      else ids.push({ hash: bytes, partition, offset, index })
      return undefined
    },
    take() {
      const waiting = ids
      if (taken.size === 0) [taken, keys] = [keys, taken]
      else {
        for (const key of keys) taken.add(key)
        keys.clear()
      }
      ids = []
      return waiting
    },
    flushed: () => taken.clear(),
    withdraw({ partition, offset }) {
      ids = ids.filter((id) => id.partition !== partition || id.offset !== offset)
    },
  }
}
