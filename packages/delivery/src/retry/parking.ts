import type { Database, LogPosition, ParkedDeliveriesTable } from '@tributary/storage'
import type { Insertable, Kysely, Transaction } from 'kysely'
import { sql } from 'kysely'
import type { Open } from '../worker/key-order.ts'
import type { Lane } from '../worker/lane.ts'

/** A reference to events of one record that could not be delivered, waiting for another try or dead. */
export type ParkedRow = {
  id: string
  workspaceId: string
  sourceId: string
  destinationId: string
  partition: number
  offset: number
  indexes: readonly number[]
  /** Ids of these events, in the same order; empty where they are not known. */
  eventIds: readonly string[]
  attempts: number
  /** Epoch ms. */
  firstTime: number
  nextTime: number
  /** True when its outcome has to be reported to a producer, should it die where no attempt does so. */
  needsReport: boolean
  /** The replay that made it due again. */
  replayId?: string | undefined
  /** Where it waits for its turn. */
  lane: Lane
}

/** A row to be written. `end` is set for a range of records (then `indexes` is empty). */
export type NewParkedRow = ParkedRow & {
  end?: number
  holds?: Lane | undefined
  events: number
  bytes: number
  state: 'waiting' | 'dead'
  lastStatus: number | undefined
  reason: string
  request: string
  response: string
  /** Of its events, those that have an order among the changes of their record; not stored. */
  opens?: readonly Open[]
}

/** Rows to take away and rows to put in their place, in one transaction. */
export type ParkingChange = { deletes: readonly string[]; rows: readonly NewParkedRow[] }

type WaitingSummary = { destinationId: string; lane: Lane; rows: number; nextTime: number }

/** `holds` says of which lane its records are; undefined for those of both. */
export type ParkedRange = ParkedRow & { end: number; events: number; bytes: number; holds: Lane | undefined }

/** A row that has died beyond a limit. */
export type DeadRow = { id: string; destinationId: string; events: number }

type Settle = (unwritten: ReadonlySet<string>) => void

/** A partition, of which what is for a destination is meant. */
export type DestinationPartition = { destinationId: string; partition: number }

export type Parking = {
  /**
   * Takes a change; `settle` is called when it is durable, with the ids of rows that were not written: their events, of a record that was
   * read again, lie in another row since before.
   */
  push(change: ParkingChange, settle: Settle): void
  buffered(): number
  /** Writes what was pushed, and the given change with it. Rejects when the store is away: nothing is lost then. */
  flush(extra?: ParkingChange): Promise<void>
  /** Waiting rows (not ranges) of the partitions owned, per destination and lane. */
  summary(): Promise<WaitingSummary[]>
  /** Every waiting range of some partitions, those owned unless given. */
  ranges(partitions?: ReadonlySet<number>): Promise<ParkedRange[]>
  /** The waiting rows of a lane of a destination in the order they are due, or in that of the log, without the given ids. */
  waiting(
    destinationId: string,
    lane: Lane,
    without: readonly string[],
    limit: number,
    order?: 'due' | 'place',
  ): Promise<ParkedRow[]>
  /** Of these, those partitions in which something of a destination waits, whoever owns them: rows or ranges. */
  waitingIn(places: readonly DestinationPartition[]): Promise<DestinationPartition[]>
  /** Makes every waiting row of a destination due. */
  makeDue(destinationId: string, now: number): Promise<void>
  /** Declares every waiting row of a destination dead; resolves to the number of events. */
  deadLetterAll(destinationId: string, reason: string): Promise<number>
  /** Declares rows of the partitions owned dead that wait since before `before`, or beyond the number in one of these lanes; resolves to them. */
  enforceLimits(limits: {
    before: number
    maxRows: number
    crowded: readonly { destinationId: string; lane: Lane }[]
  }): Promise<DeadRow[]>
  /** Makes dead letters of the rows (not ranges) that lie below these offsets; resolves to them. */
  deadLetterBelow(positions: readonly LogPosition[]): Promise<DeadRow[]>
  /** A page of the waiting rows (not ranges) of producers in some partitions, in the order of their places. */
  waitingOfProducers(partitions: ReadonlySet<number>, after: ParkedRow | undefined, limit: number): Promise<ParkedRow[]>
  /** Deletes dead letters that are older than `before` or beyond the newest `maxRows` of a destination. */
  purgeDeadLetters(limits: { before: number; maxRows: number }): Promise<void>
  /** Dead rows and ranges whose outcome is not reported to a producer yet. */
  unreported(limit: number): Promise<(ParkedRange & { reason: string })[]>
  /** Notes that they are reported. */
  reported(ids: readonly string[]): Promise<void>
  /** Looks up the lowest offset that a row or range refers to that waits or is not reported yet, per partition. */
  refreshLowest(): Promise<void>
  /** Not above any such offset: what was looked up last, and what was written since. */
  lowest(): ReadonlyMap<number, number>
}

