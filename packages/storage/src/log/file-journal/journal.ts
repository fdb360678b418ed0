import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivateFolder, reservePrivateFile } from '../../supervisor/private-files.ts'
import { createSeenIncarnations } from '../incarnations.ts'
import type { FileJournal, JournalPlace, JournalRange } from '../journal-port.ts'
import { createIdBuckets, type IdBucketsOptions } from './id-buckets.ts'

/** Minimum time that a message ID is kept: a repetition within it is stored only once. */
export const deduplicationWindowMs = 24 * 60 * 60 * 1000

export type JournalOptions = {
  /** The journal's database file; its folder is created if missing. Only one process may use it at a time. */
  file: string
  /** Minimum time that IDs are kept, ms; 24 hours unless given. */
  windowMs?: number
  /** How long a bucket receives IDs, ms; an hour unless given. */
  bucketMs?: number
  /** Maximum number of IDs in a bucket. */
  bucketIds?: number
  /**
   * Memory for filters, bytes: 128 MiB is enough for 64 million IDs. Each further 250,000 IDs cost one more look-up on
   * disk.
   */
  filterBytes?: number
}

/** The settings of ID buckets, with defaults. */
export const bucketOptions = (options: JournalOptions): IdBucketsOptions => ({
  windowMs: options.windowMs ?? deduplicationWindowMs,
  bucketMs: options.bucketMs ?? 60 * 60 * 1000,
  bucketIds: options.bucketIds ?? 250_000,
  filterBytes: options.filterBytes ?? 128 * 1024 * 1024,
})

const open = (file: string): DatabaseSync => {
  makePrivateFolder(dirname(file))
  reservePrivateFile(file)
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    // Dropped buckets leave free pages for later ones, so the file keeps the size of the window.
    db.exec('pragma journal_mode = wal')
    db.exec('pragma synchronous = full')
    db.exec('pragma wal_autocheckpoint = 8000')
    // A larger cache makes inserts of IDs no cheaper: 2.3 µs each with both 8 and 32 MB.
    db.exec('pragma cache_size = -8000')
    db.exec(`create table if not exists position (partition integer primary key, next integer not null);
      create table if not exists note (partition integer primary key, text text not null);
      create table if not exists open_range (id integer primary key autoincrement, partition integer not null,
        "from" integer not null, "to" integer not null, token text not null)`)
    // Journals from before incarnations existed have no such column; the incarnation of all their records is ''.
    for (const table of ['position', 'open_range'])
      if (db.prepare(`select 1 from pragma_table_info('${table}') where name = 'incarnation'`).get() === undefined)
        db.exec(`alter table ${table} add column incarnation text default ''`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** An incarnation as it is stored: null if the record was never read. */
const nameOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Writes in one transaction with a sync. */
const inTransaction = <Result>(db: DatabaseSync, write: () => Result): Result => {
  db.exec('begin immediate')
  try {
    const result = write()
    db.exec('commit')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

/** Keeps the result of a read in memory until `forget`. */
const createKept = <Value>(read: () => Value): { get(): Value; forget(): void } => {
  let kept: { value: Value } | undefined
  return {
    get: () => (kept ??= { value: read() }).value,
    forget: () => {
      kept = undefined
    },
  }
}

/**
 * Opens a consumer's journal on SQLite in the calling thread. Each call that writes is one transaction with a sync, and
 * is on disk when it returns. If it throws (disk full), nothing of it is stored and it can be called again.
 */
export const openJournal = (options: JournalOptions): FileJournal => {
  const db = open(options.file)
  const buckets = createIdBuckets(db, bucketOptions(options))
  const allPositions = db.prepare('select partition, next, incarnation from position order by partition')
  const allRanges = db.prepare('select partition, "from", "to", token, incarnation from open_range order by id')
  const addRange = db.prepare(
    'insert into open_range (partition, "from", "to", token, incarnation) values (?, ?, ?, ?, ?)',
  )
  const setPosition = db.prepare(
    `insert into position (partition, next, incarnation) values (?, ?, ?)
     on conflict (partition) do update set next = excluded.next, incarnation = excluded.incarnation`,
  )
  const allNotes = db.prepare('select partition, text from note order by partition')
  const setNote = db.prepare(
    'insert into note values (?, ?) on conflict (partition) do update set text = excluded.text',
  )
  const endRanges = db.prepare('delete from open_range where partition = ? and "to" <= ?')
  const dropRanges = db.prepare('delete from open_range where partition = ? and "to" > ?')

  const places = (): Map<number, JournalPlace> =>
    new Map(
      allPositions
        .all()
        .map((row) => [Number(row.partition), { offset: Number(row.next), incarnation: nameOf(row.incarnation) }]),
    )
  let seen = createSeenIncarnations(places())
  // Positions are asked for many times a second, and only this thread writes them.
  const positions = createKept(
    () => new Map(allPositions.all().map((row) => [Number(row.partition), Number(row.next)])),
  )
  const notes = createKept(() => new Map(allNotes.all().map((row) => [Number(row.partition), String(row.text)])))

  return {
    fresh: allPositions.get() === undefined && allRanges.get() === undefined,
    places,
    openEnds: () =>
      allRanges.all().map(({ partition, to, incarnation }) => {
        return { partition: Number(partition), offset: Number(to), incarnation: nameOf(incarnation) }
      }),
    saw: (records) => seen.saw(records),
    rewind(partition, { offset, incarnation }) {
      positions.forget()
      inTransaction(db, () => {
        setPosition.run(partition, offset, incarnation ?? null)
        dropRanges.run(partition, offset)
      })
      seen = createSeenIncarnations(places())
    },
    positions: positions.get,
    openRanges: (): JournalRange[] =>
      allRanges.all().map((row) => ({
        partition: Number(row.partition),
        from: Number(row.from),
        to: Number(row.to),
        token: String(row.token),
      })),
    firstSeen: (hash) => buckets.find(hash),
    begin(ranges, ids, now) {
      const remembered = inTransaction(db, () => {
        for (const { partition, from, to, token } of ranges)
          addRange.run(partition, from, to, token, seen.before(partition, to) ?? null)
        return ids.length === 0 ? undefined : buckets.add(ids, now)
      })
      remembered?.()
    },
    notes: notes.get,
    commit(reached, noted = new Map()) {
      positions.forget()
      notes.forget()
      inTransaction(db, () => {
        for (const [partition, next] of reached) {
          setPosition.run(partition, next, seen.before(partition, next) ?? null)
          endRanges.run(partition, next)
        }
        for (const [partition, text] of noted) setNote.run(partition, text)
      })
    },
    remember(ids, now) {
      if (ids.length === 0) return
      inTransaction(db, () => buckets.add(ids, now))()
    },
    expire(now) {
      inTransaction(db, () => buckets.expire(now))
    },
    close: () => db.close(),
  }
}
