import { existsSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { LogPosition, LogReader, LogRecord } from '../port.ts'
import { unpackChunk } from './packing.ts'
import { listSegments, openForReading, readHead, type SegmentHead, segmentPath } from './segment.ts'

/** What the SQLite reader can tell beyond the port. */
export type SqliteLogReader = LogReader & {
  /**
   * First offsets of what was written after `time` (epoch ms), to the accuracy of a segment and never too high: what
   * lies below is older. To be handed to `trim`.
   */
  positionsBefore(time: number): LogPosition[]
}

type OpenSegment = {
  db: DatabaseSync
  from: StatementSync
  chunks: StatementSync
  newest: StatementSync
  last: StatementSync
  tail: StatementSync
}

/** Open files beside the newest one: consumers read along, replays read one segment after the other. */
const maxOpenSegments = 4

const openSegment = (dir: string, number: number): OpenSegment => {
  const db = openForReading(dir, number)
  return {
    db,
    from: db.prepare('select max(first) as first from chunk where partition = ? and first <= ?'),
    chunks: db.prepare('select first, count, time, body from chunk where partition = ? and first >= ? order by first'),
    newest: db.prepare('select max(id) as id from chunk'),
    last: db.prepare('select first + count as next from chunk where partition = ? order by first desc limit 1'),
    tail: db.prepare('select id, partition, first + count as next from chunk where id > ? order by id'),
  }
}

/** Keeps the few most recently used segments open. */
const createSegmentCache = (dir: string) => {
  const open = new Map<number, OpenSegment>()
  return {
    get(number: number): OpenSegment {
      const found = open.get(number)
      if (found !== undefined) {
        open.delete(number)
        open.set(number, found)
        return found
      }
      const segment = openSegment(dir, number)
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

const readHeadOf = (dir: string, number: number): SegmentHead | undefined => {
  try {
    const db = openForReading(dir, number)
    try {
      return readHead(db)
    } finally {
      db.close()
    }
  } catch (error) {
    // Dropped by the writer between listing and opening.
    if (!existsSync(segmentPath(dir, number))) return undefined
    throw error
  }
}

/**
 * Opens a log for reading, in any thread or process, while its writer writes. A commit becomes visible only after its
 * sync: SQLite publishes the new end of the write-ahead log last. Throws when there is no log in the folder yet.
 */
export const openLogReader = ({ dir }: { dir: string }): SqliteLogReader => {
  let heads: SegmentHead[] = []
  const cache = createSegmentCache(dir)

  const scan = (): void => {
    const known = new Map(heads.map((head) => [head.number, head]))
    const numbers = listSegments(dir)
    heads = numbers.map((number) => known.get(number) ?? readHeadOf(dir, number)).filter((head) => head !== undefined)
    for (const number of known.keys()) if (!numbers.includes(number)) cache.drop(number)
    if (heads.length === 0) throw new Error(`There is no log in ${dir}`)
  }
  const newest = (): SegmentHead => {
    const head = heads.at(-1)
    if (head === undefined) throw new Error(`There is no log in ${dir}`)
    return head
  }
  /** True when a segment was added since the last look. */
  const refresh = (): boolean => {
    if (!existsSync(segmentPath(dir, newest().number + 1))) return false
    scan()
    return true
  }

  scan()
  const partitions = newest().starts.length
  let ends: { segment: number; lastId: number; next: number[] } = { segment: 0, lastId: 0, next: [] }

  const currentEnds = (): number[] => {
    refresh()
    const { number, starts } = newest()
    const segment = cache.get(number)
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
    return [...ends.next]
  }

  /** Appends records of one segment from `offset` on to `into`; returns the offset behind the last one considered. */
  const readSegment = (index: number, partition: number, offset: number, budget: Budget, into: LogRecord[]): number => {
    const head = heads[index]
    if (head === undefined) return offset
    const limit = heads[index + 1]?.starts[partition] ?? Number.POSITIVE_INFINITY
    const segment = cache.get(head.number)
    const first = Number(segment.from.get(partition, offset)?.first ?? offset)
    let at = offset
    for (const row of segment.chunks.iterate(partition, first)) {
      if (!(row.body instanceof Uint8Array)) throw new Error('A chunk of the log is damaged')
      for (const record of unpackChunk(row.body, partition, Number(row.first), Number(row.count), Number(row.time))) {
        if (record.offset < at) continue
        if (record.offset >= limit || !budget.take(record.body.byteLength)) return at
        into.push(record)
        at = record.offset + 1
      }
    }
    return at
  }

  const readFrom = (partition: number, offset: number, budget: Budget): LogRecord[] => {
    const records: LogRecord[] = []
    let at = Math.max(offset, heads[0]?.starts[partition] ?? 0)
    let index = heads.findLastIndex((head) => (head.starts[partition] ?? 0) <= at)
    for (;;) {
      const before = at
      at = readSegment(index, partition, at, budget, records)
      if (budget.spent) return records
      const follower = heads[index + 1]?.starts[partition]
      if (follower !== undefined && at >= follower) index++
      else if (follower !== undefined && at === before)
        throw new Error(`The log in ${dir} misses offset ${at} of partition ${partition}`)
      else if (follower === undefined && !refresh()) return records
      // A refresh may also have found that old segments are gone.
      else index = heads.findLastIndex((head) => (head.starts[partition] ?? 0) <= at)
    }
  }

  return {
    partitions,
    ends: currentEnds,
    changed() {
      let records = 0
      for (const end of currentEnds()) records += end
      return records
    },
    read(partition, offset, maxBytes) {
      try {
        return readFrom(partition, offset, createBudget(maxBytes))
      } catch (error) {
        const gone = heads.some(({ number }) => !existsSync(segmentPath(dir, number)))
        if (!gone) throw error
        scan()
        return readFrom(partition, offset, createBudget(maxBytes))
      }
    },
    starts() {
      scan()
      return [...(heads[0]?.starts ?? [])]
    },
    positionsBefore(time) {
      scan()
      const head = heads.findLast(({ created }) => created <= time) ?? heads[0]
      return (head?.starts ?? []).map((offset, partition) => ({ partition, offset }))
    },
    close: () => cache.close(),
  }
}

type Budget = { take(bytes: number): boolean; readonly spent: boolean }

/** Gives at least one record, then as many as fit into `maxBytes`. */
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