const toDatabase = (row: NewParkedRow): Insertable<ParkedDeliveriesTable> => ({
  id: row.id,
  workspace_id: row.workspaceId,
  source_id: row.sourceId,
  destination_id: row.destinationId,
  log_partition: row.partition,
  log_offset: row.offset,
  log_end: row.end ?? null,
  event_indexes: [...row.indexes],
  event_ids: [...row.eventIds],
  event_count: row.events,
  bytes: row.bytes,
  state: row.state,
  attempts: row.attempts,
  first_time: new Date(row.firstTime),
  next_time: new Date(row.nextTime),
  last_status: row.lastStatus ?? null,
  last_reason: storable(row.reason),
  request: storable(row.request),
  response: storable(row.response),
  replay_id: row.replayId ?? null,
  tells: row.needsReport,
  bulk: row.lane === 'bulk',
  holds: row.holds ?? '',
})

/** PostgreSQL's text holds no NUL and no lone surrogate. */
const storable = (text: string): string => text.replaceAll('\0', '�').toWellFormed()

/** Rows of one statement: 22 values each, far below the protocol's 65,535. */
const rowsPerStatement = 1000

const keyColumns = ['destination_id', 'log_partition', 'log_offset', 'event_indexes_hash', 'holds'] as const

/** Resolves to the ids of the rows whose events lie in another row since before. */
const write = async (db: Transaction<Database>, change: ParkingChange): Promise<Set<string>> => {
  for (let at = 0; at < change.deletes.length; at += 10_000)
    await sql`delete from parked_deliveries where id = any(${change.deletes.slice(at, at + 10_000)}::uuid[])`.execute(
      db,
    )
  const single = change.rows.filter((row) => row.end === undefined).map(toDatabase)
  const unwritten = new Set(single.map(({ id }) => id))
  for (let at = 0; at < single.length; at += rowsPerStatement) {
    const written = await db
      .insertInto('parked_deliveries')
      .values(single.slice(at, at + rowsPerStatement))
      // A record read again after a crash parks the same events again.
      .onConflict((conflict) => conflict.columns([...keyColumns]).doNothing())
      .returning('id')
      .execute()
    for (const { id } of written) unwritten.delete(id)
  }
  for (const row of change.rows.filter((candidate) => candidate.end !== undefined).map(toDatabase))
    await db
      .insertInto('parked_deliveries')
      .values(row)
      .onConflict((conflict) =>
        conflict.columns([...keyColumns]).doUpdateSet((set) => ({
          id: set.ref('excluded.id'),
          log_end: sql`greatest(parked_deliveries.log_end, excluded.log_end)`,
          event_count: set.ref('excluded.event_count'),
          bytes: set.ref('excluded.bytes'),
          state: set.ref('excluded.state'),
          next_time: set.ref('excluded.next_time'),
          last_reason: set.ref('excluded.last_reason'),
          tells: set.ref('excluded.tells'),
          bulk: set.ref('excluded.bulk'),
        })),
      )
      .execute()
  return unwritten
}

/** Several changes as one: a row that a later change takes away is not put there first. */
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

const rowColumns = [
  'id',
  'workspace_id',
  'source_id',
  'destination_id',
  'log_partition',
  'log_offset',
  'log_end',
  'event_indexes',
  'event_ids',
  'event_count',
  'bytes',
  'attempts',
  'first_time',
  'next_time',
  'replay_id',
  'tells',
  'bulk',
  'holds',
] as const

type SelectedRow = Pick<{ [K in keyof ParkedDeliveriesTable]: unknown }, (typeof rowColumns)[number]> & {
  id: string
  workspace_id: string
  source_id: string
  destination_id: string
  log_partition: number
  log_offset: string
  log_end: string | null
  event_indexes: number[]
  event_ids: string[]
  event_count: number
  bytes: string
  attempts: number
  first_time: Date
  next_time: Date
  replay_id: string | null
  tells: boolean
  bulk: boolean
  holds: Lane | ''
}

const fromDatabase = (row: SelectedRow): ParkedRange => ({
  id: row.id,
  workspaceId: row.workspace_id,
  sourceId: row.source_id,
  destinationId: row.destination_id,
  partition: row.log_partition,
  offset: Number(row.log_offset),
  end: Number(row.log_end ?? Number(row.log_offset) + 1),
  indexes: row.event_indexes,
  eventIds: row.event_ids,
  events: row.event_count,
  bytes: Number(row.bytes),
  attempts: row.attempts,
  firstTime: row.first_time.getTime(),
  nextTime: row.next_time.getTime(),
  replayId: row.replay_id ?? undefined,
  needsReport: row.tells,
  lane: row.bulk ? 'bulk' : 'live',
  holds: row.holds === '' ? undefined : row.holds,
})

