import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SeenId } from '../journal-port.ts'
import { createFilterBank, type FilterBank } from './filter-bank.ts'

export type IdBucketsOptions = {
  /** Minimum time that an ID is kept, ms. */
  windowMs: number
  /** How long a bucket receives IDs, ms. An ID is deleted at most this much too late. */
  bucketMs: number
  /** Maximum number of IDs in a bucket, since a small tree keeps inserts cheap. */
  bucketIds: number
  /** Memory for filters, bytes. The oldest buckets beyond it have no filter, and are looked up on disk each time. */
  filterBytes: number
}

type Bucket = {
  id: number
  start: number
  /** The time when its newest ID was seen, epoch ms. */
  end: number
  count: number
  /** The number of its filter in the bank; undefined for some of the oldest buckets. */
  filter: number | undefined
  find: StatementSync
  insert: StatementSync
}

export type IdBuckets = {
  find(hash: Uint8Array): Omit<SeenId, 'hash'> | undefined
  /** Adds IDs. Call it inside a transaction, and call the returned function once the transaction is durable. */
  add(ids: readonly SeenId[], now: number): () => void
  expire(now: number): void
}

/** Maximum number of IDs in one call that are sorted. A larger number keeps its order. */
const places = 2 ** 21

/**
 * The indexes of the IDs in the order of the tree, so that each of its pages is visited once. IDs are sorted by the
 * first 32 bits of their hash, combined with the index in one number. Sorting numbers costs a tenth of comparing
 * hashes.
 */
const treeOrder = (ids: readonly SeenId[]): Float64Array => {
  if (ids.length > places) return Float64Array.from(ids.keys())
  const keys = new Float64Array(ids.length)
  for (let at = 0; at < ids.length; at++) {
    const { hash } = ids[at] as SeenId
    const first = (hash[0] ?? 0) * 2 ** 24 + (hash[1] ?? 0) * 2 ** 16 + (hash[2] ?? 0) * 2 ** 8 + (hash[3] ?? 0)
    keys[at] = first * places + at
  }
  keys.sort()
  return keys.map((key) => key % places)
}

const openBucket = (db: DatabaseSync, id: number): Pick<Bucket, 'find' | 'insert'> => ({
  find: db.prepare(`select partition, offset, position from ids_${id} where hash = ?`),
  insert: db.prepare(`insert or ignore into ids_${id} (hash, partition, offset, position) values (?, ?, ?, ?)`),
})

const rebuildFilter = (db: DatabaseSync, id: number, bank: FilterBank): { filter: number; count: number } => {
  const filter = bank.begin()
  let count = 0
  for (const { hash } of db.prepare(`select hash from ids_${id}`).iterate()) {
    if (hash instanceof Uint8Array) bank.add(filter, hash)
    count++
  }
  return { filter, count }
}

/** The existing buckets; the newest `filtered` of them have a filter. */
const readBuckets = (db: DatabaseSync, bank: FilterBank, filtered: number): Bucket[] => {
  const rows = db.prepare('select id, start, "end", count, filter from bucket order by id').all()
  return rows.map((row, at) => {
    const id = Number(row.id)
    const found = { id, start: Number(row.start), end: Number(row.end), ...openBucket(db, id) }
    if (at < rows.length - filtered) return { ...found, count: Number(row.count), filter: undefined }
    // A bucket that was never closed has no stored filter, and with other settings its size differs.
    if (row.filter instanceof Uint8Array && row.filter.length === bank.filterBytes)
      return { ...found, count: Number(row.count), filter: bank.begin(row.filter) }
    return { ...found, ...rebuildFilter(db, id, bank) }
  })
}

/**
 * Message IDs in buckets of time, each in its own table, which is dropped as a whole. A full or old bucket is closed
 * and its filter stored, so that opening reads only the IDs of the newest bucket. Each call touches most of a tree's
 * pages. With 10,000 IDs per call, buckets of 250,000 IDs took 22 ms of processor time, and buckets of a million 41 ms.
 */
export const createIdBuckets = (db: DatabaseSync, options: IdBucketsOptions): IdBuckets => {
  db.exec(`create table if not exists bucket (
    id integer primary key, start integer not null, "end" integer not null, count integer not null, filter blob)`)
  const touch = db.prepare('update bucket set "end" = ?, count = ? where id = ?')
  const seal = db.prepare('update bucket set filter = ? where id = ?')
  const register = db.prepare('insert into bucket (id, start, "end", count) values (?, ?, ?, 0)')
  const forget = db.prepare('delete from bucket where id = ?')
  const bank = createFilterBank(options.bucketIds)
  const maxFilters = Math.max(1, Math.floor(options.filterBytes / bank.filterBytes))
  let buckets = readBuckets(db, bank, maxFilters)

  const endFilter = (bucket: Bucket): void => {
    if (bucket.filter !== undefined) bank.end(bucket.filter)
    bucket.filter = undefined
  }

  const create = (now: number): Bucket => {
    const id = (buckets.at(-1)?.id ?? 0) + 1
    db.exec(`create table ids_${id} (
      hash blob primary key, partition integer not null, offset integer not null, position integer not null) without rowid`)
    register.run(id, now, now)
    return { id, start: now, end: now, count: 0, filter: undefined, ...openBucket(db, id) }
  }

  const takesMore = (bucket: Bucket, ids: number, now: number): boolean =>
    now < bucket.start + options.bucketMs && (bucket.count === 0 || bucket.count + ids <= options.bucketIds)

  return {
    find(hash) {
      const held = bank.mayAnyHold(hash)
      // Oldest first, since the first position wins. Buckets without a filter are the oldest.
      for (const bucket of buckets) {
        if (bucket.filter !== undefined) {
          if (!held) return undefined
          if (!bank.mayHold(bucket.filter, hash)) continue
        }
        const row = bucket.find.get(hash)
        if (row !== undefined)
          return { partition: Number(row.partition), offset: Number(row.offset), index: Number(row.position) }
      }
      return undefined
    },

    add(ids, now) {
      const last = buckets.at(-1)
      const fits = last !== undefined && takesMore(last, ids.length, now)
      if (last !== undefined && !fits) seal.run(last.filter === undefined ? null : bank.bytesOf(last.filter), last.id)
      const bucket = fits ? last : create(now)
      for (const at of treeOrder(ids)) {
        const { hash, partition, offset, index } = ids[at] as SeenId
        bucket.insert.run(hash, partition, offset, index)
      }
      const end = Math.max(bucket.end, now)
      const count = bucket.count + ids.length
      touch.run(end, count, bucket.id)
      return () => {
        bucket.end = end
        bucket.count = count
        bucket.filter ??= bank.begin()
        for (const { hash } of ids) bank.add(bucket.filter, hash)
        if (bucket === last) return
        buckets.push(bucket)
        // The oldest buckets lose their filters if there are more than memory allows.
        for (const old of buckets.slice(0, -maxFilters)) endFilter(old)
      }
    },

    expire(now) {
      const old = buckets.filter(({ end }) => end < now - options.windowMs)
      if (old.length === 0) return
      for (const bucket of old) {
        forget.run(bucket.id)
        db.exec(`drop table ids_${bucket.id}`)
        endFilter(bucket)
      }
      buckets = buckets.filter((bucket) => !old.includes(bucket))
    },
  }
}
