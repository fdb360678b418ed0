import { hash } from 'node:crypto'
import type { ConsumerJournal, SeenId } from '@tributary/storage'
import { type Drop, drop } from '../outcome.ts'

/** What deduplication needs to know of an event. */
export type Identified = {
  readonly sourceId: string
  /** Its message id; of an event that is sent again the id of the stored event it stands for, or a name for what it was when it was set aside. */
  readonly id: string
  /** A rejected event does not take the id away from its corrected successor. */
  readonly rejected: boolean
  /** Sent again: the ids of stored events are apart from those that clients choose. */
  readonly replayed: boolean
  readonly partition: number
  readonly offset: number
  readonly index: number
}

/** The ids of one consumer: those of the journal and those that no range of the journal carries yet. */
export type SeenIds = {
  /**
   * Undefined for an event whose id was not seen before, whose id then waits; a drop for any other. The first
   * log position wins; an event read again at its own position is no duplicate of itself.
   */
  check(event: Identified): Drop | undefined
  /** Takes the ids that wait, in the order of their events. They are still known, until `flushed`. */
  take(): readonly SeenId[]
  /** Forgets what was taken, after the journal has it. */
  flushed(): void
  /** Takes the ids of one record out of those that wait. */
  withdraw(record: { readonly partition: number; readonly offset: number }): void
}

const duplicate = drop('duplicate')
const duplicateRejected = drop('duplicate_rejected')

/** Deduplicates on (source, message id) by 128 bits of SHA-256, over the journal's window and what is uncommitted. */
export const createSeenIds = (journal: Pick<ConsumerJournal, 'firstSeen'>): SeenIds => {
  let keys = new Set<string>()
  /** Those on their way to the journal. */
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
      // The event store knows its message id, not which stored event it stands for.
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
