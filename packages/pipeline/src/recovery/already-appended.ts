import { isEarlier, parseEventId, type RecordPlace } from '@tributary/kernel'
import type { ConsumerJournal, LogReader } from '@tributary/storage'
import type { DeliveredSequences } from '../branches/deliver.ts'
import { isOvertaken, type Overtaking, parseOvertaking } from '../overtaking/overtaking.ts'
import { uncommittedDeliveries } from './uncommitted-deliveries.ts'

export type AlreadyAppended = {
  /** Whether what is to be delivered of an event was appended by an earlier run. */
  has(record: RecordPlace, eventId: string, workspaceId: string): boolean
  /** Whether a group that ends before the offset `to` says by its sequence that all before is appended. */
  isStamped(partition: number, to: number): boolean
  /** Events of records that were appended without a sequence, which are found one by one. */
  readonly found: number
}

/**
 * What earlier runs appended to the deliveries log: everything below the last sequence of a partition, an offset of the
 * incarnation that is noted with it. What a later one has at lower offsets is new. Of a partition that was read ahead, everything below the last sequence
 * of that reading, too, but for the workspaces that were overtaken.
 *
 * A partition without a sequence was written by a version that knew none. There the events that were appended and not
 * committed are taken from the log, by their ids, since not all records of a micro-batch need to be there. Until all of
 * them have been processed again no group of the partition carries a sequence, so that a kill meanwhile loses nothing
 * of what is known.
 */
export const findAlreadyAppended = async ({
  requests,
  deliveries,
  journal,
  sequences,
}: {
  requests: LogReader
  deliveries: LogReader
  journal: Pick<ConsumerJournal, 'fresh' | 'positions'>
  sequences: DeliveredSequences
}): Promise<AlreadyAppended> => {
  const below = new Map<number, RecordPlace>()
  for (const { partition, sequence, note } of sequences.behind)
    below.set(partition, { partition, offset: sequence, incarnation: note })
  const ahead = new Map<number, { end: RecordPlace; overtaking: Overtaking | undefined }>()
  for (const { partition, sequence, note } of sequences.ahead) {
    const [incarnation = '', overtaken = ''] = note.split(' ')
    ahead.set(partition, {
      end: { partition, offset: sequence, incarnation },
      overtaking: parseOvertaking(overtaken),
    })
  }
  const isAhead = (record: RecordPlace, workspaceId: string): boolean => {
    const read = ahead.get(record.partition)
    if (read?.overtaking === undefined || !isEarlier(record, read.end)) return false
    // What lies before was read in one go, and is appended when the sequence of that says so.
    if (record.offset < read.overtaking.from) return false
    return !isOvertaken(read.overtaking, { offset: record.offset, key: workspaceId })
  }
  // Without a journal nothing says what is done with: there the event store is asked.
  const found = journal.fresh
    ? new Set<string>()
    : await uncommittedDeliveries({
        requests,
        committed: journal.positions(),
        deliveries,
        isKnown: (partition) => below.has(partition),
      })
  const unstampedTo = new Map<number, number>()
  for (const eventId of found) {
    const { partition, offset } = parseEventId(eventId) ?? { partition: 0, offset: 0 }
    unstampedTo.set(partition, Math.max(unstampedTo.get(partition) ?? 0, offset + 1))
  }
  return {
    has: (record, eventId, workspaceId) => {
      const end = below.get(record.partition)
      if (end !== undefined && isEarlier(record, end)) return true
      return isAhead(record, workspaceId) || (found.size > 0 && found.has(eventId))
    },
    isStamped: (partition, to) => to >= (unstampedTo.get(partition) ?? 0),
    found: found.size,
  }
}
