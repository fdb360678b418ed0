import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { reservePrivateFile } from '../../supervisor/private-files.ts'
import { type ProducerRow, prepareProducers, producerTable, writeProducers } from './producers.ts'

/** The head of a segment, which never changes after its creation. */
export type SegmentHead = {
  number: number
  /** First offset of each partition that belongs to this segment. */
  starts: readonly number[]
  /** The incarnation of all its records; '' in segments from before incarnations existed. */
  incarnation: string
  /** Time of creation, epoch ms. */
  created: number
}

const fileName = /^segment-(\d{10})\.db$/

/** The path of a segment's database file. */
export const segmentPath = (dir: string, number: number): string =>
  join(dir, `segment-${String(number).padStart(10, '0')}.db`)

/** Numbers of the segments in a folder, ascending. Incomplete ones are not listed. */
export const listSegments = (dir: string): number[] =>
  readdirSync(dir)
    .map((name) => Number(fileName.exec(name)?.[1] ?? Number.NaN))
    .filter((number) => !Number.isNaN(number))
    .sort((a, b) => a - b)

const syncFolder = (dir: string): void => {
  const folder = openSync(dir, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** Removes the remains of an interrupted creation or deletion of a segment. */
export const clearHalfMade = (dir: string): void => {
  const kept = new Set(listSegments(dir))
  for (const name of readdirSync(dir)) {
    const sidecar = /^segment-(\d{10})\.db-(?:wal|shm)$/.exec(name)
    if (/^segment-\d{10}\.db\.new/.test(name) || (sidecar !== null && !kept.has(Number(sidecar[1]))))
      rmSync(join(dir, name), { force: true })
  }
}

/** 8 KiB pages: the fastest for 0.8 kB records spread over 64 partitions, and for 80 kB records in one. */
const pageBytes = 8192

/**
 * Creates a segment, which is complete and on disk when it returns. If it throws or is interrupted, no file has the
 * segment's name, since the draft is renamed at the end. `producers` are carried over from the previous segment.
 */
export const createSegment = (dir: string, head: SegmentHead, producers: readonly ProducerRow[] = []): void => {
  const path = segmentPath(dir, head.number)
  const draft = `${path}.new`
  for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
  // SQLite gives the side files of the draft the same mode.
  reservePrivateFile(draft)
  const db = new DatabaseSync(draft)
  try {
    db.exec(`pragma page_size = ${pageBytes}`)
    db.exec('pragma journal_mode = wal')
    db.exec('pragma synchronous = full')
    db.exec(`begin immediate;
      create table head (number integer not null, starts text not null, created integer not null,
        incarnation text not null);
      create table chunk (id integer primary key, partition integer not null, first integer not null,
        count integer not null, time integer not null, addressed integer not null default 1, body blob not null,
        size integer not null default 0);
      create unique index chunk_by_offset on chunk (partition, first);
      ${producerTable}`)
    writeProducers(prepareProducers(db), producers)
    const { number, starts, created, incarnation } = head
    db.prepare('insert into head values (?, ?, ?, ?)').run(number, JSON.stringify(starts), created, incarnation)
    db.exec('commit')
    // Closing the last connection moves all pages out of the write-ahead log, whose name would not match after the
    // rename. A failure during closing would be hidden, so the pages are moved here, where it throws.
    const moved = db.prepare('pragma wal_checkpoint(truncate)').get()
    if (moved?.busy !== 0) throw new Error('A new segment of the log could not be completed')
  } finally {
    db.close()
  }
  renameSync(draft, path)
  syncFolder(dir)
}

/** Deletes a segment and its side files. The database goes first, so that leftovers never look like a segment. */
export const removeSegment = (dir: string, number: number): void => {
  const path = segmentPath(dir, number)
  for (const suffix of ['', '-wal', '-shm', '.ends']) rmSync(path + suffix, { force: true })
  syncFolder(dir)
}

/** Bytes of a segment on disk. */
export const segmentBytesOnDisk = (dir: string, number: number): number => {
  const path = segmentPath(dir, number)
  let bytes = 0
  for (const suffix of ['', '-wal']) bytes += statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0
  return bytes
}

/** Columns that chunks of older segments lack, with their default: not compressed, and possibly addressed. */
const addedColumns = { size: 0, addressed: 1 } as const

/** Whether the chunks of a segment have a newer column. */
export const hasColumn = (db: DatabaseSync, name: keyof typeof addedColumns): boolean =>
  db.prepare("select 1 as found from pragma_table_info('chunk') where name = ?").get(name) !== undefined

/** Adds the newer columns to an older segment. */
export const addColumns = (db: DatabaseSync): void => {
  for (const name of ['size', 'addressed'] as const)
    if (!hasColumn(db, name))
      db.exec(`alter table chunk add column ${name} integer not null default ${addedColumns[name]}`)
}

/** Opens a segment for writing: every commit is synced before it returns, and checkpoints run only on request. */
export const openForWriting = (dir: string, number: number): DatabaseSync => {
  const db = new DatabaseSync(segmentPath(dir, number), { timeout: 5000 })
  db.exec('pragma synchronous = full')
  db.exec('pragma wal_autocheckpoint = 0')
  db.exec('pragma cache_size = -8000')
  return db
}

/** Opens a segment for reading. Throws if it does not exist. */
export const openForReading = (dir: string, number: number): DatabaseSync => {
  const db = new DatabaseSync(segmentPath(dir, number), { readOnly: true, timeout: 5000 })
  db.exec('pragma cache_size = -2000')
  return db
}

/** Reads a segment's head. Throws if the file is not a segment. */
export const readHead = (db: DatabaseSync): SegmentHead => {
  const row = db.prepare('select * from head').get()
  if (row === undefined) throw new Error('A segment of the log has no head')
  const starts: unknown = JSON.parse(String(row.starts))
  if (!Array.isArray(starts)) throw new Error('A segment of the log has a damaged head')
  return {
    number: Number(row.number),
    starts: starts.map(Number),
    created: Number(row.created),
    // Older segments do not have this column.
    incarnation: String(row.incarnation ?? ''),
  }
}

const endsPath = (dir: string, number: number): string => `${segmentPath(dir, number)}.ends`

/** The ends of the acknowledged records in a segment, and the acknowledged sequences of producers. */
type Noted = { ends: number[]; producers: readonly ProducerRow[] }

/**
 * Records the ends of a segment's acknowledged records, if a sync has failed and no new segment can be created. Later
 * records were rejected, and must not reappear from the write-ahead log at the next start. Succeeds as far as a failing
 * disk allows.
 */
export const noteEnds = (dir: string, number: number, noted: Noted): void => {
  try {
    writeFileSync(endsPath(dir, number), JSON.stringify(noted), { flush: false, mode: 0o600 })
  } catch {
    // The disk accepts no writes at all.
  }
}

/** The note of `noteEnds`, or undefined if there is no complete one. */
export const notedEnds = (dir: string, number: number): Noted | undefined => {
  try {
    const noted: Noted | number[] = JSON.parse(readFileSync(endsPath(dir, number), 'utf8'))
    // A file from before producers existed has only a list of ends.
    return Array.isArray(noted) ? { ends: noted, producers: [] } : noted
  } catch {
    return undefined
  }
}
