import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivateFolder, reservePrivateFile } from '../../supervisor/private-files.ts'
import type { SeenId } from '../journal-port.ts'
import { createIdBuckets, type IdBuckets } from './id-buckets.ts'
import { bucketOptions, type JournalOptions } from './journal.ts'

/** Message IDs in a file that may be lost at any time. Only its name and serial show whether it can be trusted. */
export type SeenIdsFile = {
  /** The name that the file stores; undefined if it has none. */
  readonly name: string | undefined
  /** The serial of the last added IDs. */
  readonly serial: number
  /** Stores the name by which a journal recognizes the file. */
  call(name: string): void
  find: IdBuckets['find']
  /**
   * Adds IDs; existing IDs keep their positions. On return, all of them are stored, but a crash of the machine may lose
   * them. If it throws, none is stored.
   */
  add(ids: readonly SeenId[], now: number, serial?: number): void
  expire(now: number): void
  /** Removes the positions and ranges, if the file was a journal before. */
  dropJournal(): void
  /** Removes all content, including the name. */
  empty(): void
  close(): void
}

const openFile = (file: string): DatabaseSync => {
  makePrivateFolder(dirname(file))
  reservePrivateFile(file)
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.exec('pragma journal_mode = wal')
  // The serial shows whether a crash of the machine has lost writes.
  db.exec('pragma synchronous = normal')
  db.exec('pragma wal_autocheckpoint = 8000')
  db.exec('pragma cache_size = -8000')
  db.exec('create table if not exists ids_file (only_one integer primary key, name text, serial integer not null)')
  db.exec('insert or ignore into ids_file values (1, null, 0)')
  return db
}

/** Opens a file of message IDs in the calling thread, and creates it if missing. An unreadable file is replaced. */
export const openSeenIdsFile = (options: JournalOptions): SeenIdsFile => {
  const begin = () => {
    const db = openFile(options.file)
    const row = db.prepare('select name, serial from ids_file').get()
    return {
      db,
      buckets: createIdBuckets(db, bucketOptions(options)),
      name: typeof row?.name === 'string' ? row.name : undefined,
      serial: Number(row?.serial ?? 0),
    }
  }
  const remove = (): void => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${options.file}${suffix}`, { force: true })
  }
  const beginAnyhow = (): ReturnType<typeof begin> => {
    try {
      return begin()
    } catch {
      remove()
      return begin()
    }
  }
  let open = beginAnyhow()

  const inTransaction = <Result>(write: () => Result): Result => {
    open.db.exec('begin immediate')
    try {
      const result = write()
      open.db.exec('commit')
      return result
    } catch (error) {
      if (open.db.isTransaction) open.db.exec('rollback')
      throw error
    }
  }

  return {
    get name() {
      return open.name
    },
    get serial() {
      return open.serial
    },
    call(name) {
      open.db.prepare('update ids_file set name = ?').run(name)
      open.name = name
    },
    find: (hash) => open.buckets.find(hash),
    add(ids, now, serial) {
      const remembered = inTransaction(() => {
        if (serial !== undefined) open.db.prepare('update ids_file set serial = ?').run(serial)
        return ids.length === 0 ? undefined : open.buckets.add(ids, now)
      })
      remembered?.()
      open.serial = serial ?? open.serial
    },
    expire(now) {
      inTransaction(() => open.buckets.expire(now))
    },
    dropJournal() {
      open.db.exec('drop table if exists position; drop table if exists note; drop table if exists open_range')
    },
    empty() {
      open.db.close()
      remove()
      open = begin()
    },
    close: () => open.db.close(),
  }
}
