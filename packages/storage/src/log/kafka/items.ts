import { partitionOfEntry } from '../entries.ts'
import { type LogEntry, type LogPosition, type ProducerStamp } from '../port.ts'
import { sizeInBatch } from './batches.ts'

/** Entries that are appended as one group, with the callbacks of their caller. */
export type Item = {
  partition: number
  entries: readonly LogEntry[]
  stamp: ProducerStamp | undefined
  size: number
  settled: boolean
  resolve(position: LogPosition | undefined): void
  reject(error: Error): void
}

const maxMetaBytes = 64 * 1024
const maxNoteBytes = 1024
/**
 * Maximum bytes of a batch. A reader that starts inside a batch reads it from its beginning, so the maximum limits the
 * unneeded bytes.
 */
const batchBytes = 1024 * 1024
/** Maximum bytes of one round. A larger item has a round of its own. */
const roundBytes = 8 * 1024 * 1024

/** Returns the item of a group of entries. Throws RangeError for entries that the log does not accept. */
export const itemOf = (
  entries: readonly LogEntry[],
  stamp: ProducerStamp | undefined,
  partitions: number,
): Omit<Item, 'resolve' | 'reject'> => {
  const [first] = entries
  const partition = first === undefined ? -1 : partitionOfEntry(first, partitions)
  if (first === undefined || entries.some((entry) => partitionOfEntry(entry, partitions) !== partition))
    throw new RangeError('A group has entries of one partition')
  if (Buffer.byteLength(stamp?.note ?? '') > maxNoteBytes) throw new RangeError('The note of a producer is over 1 KiB')
  let size = 0
  for (const entry of entries) {
    if (Buffer.byteLength(entry.meta) > maxMetaBytes) throw new RangeError('The meta of a log entry is over 64 KiB')
    size += sizeInBatch(entry)
  }
  return { partition, entries, stamp, size, settled: false }
}

type Batch = { items: Item[]; size: number; isFull: boolean }

/** Whether an item can join the batch of its partition; an item with a stamp needs its own batch. */
const joins = ({ isFull, size }: Batch, item: Item): boolean =>
  !isFull && item.stamp === undefined && size + item.size <= batchBytes

/**
 * Takes the items of one round from the queue: for each partition its first items, as many as fit into one batch. Calls
 * `isWanted` for each in its turn; an item that it rejects is taken and skipped.
 */
export const takeRound = (
  queue: readonly Item[],
  isWanted: (item: Item) => boolean,
): { taken: Map<number, Item[]>; left: Item[] } => {
  const batches = new Map<number, Batch>()
  const left: Item[] = []
  let round = 0
  for (const item of queue) {
    if (item.settled) continue
    const batch = batches.get(item.partition)
    if ((round > 0 && round + item.size > roundBytes) || (batch !== undefined && !joins(batch, item))) {
      // Later items of its partition wait for the next round.
      if (batch === undefined) batches.set(item.partition, { items: [], size: 0, isFull: true })
      else batch.isFull = true
      left.push(item)
      continue
    }
    if (!isWanted(item)) continue
    round += item.size
    if (batch === undefined)
      batches.set(item.partition, { items: [item], size: item.size, isFull: item.stamp !== undefined })
    else {
      batch.items.push(item)
      batch.size += item.size
    }
  }
  const taken = [...batches].filter(([, { items }]) => items.length > 0)
  return { taken: new Map(taken.map(([partition, { items }]) => [partition, items])), left }
}
