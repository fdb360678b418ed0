import { isEarlier, parseEventId, type RecordPlace } from '@tributary/kernel'
import type { ConsumerJournal, LogReader } from '@tributary/storage'
import type { DeliveredSequences } from '../branches/deliver.ts'
import { readAheadSequences } from '../overtaking/appended-ahead.ts'
import { uncommittedDeliveries } from './uncommitted-deliveries.ts'

export type AlreadyAppended = {
  /** Whether an earlier run appended the delivery of an event. */
  has(record: RecordPlace, eventId: string, workspaceId: string): boolean
  /**
   * Whether a group that ends before the offset `to` can have a sequence. A sequence means that every earlier request
   * is appended.
   */
  isStamped(partition: number, to: number): boolean
  /** Number of events that were appended without a sequence, and that are found one by one. */
  readonly found: number
}

/**
 * Finds the deliveries that earlier runs appended to the deliveries log. These are all deliveries of requests below the
 * last sequence of a partition, which is an offset of the incarnation in its note. Records of a later incarnation at
 * lower offsets are new. In a partition that was read ahead, all deliveries below the last sequence of the reading
 * ahead are also appended, except for overtaken workspaces.
 *
 * A partition without a sequence was written by an older version. There, appended and uncommitted events are found in
 * the log by their IDs, since some records of a micro-batch may be missing. No group of the partition gets a sequence
 * until all these events are processed again, so that they can be found again after a kill.
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
  const isAhead = readAheadSequences(sequences.ahead)
  // Without a journal, the committed positions are missing; the event store is queried instead.
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
