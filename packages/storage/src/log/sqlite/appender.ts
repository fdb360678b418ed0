import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { faultPoint, freeWhole } from '@tributary/kernel'
import { makePrivateFolder } from '../../supervisor/private-files.ts'
import { compressChunk, type PackedGroup } from '../entries.ts'
import { newIncarnation } from '../incarnations.ts'
import type { LogPosition, LogStats, ProducerSequence, ProducerStamp } from '../port.ts'
import { createProducers, prepareProducers, producerTable, readProducers, type StampResult } from './producers.ts'
import {
  addColumns,
  clearHalfMade,
  createSegment,
  listSegments,
  notedEnds,
  noteEnds,
  openForWriting,
  readHead,
  removeSegment,
  type SegmentHead,
  segmentBytesOnDisk,
} from './segment.ts'

export type AppenderOptions = {
  dir: string
  partitions: number
  /** After this many bytes, a new segment begins. */
  segmentBytes: number
  /** A segment with records that is older than this, ms, is also followed by a new one, at the next append or trim. */
  segmentMs: number
}

/** The synchronous part of the writer. It runs in the writer's worker, or in the caller's thread. */
export type Appender = {
  /**
   * Writes a group in one transaction and returns the first offset of each chunk, and the memory of the group for the
   * next one. The group is on disk when it returns; if it throws, nothing of the group will be read. After any failure
   * except lack of space, a new file is begun. For a chunk that is skipped because of its producer's stamp, the reason
   * is returned.
   */
  append(group: PackedGroup): { firsts: (number | Exclude<StampResult, 'new'>)[]; memory: ArrayBuffer }
  beginEpoch(producer: string): number
  lastSequences(producer: string): ProducerSequence[]
  /** Moves pages from the write-ahead log into the segment when there are enough. Never throws. */
  maintain(): void
  /**
   * Deletes older segments, and then ends the newest segment if it is due, so that old records are deleted even without
   * further appends.
   */
  trim(before: readonly LogPosition[]): void
  stats(): LogStats
  close(): void
}

/** The methods that the writer calls, also from another thread. */
export type AppenderMethod = Exclude<keyof Appender, 'maintain'>

/** A call of the writer, as a message to the thread of the log. */
export type AppenderCall = {
  [Name in AppenderMethod]: { id: number; name: Name; args: Parameters<Appender[Name]> }
}[AppenderMethod]

/** The answer of that thread; `id` 0 reports that the folder is open, or why not. */
export type AppenderReply = { id: number; value?: unknown; error?: unknown }

type OpenSegment = {
  head: SegmentHead
  db: DatabaseSync
  insert: StatementSync
  insertProducer: StatementSync
  begin: StatementSync
  commit: StatementSync
  /** Bytes of chunks before compression. */
  bytes: number
  /** Bytes of chunks as stored. */
  unmoved: number
}

/**
 * Bytes in the write-ahead log above which its pages are moved into the segment. Moving 8 MiB takes about 10 ms; with a
 * larger size the pauses would be longer.
 */
const checkpointBytes = 8 * 1024 * 1024
const sqliteFull = 13

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === sqliteFull

const openSegment = (dir: string, number: number): OpenSegment => {
  const db = openForWriting(dir, number)
  try {
    // Pages that a killed writer left in the write-ahead log may not be on disk yet. Readers will see them, so they are
    // synced first.
    db.exec('pragma wal_checkpoint(truncate)')
    // The segment may be from before producers existed, or before chunks had sizes and the addressed flag.
    db.exec(producerTable)
    addColumns(db)
    return {
      head: readHead(db),
      db,
      insert: db.prepare(
        'insert into chunk (partition, first, count, time, addressed, body, size) values (?, ?, ?, ?, ?, ?, ?)',
      ),
      insertProducer: prepareProducers(db),
      begin: db.prepare('begin immediate'),
      commit: db.prepare('commit'),
      bytes: segmentBytesOnDisk(dir, number),
      unmoved: 0,
    }
  } catch (error) {
    db.close()
    throw error
  }
}

