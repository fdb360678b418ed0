import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivateFolder, reservePrivateFile } from '../../supervisor/private-files.ts'
import type { ConsumerJournal, JournalRange } from '../journal-port.ts'
import { createIdBuckets } from './id-buckets.ts'

export type JournalOptions = {
  /** The journal's database file; its folder is made when missing. One process at a time. */
  file: string
  /** How long ids are remembered at least, milliseconds; 24 hours unless told. */
  windowMs?: number
  /** How long one bucket takes ids, milliseconds; an hour unless told. */
  bucketMs?: number
  /** How many ids one bucket takes. */
  bucketIds?: number
  /** Memory for filters, bytes: 64 MiB hold those of 30 million ids. */
  filterBytes?: number
}

const open = (file: string): DatabaseSync => {
  makePrivateFolder(dirname(file))
  reservePrivateFile(file)
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    // Dropped buckets leave free pages for the ones that follow: the file keeps the size of the window.
    db.exec('pragma journal_mode = wal')
    db.exec('pragma synchronous = full')
    db.exec('pragma wal_autocheckpoint = 8000')
    db.exec('pragma cache_size = -32000')
    db.exec(`create table if not exists position (partition integer primary key, next integer not null);
      create table if not exists note (partition integer primary key, text text not null);
      create table if not exists open_range (id integer primary key autoincrement, partition integer not null,
        "from" integer not null, "to" integer not null, token text not null)`)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens a consumer's journal on SQLite in the calling thread. Every call that writes is one transaction with a sync
 * and is complete on disk when it returns; when it throws (disk full), nothing of it is kept and it can be called again.
 */
export const openJournal = (options: JournalOptions): ConsumerJournal => {
  const db = open(options.file)
  const buckets = createIdBuckets(db, {
    windowMs: options.windowMs ?? 24 * 60 * 60 * 1000,
    bucketMs: options.bucketMs ?? 60 * 60 * 1000,
    bucketIds: options.bucketIds ?? 250_000,
    filterBytes: options.filterBytes ?? 64 * 1024 * 1024,
  })
  const allPositions = db.prepare('select partition, next from position order by partition')
  const allRanges = db.prepare('select partition, "from", "to", token from open_range order by id')
  const addRange = db.prepare('insert into open_range (partition, "from", "to", token) values (?, ?, ?, ?)')
  const setPosition = db.prepare(
    'insert into position values (?, ?) on conflict (partition) do update set next = excluded.next',
  )
  const allNotes = db.prepare('select partition, text from note order by partition')
  const setNote = db.prepare(
    'insert into note values (?, ?) on conflict (partition) do update set text = excluded.text',
  )
  const endRanges = db.prepare('delete from open_range where partition = ? and "to" <= ?')

  const fresh = allPositions.get() === undefined && allRanges.get() === undefined

  const durably = <Result>(write: () => Result): Result => {
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

  return {
    fresh,
    positions: () => new Map(allPositions.all().map((row) => [Number(row.partition), Number(row.next)])),
    openRanges: (): JournalRange[] =>
      allRanges.all().map((row) => ({
        partition: Number(row.partition),
        from: Number(row.from),
        to: Number(row.to),
        token: String(row.token),
      })),
    firstSeen: (hash) => buckets.find(hash),
    begin(ranges, ids, now) {
      const remembered = durably(() => {
        for (const { partition, from, to, token } of ranges) addRange.run(partition, from, to, token)
        return ids.length === 0 ? undefined : buckets.add(ids, now)
      })
      remembered?.()
    },
    notes: () => new Map(allNotes.all().map((row) => [Number(row.partition), String(row.text)])),
    commit(positions, notes = new Map()) {
      durably(() => {
        for (const [partition, next] of positions) {
          setPosition.run(partition, next)
          endRanges.run(partition, next)
        }
        for (const [partition, text] of notes) setNote.run(partition, text)
      })
    },
    remember(ids, now) {
      if (ids.length === 0) return
      durably(() => buckets.add(ids, now))()
    },
    expire(now) {
      durably(() => buckets.expire(now))
    },
    close: () => db.close(),
  }
}