const deadColumns = ['id', 'destination_id', 'event_count'] as const
type DeadColumns = Pick<SelectedRow, (typeof deadColumns)[number]>
const deadRow = ({ id, destination_id, event_count }: DeadColumns): DeadRow => ({
  id,
  destinationId: destination_id,
  events: event_count,
})
/** Below every id. */
const noId = '00000000-0000-0000-0000-000000000000'

/**
 * The table of parked deliveries. Who holds a partition of the consumer owns its rows: only those of `owned` are looked
 * up. Writes are collected and go in one transaction per flush; what was pushed stays until a flush succeeds.
 */
export const createParking = (db: Kysely<Database>, owned: ReadonlySet<number>): Parking => {
  let pending: { change: ParkingChange; settle: Settle }[] = []
  let lowest = new Map<number, number>()
  let writtenSince = new Map<number, number>()
  const lower = (map: Map<number, number>, partition: number, offset: number): void => {
    map.set(partition, Math.min(map.get(partition) ?? offset, offset))
  }
  const isOwned = () => sql<boolean>`log_partition = any(${[...owned]}::integer[])`
  const die = (reason: string) => ({ state: 'dead' as const, last_reason: reason })
  return {
    push: (change, settle) => {
      pending.push({ change, settle })
    },
    buffered: () => pending.length,
    flush: async (extra = { deletes: [], rows: [] }) => {
      // A copy: what is pushed while the transaction runs belongs to the next one.
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
      // Who looked them up meanwhile has not seen these.
      noteLowest()
      pending = pending.slice(batch.length)
      for (const item of batch) item.settle(unwritten)
    },
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
      // As of now: some may have been taken away meanwhile.
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
      const rows = await (order === 'due'
        ? found.orderBy('next_time')
        : found.orderBy('log_partition').orderBy('log_offset').orderBy('event_indexes')
      ).execute()
      return rows.map(fromDatabase)
    },
    makeDue: async (destinationId, now) => {
      await db
        .updateTable('parked_deliveries')
        .set({ next_time: new Date(now) })
        .where('destination_id', '=', destinationId)
        .where('state', '=', 'waiting')
        .where('next_time', '>', new Date(now))
        .execute()
    },
    deadLetterAll: async (destinationId, reason) => {
      const dead = await db
        .updateTable('parked_deliveries')
        .set(die(reason))
        .where('destination_id', '=', destinationId)
        .where('state', '=', 'waiting')
        .returning('event_count')
        .execute()
      return dead.reduce((sum, row) => sum + row.event_count, 0)
    },
    enforceLimits: async ({ before, maxRows, crowded }) => {
      const old = await db
        .updateTable('parked_deliveries')
        .set(die('limit'))
        .where('state', '=', 'waiting')
        .where('log_end', 'is', null)
        .where(isOwned())
        .where('first_time', '<', new Date(before))
        .returning([...deadColumns])
        .execute()
      const dead = old.map(deadRow)
      for (const { destinationId, lane } of crowded) {
        const beyond = await sql<DeadColumns>`
          update parked_deliveries set state = 'dead', last_reason = 'limit'
          where id in (select id from parked_deliveries where destination_id = ${destinationId}::uuid and state = 'waiting'
            and bulk = ${lane === 'bulk'}::boolean and log_end is null order by first_time desc offset ${maxRows})
          returning id, destination_id, event_count`.execute(db)
        dead.push(...beyond.rows.map(deadRow))
      }
      return dead
    },
    deadLetterBelow: async (positions) => {
      const dead: DeadRow[] = []
      for (const { partition, offset } of positions) {
        const old = await db
          .updateTable('parked_deliveries')
          .set(die('limit'))
          .where('state', '=', 'waiting')
          .where('log_end', 'is', null)
          .where('log_partition', '=', partition)
          .where('log_offset', '<', String(offset))
          .returning([...deadColumns])
          .execute()
        dead.push(...old.map(deadRow))
      }
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
    purgeDeadLetters: async ({ before, maxRows }) => {
      await sql`
        delete from parked_deliveries p using (
          select id, first_time, row_number() over (partition by destination_id order by next_time desc) as place
          from parked_deliveries where state = 'dead') d
        where p.id = d.id and (d.place > ${maxRows} or d.first_time < ${new Date(before)})`.execute(db)
    },
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
      await db
        .updateTable('parked_deliveries')
        .set({ tells: false })
        .where(sql<boolean>`id = any(${ids}::uuid[])`)
        .where('state', '=', 'dead')
        .execute()
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
