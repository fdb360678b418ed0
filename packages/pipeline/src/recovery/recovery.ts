import type { Clock } from '@tributary/kernel'
import type { ConsumerJournal, JournalRange, LogReader, LogRecord } from '@tributary/storage'
import type { DeliverBranch } from '../branches/deliver.ts'
import type { StoreBranch } from '../branches/store.ts'
import type { Overtakings } from '../overtaking/overtakings.ts'
import { inReadOrder } from '../overtaking/range-order.ts'
import { factsOf, type MicroBatch, type Processor } from '../process.ts'
import type { RecordSpan, StoredStatuses } from './stored-statuses.ts'

export type RecoveryDeps = {
  journal: Pick<ConsumerJournal, 'openRanges' | 'saw' | 'apart' | 'remember'>
  clock: Clock
  reader: LogReader
  processor: Processor
  store: Pick<StoreBranch, 'repeat'>
  deliver: Pick<DeliverBranch, 'add'>
  /** Looks up the statuses of events in the event store. */
  storedStatuses: StoredStatuses
  readBytes: number
  overtakings: Pick<Overtakings, 'partitionOf' | 'of'>
}

/**
 * Ranges by token, in the order in which the tokens began. The ranges of one token are sorted by lane, as they were
 * sealed.
 */
export const rangesByToken = (ranges: readonly JournalRange[]): Map<string, JournalRange[]> => {
  const groups = new Map<string, JournalRange[]>()
  for (const range of ranges) {
    const group = groups.get(range.token)
    if (group === undefined) groups.set(range.token, [range])
    else group.push(range)
  }
  for (const group of groups.values()) group.sort((a, b) => a.partition - b.partition)
  return groups
}

/** Thrown at the start when the log no longer has records of an uncommitted range. */
export class RangeMissing extends Error {
  constructor(range: JournalRange, offset: number) {
    super(`The log holds no record ${offset} of partition ${range.partition}, which an unfinished insert needs`)
    this.name = 'RangeMissing'
  }
}

/** Reads a range in pieces. It begins and ends with a record, and may have gaps. */
const piecesOf = async function* (
  reader: LogReader,
  partition: number,
  range: JournalRange,
  readBytes: number,
): AsyncGenerator<readonly LogRecord[]> {
  for (let offset = range.from; offset < range.to; ) {
    const records = await reader.read(partition, offset, readBytes)
    const piece = records.filter((record) => record.offset < range.to)
    if (offset === range.from && piece[0]?.offset !== offset) throw new RangeMissing(range, offset)
    offset = (piece.at(-1)?.offset ?? -1) + 1
    if (offset === 0 || (piece.length < records.length && offset < range.to))
      throw new RangeMissing(range, range.to - 1)
    yield piece
  }
}

const spanOf = async (
  pieces: AsyncIterable<readonly LogRecord[]>,
  partition: number,
  { from, to }: JournalRange,
): Promise<RecordSpan> => {
  const workspaceIds = new Set<string>()
  const sourceIds = new Set<string>()
  let firstTime = Number.MAX_SAFE_INTEGER
  let lastTime = 0
  for await (const records of pieces)
    for (const record of records) {
      const { workspaceId, sourceId, receivedAt } = factsOf(record)
      workspaceIds.add(workspaceId)
      sourceIds.add(sourceId)
      firstTime = Math.min(firstTime, receivedAt)
      lastTime = Math.max(lastTime, receivedAt)
    }
  return { partition, from, to, workspaceIds: [...workspaceIds], sourceIds: [...sourceIds], firstTime, lastTime }
}

/**
 * Repeats the ranges that were begun but not committed when the last run ended. The same records through the same steps
 * give the same rows in the same order, stored under the same token. Deliveries that are missing in the log are
 * appended. Live messages are not repeated. Must run before anything else is read.
 *
 * A source's schema or its enforcement may have changed since the last run. Events that the last run stored keep their
 * rows (the engine drops the repetition), and are delivered by the status in their rows. An event stored as accepted is
 * offered to its destinations, and one stored as blocked waits to be replayed. Events that were not stored are
 * validated by the current schema. Deliveries that the last run appended stay in the log. So an event that was accepted
 * then may be stored as blocked although it is delivered, and vice versa.
 */
export const recover = async (deps: RecoveryDeps): Promise<number> => {
  const { journal, reader, processor, store, deliver, readBytes } = deps
  const groups = rangesByToken(journal.openRanges())
  for (const [token, ranges] of groups) {
    const batches: MicroBatch[] = []
    const keep = (): void => {
      batches.push(processor.take())
    }
    for (const { range, takes } of inReadOrder(ranges, deps.overtakings)) {
      const lane = range.partition
      const partition = deps.overtakings.partitionOf(lane)
      const stored = await deps.storedStatuses(
        await spanOf(piecesOf(reader, partition, range, readBytes), partition, range),
      )
      for await (const records of piecesOf(reader, partition, range, readBytes)) {
        journal.saw(records.map(({ offset, incarnation }) => ({ partition: lane, offset, incarnation })))
        for (const record of records) {
          if (!takes(record.offset)) continue
          processor.add(record, (eventId) => stored.get(eventId), lane)
          if (processor.size().bytes >= readBytes) keep()
        }
      }
      if (processor.size().records > 0) keep()
    }
    const deliveries = batches.map((batch) => deliver.add(batch))
    // Rows must have the order of lanes in which they were sealed.
    batches.sort((a, b) => a.lane - b.lane || a.from - b.from)
    const ids = processor.takeIds()
    // The file of message IDs may lack IDs of ranges that another owner of the journal began.
    if (journal.apart !== undefined) journal.remember(ids, deps.clock())
    processor.idsFlushed()
    await store.repeat(token, ranges, batches, Promise.all(deliveries))
  }
  return groups.size
}
