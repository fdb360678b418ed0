import { newId } from '@tributary/kernel'
import { createOffsetTracker, type Lane, type OffsetTracker } from '../log/record.ts'

/**
 * A reference to records of one partition that a worker has not taken and that stay in the log. A range covers every
 * record from `cursor` to `end` that names the destination and is of the lane it holds. Records before `cursor` are in
 * flight or done.
 */
export type SpilledRange = {
  readonly id: string
  readonly partition: number
  workspaceId: string
  sourceId: string
  /** The lane of its records; undefined for both lanes. */
  readonly holds: Lane | undefined
  /** Next offset to be read. */
  cursor: number
  /** The offset after the last record. */
  end: number
  /** Whether the range may have rows of a producer, which must get their outcomes. */
  needsReport: boolean
  /** Number of events that are not done, and their bytes. */
  events: number
  bytes: number
  /** Number of events that are not read yet, and their bytes. */
  unreadEvents: number
  unreadBytes: number
  /** When the first and the last record of the range were appended, epoch ms. */
  firstTime: number
  lastTime: number
  /** When the range was opened here, or last written to the database, epoch ms. */
  writtenAt: number
  /** The range as stored in the database. */
  persisted: { from: number; end: number } | undefined
  sealed: boolean
  /** Whether the range comes from the database: it waited before this process started, or was made due. */
  readonly restored: boolean
  /** The reason why the range can never be sent; undefined if it can. */
  dead: string | undefined
  readonly tracker: OffsetTracker
}

/** The held ranges of a worker in one lane, by partition. Does no I/O. */
export type SpilledRanges = {
  /** Whether a record of a lane is in a restored range, so that it must not be offered again after a restart. */
  covers(partition: number, offset: number, comesIn: Lane): boolean
  /** Whether records of the partition wait to be read. New records are then added behind them. */
  lags(partition: number): boolean
  /** Adds a record at the end of the held records. */
  add(record: SpilledRecord, now: number): void
  /** Returns the oldest range with unread records, of a partition that may be read. */
  next(): SpilledRange | undefined
  /** Adds a range from the database; a dead range covers no records of the log. */
  restore(range: SpilledRange): void
  /** Removes a range. */
  drop(range: SpilledRange): void
  /** Removes all ranges of a partition from memory; stored ranges stay in the database. */
  forget(partition: number): void
  all(): readonly SpilledRange[]
  /** Returns the lowest offset of the partition that is held here and not durable anywhere. */
  undurableLow(partition: number): number | undefined
  events(): number
}

export type SpilledRecord = {
  partition: number
  offset: number
  time: number
  bytes: number
  workspaceId: string
  sourceId: string
  needsReport: boolean
  events: number
}

/**
 * A range is closed after this many events, or this long, so that the limits of age and number can drop the oldest
 * part.
 */
const rangeEvents = 100_000
const rangeAgeMs = 600_000

/** Returns the lowest offset of a range that is not done. */
export const rangeLow = (range: SpilledRange): number => range.tracker.low() ?? range.cursor

/** Whether no record of the range is unread or in flight. */
export const isRangeDone = (range: SpilledRange): boolean =>
  range.dead === undefined && range.cursor >= range.end && range.tracker.size() === 0

/** Whether the database has the range in its current state, and need not delete it. */
export const isRangeWritten = (range: SpilledRange): boolean =>
  range.dead === undefined &&
  !isRangeDone(range) &&
  range.persisted?.from === rangeLow(range) &&
  range.persisted.end === range.end

/** Whether records of the range wait to be read. */
const isReadable = (range: SpilledRange): boolean => range.dead === undefined && range.cursor < range.end

/** Compares ranges by offset within a partition, since records of the same millisecond also have an order. */
const isBefore = (a: SpilledRange, b: SpilledRange): boolean =>
  a.partition === b.partition ? a.cursor < b.cursor : a.firstTime < b.firstTime

/** Whether a record can be added to the last range of its partition. */
const mayExtend = (range: SpilledRange | undefined, record: SpilledRecord, lane: Lane): range is SpilledRange =>
  range !== undefined &&
  !range.sealed &&
  range.holds === lane &&
  isReadable(range) &&
  record.offset >= range.end &&
  range.events < rangeEvents &&
  record.time - range.firstTime < rangeAgeMs

/** Creates a range with one record. */
const rangeOf = (record: SpilledRecord, lane: Lane, now: number): SpilledRange => ({
  id: newId(),
  partition: record.partition,
  workspaceId: record.workspaceId,
  sourceId: record.sourceId,
  holds: lane,
  cursor: record.offset,
  end: record.offset + 1,
  needsReport: record.needsReport,
  events: record.events,
  bytes: record.bytes,
  unreadEvents: record.events,
  unreadBytes: record.bytes,
  firstTime: record.time,
  lastTime: record.time,
  writtenAt: now,
  persisted: undefined,
  sealed: false,
  restored: false,
  dead: undefined,
  tracker: createOffsetTracker(),
})

/** Creates an empty set of spilled ranges of a lane; `isOwned` says which partitions may be read. */
export const createSpilledRanges = (
  lane: Lane = 'live',
  isOwned: (partition: number) => boolean = () => true,
): SpilledRanges => {
  let ranges: SpilledRange[] = []
  /** Offsets that restored ranges cover, until the reader has passed them. */
  let spans: { partition: number; start: number; end: number; holds: Lane | undefined }[] = []
  return {
    covers: (partition, offset, comesIn) => {
      if (spans.length === 0) return false
      spans = spans.filter((span) => span.partition !== partition || offset < span.end)
      const covered = spans.some(
        (span) =>
          span.partition === partition && offset >= span.start && (span.holds === undefined || span.holds === comesIn),
      )
      if (covered) for (const range of ranges) if (range.partition === partition) range.sealed = true
      return covered
    },
    lags: (partition) => ranges.some((range) => range.partition === partition && isReadable(range)),
    add: (record, now) => {
      const last = ranges.findLast((range) => range.partition === record.partition)
      if (mayExtend(last, record, lane)) {
        last.end = record.offset + 1
        last.needsReport ||= record.needsReport
        last.events += record.events
        last.bytes += record.bytes
        last.unreadEvents += record.events
        last.unreadBytes += record.bytes
        last.lastTime = record.time
        return
      }
      ranges.push(rangeOf(record, lane, now))
    },
    next: () => {
      let oldest: SpilledRange | undefined
      for (const range of ranges)
        if (isReadable(range) && isOwned(range.partition) && (oldest === undefined || isBefore(range, oldest)))
          oldest = range
      return oldest
    },
    restore: (range) => {
      if (range.dead === undefined)
        spans.push({ partition: range.partition, start: range.cursor, end: range.end, holds: range.holds })
      ranges.push(range)
    },
    drop: (range) => {
      ranges = ranges.filter((other) => other !== range)
    },
    forget: (partition) => {
      ranges = ranges.filter((range) => range.partition !== partition)
      spans = spans.filter((span) => span.partition !== partition)
    },
    all: () => ranges,
    undurableLow: (partition) => {
      let low: number | undefined
      for (const range of ranges) {
        if (range.partition !== partition) continue
        const from = range.persisted === undefined ? rangeLow(range) : Math.max(rangeLow(range), range.persisted.end)
        if (from < range.end) low = Math.min(low ?? from, from)
      }
      return low
    },
    events: () => ranges.reduce((sum, range) => sum + range.events, 0),
  }
}