const nextOffsets = (segment: OpenSegment): number[] => {
  const last = segment.db.prepare(
    'select first + count as next from chunk where partition = ? order by first desc limit 1',
  )
  return segment.head.starts.map((start, partition) => {
    const row = last.get(partition)
    return row === undefined ? start : Number(row.next)
  })
}

const readHeads = (dir: string): SegmentHead[] =>
  listSegments(dir).map((number) => {
    const db = openForWriting(dir, number)
    try {
      return readHead(db)
    } finally {
      db.close()
    }
  })

/** Prepares a folder after a kill. In an empty one, creates the first segment, and returns its incarnation. */
const prepareFolder = (dir: string, partitions: number, created: number): string | undefined => {
  makePrivateFolder(dir)
  clearHalfMade(dir)
  if (listSegments(dir).length > 0) return undefined
  const incarnation = newIncarnation('', created)
  createSegment(dir, { number: 1, starts: Array.from({ length: partitions }, () => 0), created, incarnation })
  return incarnation
}

/** Moves pages from the write-ahead log into the segment. If that fails, records stay readable from that log. */
const checkpoint = (db: DatabaseSync, mode: 'truncate' | 'passive'): void => {
  try {
    db.exec(`pragma wal_checkpoint(${mode})`)
  } catch {
    // The next call moves the pages.
  }
}

/** Deletes segments that have no record at or after these offsets, except the newest one. */
const removeSpent = (dir: string, heads: SegmentHead[], limits: readonly number[]): void => {
  for (;;) {
    const [oldest, follower] = heads
    if (oldest === undefined || follower === undefined) break
    const spent = follower.starts.every(
      (end, partition) => end === oldest.starts[partition] || end <= (limits[partition] ?? 0),
    )
    if (!spent) break
    removeSegment(dir, oldest.number)
    heads.shift()
  }
}

/** Writes the chunks of a group, except those that their producer's stamp excludes. */
const writeGroup = (
  segment: OpenSegment,
  group: PackedGroup,
  next: readonly number[],
  producers: ReturnType<typeof createProducers>,
  time: number,
): { firsts: ReturnType<Appender['append']>['firsts']; ends: number[]; stored: number } => {
  let stored = 0
  const firsts: ReturnType<Appender['append']>['firsts'] = []
  const ends = [...next]
  let checked: { stamp: ProducerStamp | undefined; result: StampResult } = { stamp: undefined, result: 'new' }
  for (const { partition, count, from, to, addressed, stamp } of group.chunks) {
    const first = ends[partition]
    if (first === undefined) throw new RangeError(`The log has no partition ${partition}`)
    // Chunks of one group are adjacent.
    if (stamp !== checked.stamp)
      checked = { stamp, result: stamp === undefined ? 'new' : producers.check(stamp, partition) }
    if (checked.result !== 'new') {
      firsts.push(checked.result)
      continue
    }
    const { body, size } = compressChunk(group.bytes.subarray(from, to))
    segment.insert.run(partition, first, count, time, addressed ? 1 : 0, body, size)
    stored += body.byteLength
    if (size > 0) freeWhole(body)
    firsts.push(first)
    ends[partition] = first + count
  }
  return { firsts, ends, stored }
}

/**
 * Opens the folder for appending. Creates it if missing, and repairs the effects of a kill. Only one appender may have
 * a folder open. Throws if the folder belongs to a log with another number of partitions.
 */
