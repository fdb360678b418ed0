import {
  type Database,
  deadLetterBelowOffset,
  deadLetterBeyond,
  deadLetterDestination,
  deadLetterOld,
  deleteParked,
  insertParked,
  type LogPosition,
  makeWaitingDue,
  markParkedReported,
  purgeDeadLetters,
  writeParkedRange,
} from '@tributary/storage'
import type { Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Lane } from '../log/record.ts'
import {
  type DeadRow,
  deadRow,
  fromDatabase,
  type NewParkedRow,
  type ParkedRange,
  type ParkedRow,
  type ParkingChange,
  rowColumns,
  type SelectedRow,
  toDatabase,
} from './parked-row.ts'

type WaitingSummary = { destinationId: string; lane: Lane; rows: number; nextTime: number }

type Settle = (unwritten: ReadonlySet<string>) => void

/** The part of a partition that belongs to one destination. */
export type DestinationPartition = { destinationId: string; partition: number }

export type Parking = {
  /**
   * Adds a change, and calls `settle` when it is durable, with the IDs of rows that were not written. These were of
   * records that were read again, and an earlier row already has their events.
   */
  push(change: ParkingChange, settle: Settle): void
  buffered(): number
  /** Writes pushed changes, and the given change with them. Rejects if the store is down, and loses nothing then. */
  flush(extra?: ParkingChange): Promise<void>
  /** Waiting rows (not ranges) of the owned partitions, per destination and lane. */
  summary(): Promise<WaitingSummary[]>
  /** Reads every waiting range of these partitions; if absent, of the owned partitions. */
  ranges(partitions?: ReadonlySet<number>): Promise<ParkedRange[]>
  /**
   * Waiting rows (not ranges) of a lane of a destination without the given IDs, ordered by due time or by place in the
   * log, and whether there may be more. Their values of profiles take at most 4 MB, unless one row has more.
   */
  waiting(
    destinationId: string,
    lane: Lane,
    without: readonly string[],
    limit: number,
    order?: 'due' | 'place',
  ): Promise<{ rows: ParkedRow[]; more: boolean }>
  /**
   * Returns those of the given partitions in which rows or ranges of a destination wait. The partitions can have any
   * owner.
   */
  waitingIn(places: readonly DestinationPartition[]): Promise<DestinationPartition[]>
  /** Makes every waiting row of a destination due. */
  makeDue(destinationId: string, now: number): Promise<void>
  /** Dead-letters every waiting row of a destination; resolves to the number of events. */
  deadLetterAll(destinationId: string, reason: string): Promise<number>
  /**
   * Dead-letters rows of the owned partitions that have waited since before `before`, or exceed the maximum number in
   * one of these lanes; resolves to them.
   */
  enforceLimits(limits: {
    before: number
    maxRows: number
    crowded: readonly { destinationId: string; lane: Lane }[]
  }): Promise<DeadRow[]>
  /** Dead-letters the rows (not ranges) below these offsets; resolves to them. */
  deadLetterBelow(positions: readonly LogPosition[]): Promise<DeadRow[]>
  /** A page of the waiting rows (not ranges) of producers in some partitions, in log order. */
  waitingOfProducers(partitions: ReadonlySet<number>, after: ParkedRow | undefined, limit: number): Promise<ParkedRow[]>
  /** Deletes dead letters that are older than `before` or beyond the newest `maxRows` of a destination. */
  purgeDeadLetters(limits: { before: number; maxRows: number }): Promise<void>
  /** Dead rows and ranges whose outcome has not been reported to their producer. */
  unreported(limit: number): Promise<(ParkedRange & { reason: string })[]>
  /** Marks rows as reported. */
  reported(ids: readonly string[]): Promise<void>
  /** Looks up, for each partition, the lowest offset of a row or range that waits or is unreported. */
  refreshLowest(): Promise<void>
  /** A lower bound of these offsets, from the last look-up and rows written since. */
  lowest(): ReadonlyMap<number, number>
}

