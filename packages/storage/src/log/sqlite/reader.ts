import { existsSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { expandChunk, unpackChunk } from '../entries.ts'
import type { IncarnationRange } from '../incarnations.ts'
import type { LogPosition, LogReader, LogRecord } from '../port.ts'
import { hasColumn, listSegments, openForReading, readHead, type SegmentHead, segmentPath } from './segment.ts'
import { createWaiting } from './waiting.ts'

/** A segment that is open for reading. */
export type ReadableSegment = {
  readonly db: DatabaseSync
  readonly newest: StatementSync
  readonly last: StatementSync
  readonly tail: StatementSync
  /**
   * Reads the chunks of a partition in order, beginning with the one that contains `offset`. With `addressed`, only the
   * end of a chunk without addressed records is read.
   */
  chunks(partition: number, offset: number, which?: 'addressed'): Iterable<LogRecord[]>
  /** The records of the chunk with an offset. */
  chunkAt(partition: number, offset: number): LogRecord[]
}

/**
 * Maximum number of open files besides the newest one. Consumers read the newest, replays read one segment after the
 * other.
 */
const maxOpenSegments = 4

const nothing = new Uint8Array()

type ChunkRow = ReturnType<StatementSync['get']>

const recordsOf = (row: ChunkRow, partition: number, incarnation: string): LogRecord[] => {
  if (row === undefined) return []
  const { body, first, count, time, size } = row
  if (!(body instanceof Uint8Array)) throw new Error('A chunk of the log is damaged')
  return unpackChunk(expandChunk({ body, size: Number(size) }), {
    partition,
    first: Number(first),
    count: Number(count),
    time: Number(time),
    incarnation,
  })
}

/** Returns an empty record with the last offset of a chunk that has no addressed records. */
const endOf = (row: NonNullable<ChunkRow>, partition: number, incarnation: string): LogRecord => ({
  partition,
  offset: Number(row.first) + Number(row.count) - 1,
  incarnation,
  time: Number(row.time),
  key: '',
  meta: '',
  body: nothing,
})

const openSegment = (dir: string, { number, incarnation }: SegmentHead, keeps: boolean): ReadableSegment => {
  const db = openForReading(dir, number)
  let kept: LogRecord[] = []
  const unpacked = (row: NonNullable<ChunkRow>, partition: number): LogRecord[] => {
    const [first] = kept
    if (first?.partition === partition && first.offset === row.first) return kept
    const records = recordsOf(row, partition, incarnation)
    if (keeps) kept = records
    return records
  }
  const first = db.prepare('select max(first) as first from chunk where partition = ? and first <= ?')
  const columns = `first, count, time, body, ${hasColumn(db, 'size') ? 'size' : '0 as size'}, 1 as addressed`
  const from = 'from chunk where partition = ? and first >= ? order by first'
  const chunks = db.prepare(`select ${columns} ${from}`)
  // Bodies of chunks without addressed records are not read from the file.
  const addressed =
    hasColumn(db, 'addressed') && hasColumn(db, 'size')
      ? db.prepare(`select first, count, time, addressed, case when addressed then body end as body,
        case when addressed then size end as size ${from}`)
      : chunks
  const firstOf = (partition: number, offset: number): number => Number(first.get(partition, offset)?.first ?? offset)
  return {
    db,
    newest: db.prepare('select max(id) as id from chunk'),
    last: db.prepare('select first + count as next from chunk where partition = ? order by first desc limit 1'),
    tail: db.prepare('select id, partition, first + count as next from chunk where id > ? order by id'),
    *chunks(partition, offset, which) {
      const statement = which === 'addressed' ? addressed : chunks
      for (const row of statement.iterate(partition, firstOf(partition, offset)))
        yield row.addressed === 0 ? [endOf(row, partition, incarnation)] : unpacked(row, partition)
    },
    chunkAt: (partition, offset) =>
      recordsOf(chunks.get(partition, firstOf(partition, offset)), partition, incarnation),
  }
}

/** Keeps the few most recently used segments of a folder open. */
export const createOpenSegments = (dir: string, keeps = false) => {
  const open = new Map<number, ReadableSegment>()
  return {
    get(head: SegmentHead): ReadableSegment {
      const { number } = head
      const found = open.get(number)
      if (found !== undefined) {
        open.delete(number)
        open.set(number, found)
        return found
      }
      const segment = openSegment(dir, head, keeps)
      open.set(number, segment)
      for (const [other, { db }] of open) {
        if (open.size <= maxOpenSegments) break
        open.delete(other)
        db.close()
      }
      return segment
    },
    drop(number: number): void {
      open.get(number)?.db.close()
      open.delete(number)
    },
    close(): void {
      for (const { db } of open.values()) db.close()
      open.clear()
    },
  }
}

/** The head of a segment, or undefined if the writer deleted it between listing and opening. */
export const readHeadOf = (dir: string, number: number): SegmentHead | undefined => {
  try {
    const db = openForReading(dir, number)
    try {
      return readHead(db)
    } finally {
      db.close()
    }
  } catch (error) {
    if (!existsSync(segmentPath(dir, number))) return undefined
    throw error
  }
}

export type LogReaderOptions = {
  /** The log's folder. */
  dir: string
  /**
   * Interval in which waiters check without a notice, ms (25 unless given). It grows up to `maxPollMs` while there are
   * no new records (four times `pollMs` unless given).
   */
  pollMs?: number
  maxPollMs?: number
  /**
   * Keeps the last chunk of each open file unpacked, for readers that often continue within a chunk. Bodies are shared
   * then, and must not be freed.
   */
  keepsChunks?: true
}

/** The heads of the segments of a folder, oldest first. Calls `onDropped` for each deleted segment. */
const createHeads = (dir: string, onDropped: (number: number) => void) => {
  let heads: SegmentHead[] = []

  const scan = (): void => {
    const known = new Map(heads.map((head) => [head.number, head]))
    const numbers = listSegments(dir)
    heads = numbers.map((number) => known.get(number) ?? readHeadOf(dir, number)).filter((head) => head !== undefined)
    for (const number of known.keys()) if (!numbers.includes(number)) onDropped(number)
    if (heads.length === 0) throw new Error(`There is no log in ${dir}`)
  }
  const newest = (): SegmentHead => {
    const head = heads.at(-1)
    if (head === undefined) throw new Error(`There is no log in ${dir}`)
    return head
  }
  /** Returns true if a segment was added since the last check. */
  const refresh = (): boolean => {
    if (!existsSync(segmentPath(dir, newest().number + 1))) return false
    scan()
    return true
  }
  /** The index in `heads` of the segment with an offset; -1 if the segment was trimmed. */
  const indexOf = (partition: number, offset: number): number =>
    heads.findLastIndex((head) => (head.starts[partition] ?? 0) <= offset)

  scan()
  return { all: (): readonly SegmentHead[] => heads, scan, newest, refresh, indexOf }
}
type Heads = ReturnType<typeof createHeads>
type OpenSegments = ReturnType<typeof createOpenSegments>

/**
 * Returns a function that gets the current next offsets. It returns the same array each time, and changes it in the
 * next call.
 */
const createEnds = (heads: Heads, segments: OpenSegments): (() => readonly number[]) => {
  let ends: { segment: number; lastId: number; next: number[] } = { segment: 0, lastId: 0, next: [] }

  return () => {
    heads.refresh()
    const { number, starts } = heads.newest()
    const segment = segments.get(heads.newest())
    if (ends.segment !== number) {
      const lastId = Number(segment.newest.get()?.id ?? 0)
      ends = {
        segment: number,
        lastId,
        next: starts.map((start, partition) => Number(segment.last.get(partition)?.next ?? start)),
      }
    }
    for (const row of segment.tail.iterate(ends.lastId)) {
      ends.next[Number(row.partition)] = Number(row.next)
      ends.lastId = Number(row.id)
    }
    return ends.next
  }
}

const rangesOf = (heads: readonly SegmentHead[], partition: number): IncarnationRange[] => {
  const ranges: IncarnationRange[] = []
  for (const { incarnation, starts } of heads) {
    const from = starts[partition] ?? 0
    // If the next incarnation begins at the same offset, this one has no record here.
    if (ranges.at(-1)?.from === from) ranges.pop()
    if (ranges.at(-1)?.incarnation !== incarnation) ranges.push({ incarnation, from })
  }
  return ranges
}

/**
 * Opens a log for reading, in any thread or process, while its writer writes. A commit becomes visible only after its
 * sync: SQLite publishes the new end of the write-ahead log last. Throws if there is no log in the folder yet.
 *
 * Every read is a short query in the calling thread, finished before its promise is returned.
 */
export const openLogReader = ({ dir, pollMs = 25, maxPollMs, keepsChunks }: LogReaderOptions): LogReader => {
  const segments = createOpenSegments(dir, keepsChunks === true)
  const waiting = createWaiting(pollMs, maxPollMs)

  const heads = createHeads(dir, segments.drop)
  const partitions = heads.newest().starts.length
  const currentEnds = createEnds(heads, segments)

  /** Appends records of one segment from `offset` on to `into`; returns the offset after the last checked one. */
  const readSegment = (
    index: number,
    partition: number,
    offset: number,
    { budget, which }: Asked,
    into: LogRecord[],
  ): number => {
    const head = heads.all()[index]
    if (head === undefined) return offset
    const limit = heads.all()[index + 1]?.starts[partition] ?? Number.POSITIVE_INFINITY
    let at = offset
    for (const records of segments.get(head).chunks(partition, offset, which)) {
      for (const record of records) {
        if (record.offset < at) continue
        if (record.offset >= limit || !budget.take(record.body.byteLength)) return at
        // The last record of a skipped run is enough: it shows how far the run reaches.
        if (which === 'addressed' && record.meta === '' && into.at(-1)?.meta === '') into.pop()
        into.push(record)
        at = record.offset + 1
      }
    }
    return at
  }

  const readFrom = (partition: number, offset: number, asked: Asked): LogRecord[] => {
    const records: LogRecord[] = []
    let at = Math.max(offset, heads.all()[0]?.starts[partition] ?? 0)
    let index = heads.indexOf(partition, at)
    for (;;) {
      const before = at
      at = readSegment(index, partition, at, asked, records)
      if (asked.budget.spent) return records
      const follower = heads.all()[index + 1]?.starts[partition]
      if (follower !== undefined && at >= follower) index++
      else if (follower !== undefined && at === before)
        throw new Error(`The log in ${dir} misses offset ${at} of partition ${partition}`)
      else if (follower === undefined && !heads.refresh()) return records
      // A refresh may also have found that old segments were deleted.
      else index = heads.indexOf(partition, at)
    }
  }

  const findAll = (places: readonly LogPosition[], budget: Budget): (LogRecord | undefined)[] => {
    heads.refresh()
    const found: (LogRecord | undefined)[] = []
    let chunk: LogRecord[] = []
    const recordAt = ({ partition, offset }: LogPosition): LogRecord | undefined => {
      const [first] = chunk
      const known = first?.partition === partition ? chunk[offset - first.offset] : undefined
      if (known !== undefined) return known
      const head = heads.all()[heads.indexOf(partition, offset)]
      if (head === undefined) return undefined
      chunk = segments.get(head).chunkAt(partition, offset)
      return chunk[offset - (chunk[0]?.offset ?? 0)]
    }
    for (const place of places) {
      const record = recordAt(place)
      if (!budget.take(record?.body.byteLength ?? 0)) break
      found.push(record)
    }
    return found
  }

  /** Repeats a read if the writer has deleted segments meanwhile. */
  const despiteTrims = <Result>(look: () => Result): Result => {
    try {
      return look()
    } catch (error) {
      if (heads.all().every(({ number }) => existsSync(segmentPath(dir, number)))) throw error
      heads.scan()
      return look()
    }
  }

  const hasNews = (from: readonly LogPosition[]): boolean => {
    const next = currentEnds()
    const starts = heads.all()[0]?.starts ?? []
    return from.some(({ partition, offset }) => (next[partition] ?? 0) > Math.max(offset, starts[partition] ?? 0))
  }

  return {
    partitions,
    read: async (partition, offset, maxBytes, which) =>
      despiteTrims(() => readFrom(partition, offset, { budget: createBudget(maxBytes), which })),
    find: async (places, maxBytes = Number.POSITIVE_INFINITY) =>
      despiteTrims(() => findAll(places, createBudget(maxBytes))),
    wait: (from, signal) => waiting.until(() => hasNews(from), signal),
    notice: waiting.notice,
    ends: async () => [...currentEnds()],
    async starts() {
      heads.scan()
      return [...(heads.all()[0]?.starts ?? [])]
    },
    async incarnations(partition) {
      heads.scan()
      return rangesOf(heads.all(), partition)
    },
    async positionsBefore(time) {
      heads.scan()
      const head = heads.all().findLast(({ created }) => created <= time) ?? heads.all()[0]
      return (head?.starts ?? []).map((offset, partition) => ({ partition, offset }))
    },
    close() {
      waiting.close()
      segments.close()
    },
  }
}

/** The limits of a read of a partition. */
type Asked = { readonly budget: Budget; readonly which: 'addressed' | undefined }

type Budget = { take(bytes: number): boolean; readonly spent: boolean }

/** Allows at least one record, then as many as fit into `maxBytes`. */
const createBudget = (maxBytes: number): Budget => {
  let left = maxBytes
  let spent = false
  let given = false
  return {
    take(bytes) {
      if (given && bytes > left) spent = true
      if (spent) return false
      given = true
      left -= bytes
      if (left <= 0) spent = true
      return true
    },
    get spent() {
      return spent
    },
  }
}