export const openAppender = (options: AppenderOptions, clock: () => number = Date.now): Appender => {
  const { dir, partitions } = options
  /** The incarnation of this appender's records; undefined before its first append to an existing log. */
  let incarnation = prepareFolder(dir, partitions, clock())
  const heads = readHeads(dir)
  const newest = heads.at(-1)
  if (newest === undefined || newest.starts.length !== partitions)
    throw new Error(`The log in ${dir} has ${newest?.starts.length ?? 0} partitions, not ${partitions}`)
  let current: OpenSegment | undefined = openSegment(dir, newest.number)
  const noted = notedEnds(dir, newest.number)
  let next = noted?.ends ?? nextOffsets(current)
  const producers = createProducers(noted?.producers ?? readProducers(current.db))

  const leave = (): void => {
    if (current === undefined) return
    checkpoint(current.db, 'truncate')
    try {
      current.db.close()
    } finally {
      current = undefined
    }
  }

  /** Starts a segment at the acknowledged ends, so that a failed commit that reappears is in no segment. */
  const roll = (): OpenSegment => {
    const last = heads.at(-1)
    const created = clock()
    incarnation ??= newIncarnation(last?.incarnation ?? '', created)
    const head = { number: (last?.number ?? 0) + 1, starts: [...next], created, incarnation }
    createSegment(dir, head, producers.rows())
    heads.push(head)
    leave()
    current = openSegment(dir, head.number)
    return current
  }

  const recover = (segment: OpenSegment, error: unknown): void => {
    try {
      if (segment.db.isTransaction) segment.db.exec('rollback')
      if (isFull(error)) return
    } catch {
      // If even the rollback fails, the file is given up, like after a failed sync.
    }
    // After a failed sync the system may treat pages as written that never reached the disk, so a new file is begun.
    try {
      roll()
    } catch {
      noteEnds(dir, segment.head.number, { ends: next, producers: producers.rows() })
      leave()
    }
  }

  /** Runs writes in one transaction, together with their decisions about producers. */
  const durably = <Result>(segment: OpenSegment, work: (segment: OpenSegment) => Result): Result => {
    try {
      segment.begin.run()
      const result = work(segment)
      producers.write(segment.insertProducer)
      faultPoint('log.before-sync')
      segment.commit.run()
      producers.commit()
      return result
    } catch (error) {
      producers.rollback()
      recover(segment, error)
      throw error
    }
  }

  /**
   * Whether a segment has been open for too long. A segment without records is never too old, because it has nothing to
   * trim.
   */
  const isOld = ({ head }: OpenSegment): boolean =>
    clock() >= head.created + options.segmentMs && next.some((end, partition) => end !== head.starts[partition])
  const toWrite = (): OpenSegment =>
    current === undefined || current.bytes >= options.segmentBytes || isOld(current) ? roll() : current
  /** The segment to append to, which has this appender's incarnation. */
  const toAppend = (): OpenSegment => (incarnation === undefined ? roll() : toWrite())

  if (noted !== undefined) roll()

  return {
    append(group) {
      const { segment, firsts, ends, stored } = durably(toAppend(), (to) => ({
        segment: to,
        ...writeGroup(to, group, next, producers, clock()),
      }))
      next = ends
      segment.bytes += group.bytes.byteLength
      segment.unmoved += stored
      return { firsts, memory: group.bytes.buffer }
    },
    beginEpoch: (producer) => durably(toWrite(), () => producers.beginEpoch(producer)),
    lastSequences: (producer) => producers.sequences(producer),

    maintain() {
      if (current === undefined || current.unmoved < checkpointBytes) return
      checkpoint(current.db, 'passive')
      current.unmoved = 0
    },

    trim(before) {
      const limits = Array.from({ length: partitions }, () => 0)
      for (const { partition, offset } of before) limits[partition] = offset
      removeSpent(dir, heads, limits)
      if (current !== undefined && isOld(current)) roll()
    },

    stats() {
      const starts = heads[0]?.starts ?? []
      return {
        partitions: next.map((end, partition) => ({ partition, first: starts[partition] ?? 0, next: end })),
        bytes: heads.reduce((sum, { number }) => sum + segmentBytesOnDisk(dir, number), 0),
      }
    },

    close: leave,
  }
}