/** Writes a change; resolves to the IDs of rows whose events another row already has. */
const write = async (tx: Transaction<Database>, change: ParkingChange): Promise<Set<string>> => {
  await deleteParked(tx, change.deletes)
  const unwritten = await insertParked(tx, change.rows.filter((row) => row.end === undefined).map(toDatabase))
  for (const row of change.rows.filter((candidate) => candidate.end !== undefined).map(toDatabase))
    await writeParkedRange(tx, row)
  return unwritten
}

/** Merges changes: a row that a later change deletes is not inserted. */
export const mergeChanges = (changes: readonly ParkingChange[]): ParkingChange => {
  const deletes = new Set<string>()
  const rows = new Map<string, NewParkedRow>()
  for (const change of changes) {
    for (const id of change.deletes) {
      deletes.add(id)
      rows.delete(id)
    }
    for (const row of change.rows) rows.set(row.id, row)
  }
  return { deletes: [...deletes], rows: [...rows.values()] }
}

/** Bytes of profile values at which a fetch of waiting rows ends. */
const maxFetchedBytes = 4 * 1024 * 1024

/** Sorts before every real ID. */
const noId = '00000000-0000-0000-0000-000000000000'

/** Collects changes, and writes them. Each flush is one transaction; a pushed change stays until a flush succeeds. */
const createParkingWrites = (
  db: Kysely<Database>,
): Pick<Parking, 'push' | 'buffered' | 'flush' | 'lowest' | 'refreshLowest'> => {
  let pending: { change: ParkingChange; settle: Settle }[] = []
  let lowest = new Map<number, number>()
  let writtenSince = new Map<number, number>()
  const lower = (map: Map<number, number>, partition: number, offset: number): void => {
    map.set(partition, Math.min(map.get(partition) ?? offset, offset))
  }
  return {
    push: (change, settle) => {
      pending.push({ change, settle })
    },
    buffered: () => pending.length,
    flush: async (extra = { deletes: [], rows: [] }) => {
      // A copy, since changes pushed during the transaction belong to the next one.
      const batch = [...pending]
      if (batch.length === 0 && extra.deletes.length === 0 && extra.rows.length === 0) return
      const { deletes, rows } = mergeChanges([...batch.map((item) => item.change), extra])
      const noteLowest = (): void => {
        for (const row of rows) {
          if (row.state === 'dead' && !row.needsReport) continue
          lower(lowest, row.partition, row.offset)
          lower(writtenSince, row.partition, row.offset)
        }
      }
      noteLowest()
      const unwritten = await db.transaction().execute((transaction) => write(transaction, { deletes, rows }))
      // A look-up during the transaction did not find these rows.
      noteLowest()
      pending = pending.slice(batch.length)
      for (const item of batch) item.settle(unwritten)
    },
    lowest: () => lowest,
    refreshLowest: async () => {
      writtenSince = new Map()
      const rows = await db
        .selectFrom('parked_deliveries')
        .select((select) => ['log_partition', select.fn.min('log_offset').as('low')])
        .where((where) => where.or([where('state', '=', 'waiting'), where('tells', '=', true)]))
        .groupBy('log_partition')
        .execute()
      const found = new Map(rows.map((row) => [row.log_partition, Number(row.low)]))
      for (const [partition, offset] of writtenSince) lower(found, partition, offset)
      lowest = found
    },
  }
}

/**
 * The table of parked deliveries. The owner of a partition also owns its rows: only those of `owned` are looked up.
 */
