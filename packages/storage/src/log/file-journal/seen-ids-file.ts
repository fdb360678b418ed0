import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { makePrivateFolder, reservePrivateFile } from '../../supervisor/private-files.ts'
import type { SeenId } from '../journal-port.ts'
import { createIdBuckets, type IdBuckets } from './id-buckets.ts'
import { bucketOptions, type JournalOptions } from './journal.ts'

/** Message ids in a file that may be lost at any time: only its name and serial say whether it can be trusted. */
export type SeenIdsFile = {
  /** The name it was given last; undefined for a file without one. */
  readonly name: string | undefined
  /** That of the last ids that were added with one. */
  readonly serial: number
  /** Gives it a name. */
  call(name: string): void
  find: IdBuckets['find']
  /** Adds ids, of which those that are there keep their place. All or none are there on return; a crash of the machine may lose them. */
  add(ids: readonly SeenId[], now: number, serial?: number): void
  expire(now: number): void
  /** Forgets the positions and ranges of the journal that the file was. */
  dropJournal(): void
  /** Forgets all of it, its name included. */
  empty(): void
  close(): void
}

const openFile = (file: string): DatabaseSync => {
  makePrivateFolder(dirname(file))
  reservePrivateFile(file)
  const db = new DatabaseSync(file, { timeout: 5000 })
  db.exec('pragma journal_mode = wal')
  // Writes that a crash of the machine loses are noticed by the serial.
  db.exec('pragma synchronous = normal')
  db.exec('pragma wal_autocheckpoint = 8000')
  db.exec('pragma cache_size = -8000')
  db.exec('create table if not exists ids_file (only_one integer primary key, name text, serial integer not null)')
  db.exec('insert or ignore into ids_file values (1, null, 0)')
  return db
}

/** Opens such a file, made when missing, in the calling thread. An unreadable one is replaced. */
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
