import { existsSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { expandChunk } from '../compression.ts'
import type { LogRecord } from '../port.ts'
import { unpackChunk } from './packing.ts'
import { hasColumn, openForReading, readHead, type SegmentHead, segmentPath } from './segment.ts'

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