export const createParking = (db: Kysely<Database>, owned: ReadonlySet<number>): Parking => {
  const isOwned = () => sql<boolean>`log_partition = any(${[...owned]}::integer[])`
  return {
    ...createParkingWrites(db),
    summary: async () => {
      const rows = await db
        .selectFrom('parked_deliveries')
        .select((select) => [
          'destination_id',
          'bulk',
          select.fn.countAll<string>().as('rows'),
          select.fn.min('next_time').as('next_time'),
        ])
        .where('state', '=', 'waiting')
        .where('log_end', 'is', null)
        .where(isOwned())
        .groupBy(['destination_id', 'bulk'])
        .execute()
      return rows.map((row) => ({
        destinationId: row.destination_id,
        lane: row.bulk ? 'bulk' : 'live',
        rows: Number(row.rows),
        nextTime: row.next_time.getTime(),
      }))
    },
    ranges: async (partitions = owned) => {
      const rows = await db
        .selectFrom('parked_deliveries')
        .select([...rowColumns])
        .where('state', '=', 'waiting')
        .where('log_end', 'is not', null)
        .orderBy('log_partition')
        .orderBy('log_offset')
        .execute()
      // Some partitions may have been taken away during the query.
      return rows.map(fromDatabase).filter(({ partition }) => partitions.has(partition))
    },
    waitingIn: async (places) => {
      if (places.length === 0) return []
      const { rows } = await sql<DestinationPartition>`
        select f.id as "destinationId", f.partition from unnest(
          ${places.map(({ destinationId }) => destinationId)}::uuid[], ${places.map(({ partition }) => partition)}::integer[]
        ) as f (id, partition) where exists (
          select from parked_deliveries
          where destination_id = f.id and log_partition = f.partition and state = 'waiting')`.execute(db)
      return rows
    },
    waiting: async (destinationId, lane, without, limit, order = 'due') => {
      const found = db
        .selectFrom('parked_deliveries')
        .select([...rowColumns])
        .where('destination_id', '=', destinationId)
        .where('bulk', '=', lane === 'bulk')
        .where('state', '=', 'waiting')
        .where('log_end', 'is', null)
        .where(isOwned())
        .where(sql<boolean>`id <> all(${without}::uuid[])`)
        .limit(limit)
      const by = sql.raw(order === 'due' ? 'next_time' : 'log_partition, log_offset, event_indexes')
      const { rows } = await sql<SelectedRow & { found: string }>`
        select * from (
          select waiting.*, count(*) over () as found,
            sum(coalesce(octet_length(profile::text), 0))
              over (order by ${by}, id rows between unbounded preceding and 1 preceding) as before
          from (${found.orderBy(by)}) waiting) sized
        where coalesce(before, 0) < ${maxFetchedBytes} order by ${by}, id`.execute(db)
      const total = Number(rows[0]?.found ?? 0)
      return { rows: rows.map(fromDatabase), more: total === limit || rows.length < total }
    },
    makeDue: (destinationId, now) => makeWaitingDue(db, destinationId, now),
    deadLetterAll: (destinationId, reason) => deadLetterDestination(db, destinationId, reason),
    enforceLimits: async ({ before, maxRows, crowded }) => {
      const dead = await deadLetterOld(db, owned, before)
      for (const { destinationId, lane } of crowded)
        dead.push(...(await deadLetterBeyond(db, { destinationId, bulk: lane === 'bulk', maxRows })))
      return dead.map(deadRow)
    },
    deadLetterBelow: async (positions) => {
      const dead: DeadRow[] = []
      for (const { partition, offset } of positions)
        dead.push(...(await deadLetterBelowOffset(db, partition, offset)).map(deadRow))
      return dead
    },
    waitingOfProducers: async (partitions, after, limit) => {
      const { rows } = await sql<SelectedRow>`
        select ${sql.join(rowColumns.map((name) => sql.ref(name)))} from parked_deliveries
        where state = 'waiting' and tells and log_end is null and log_partition = any(${[...partitions]}::integer[])
          and (log_partition, log_offset, id) > (${after?.partition ?? -1}::integer, ${after?.offset ?? 0}::bigint,
            ${after?.id ?? noId}::uuid)
        order by log_partition, log_offset, id limit ${limit}`.execute(db)
      return rows.map(fromDatabase)
    },
    purgeDeadLetters: (limits) => purgeDeadLetters(db, limits),
    unreported: async (limit) => {
      const rows = await db
        .selectFrom('parked_deliveries')
        .select([...rowColumns, 'last_reason'])
        .where('state', '=', 'dead')
        .where('tells', '=', true)
        .where(isOwned())
        .orderBy('log_partition')
        .orderBy('log_offset')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ ...fromDatabase(row), reason: row.last_reason }))
    },
    reported: async (ids) => {
      if (ids.length === 0) return
      await markParkedReported(db, ids)
    },
  }
}
