// Every statement that writes `parked_deliveries`. Delivery parks events. Replays, erasure and the API change the same
// rows, but may not import delivery. Each function runs in its caller's transaction.
import { faultPoint } from '@tributary/kernel'
import { type Insertable, type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely'
import type { Database, ParkedDeliveriesTable } from '../relational/schema.generated.ts'

type Db = Kysely<Database>
type Tx = Transaction<Database>
type NewRow = Insertable<ParkedDeliveriesTable>

/** Columns of the rows that a limit has made dead letters. */
type DeadColumns = { id: string; destination_id: string; event_count: number }
const deadColumns = ['id', 'destination_id', 'event_count'] as const

/** Maximum rows of one insert. A row has 23 values, and the protocol allows 65,535. */
const rowsPerStatement = 1000
/** Maximum rows of one deletion. */
const deletesPerStatement = 10_000

const keyColumns = ['destination_id', 'log_partition', 'log_offset', 'event_indexes_hash', 'holds'] as const

/** Deletes rows by their IDs. */
export const deleteParked = async (tx: Tx, ids: readonly string[]): Promise<void> => {
  for (let at = 0; at < ids.length; at += deletesPerStatement)
    await sql`delete from parked_deliveries where id = any(${ids.slice(at, at + deletesPerStatement)}::uuid[])`.execute(
      tx,
    )
}

/**
 * Inserts rows of single records. Resolves to the IDs of the rows that were not inserted, because another row already
 * has their events.
 */
export const insertParked = async (tx: Tx, rows: readonly NewRow[]): Promise<Set<string>> => {
  const unwritten = new Set(rows.map(({ id }) => id))
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    const written = await tx
      .insertInto('parked_deliveries')
      .values(rows.slice(at, at + rowsPerStatement))
      // After a crash, a record is read again and parks the same events again.
      .onConflict((conflict) => conflict.columns([...keyColumns]).doNothing())
      .returning('id')
      .execute()
    for (const { id } of written) unwritten.delete(id)
  }
  return unwritten
}

/** Writes a range of records. It may extend an existing range that begins at the same record. */
export const writeParkedRange = async (tx: Tx, row: NewRow): Promise<void> => {
  await tx
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
}

/** Makes the waiting rows of a destination due now (epoch ms). */
export const makeWaitingDue = async (db: Db, destinationId: string, now: number): Promise<void> => {
  await db
    .updateTable('parked_deliveries')
    .set({ next_time: new Date(now) })
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'waiting')
    .where('next_time', '>', new Date(now))
    .execute()
}

/** A retry of a dead letter looks the profiles up again. */
const dead = (reason: string) => ({ state: 'dead' as const, last_reason: reason, profile: null })

/** Dead-letters all waiting rows and ranges of a destination; resolves to the number of their events. */
export const deadLetterDestination = async (db: Db, destinationId: string, reason: string): Promise<number> => {
  const rows = await db
    .updateTable('parked_deliveries')
    .set(dead(reason))
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'waiting')
    .returning('event_count')
    .execute()
  return rows.reduce((sum, row) => sum + row.event_count, 0)
}

/** Dead-letters the waiting rows of partitions that were parked before a time (epoch ms). Resolves to these rows. */
export const deadLetterOld = (db: Db, partitions: Iterable<number>, before: number): Promise<DeadColumns[]> =>
  db
    .updateTable('parked_deliveries')
    .set(dead('limit'))
    .where('state', '=', 'waiting')
    .where('log_end', 'is', null)
    .where(sql<boolean>`log_partition = any(${[...partitions]}::integer[])`)
    .where('first_time', '<', new Date(before))
    .returning([...deadColumns])
    .execute()

/** Dead-letters the waiting rows of one lane of a destination beyond the newest `maxRows`. Resolves to these rows. */
export const deadLetterBeyond = async (
  db: Db,
  { destinationId, bulk, maxRows }: { destinationId: string; bulk: boolean; maxRows: number },
): Promise<DeadColumns[]> => {
  const { rows } = await sql<DeadColumns>`
    update parked_deliveries set state = 'dead', last_reason = 'limit', profile = null
    where id in (select id from parked_deliveries where destination_id = ${destinationId}::uuid and state = 'waiting'
      and bulk = ${bulk}::boolean and log_end is null order by first_time desc offset ${maxRows})
    returning id, destination_id, event_count`.execute(db)
  return rows
}

/** Dead-letters the waiting rows of a partition that are below an offset of the log. Resolves to these rows. */
export const deadLetterBelowOffset = (db: Db, partition: number, offset: number): Promise<DeadColumns[]> =>
  db
    .updateTable('parked_deliveries')
    .set(dead('limit'))
    .where('state', '=', 'waiting')
    .where('log_end', 'is', null)
    .where('log_partition', '=', partition)
    .where('log_offset', '<', String(offset))
    .returning([...deadColumns])
    .execute()

/** Deletes dead letters that are older than `before` (epoch ms) or beyond the newest `maxRows` of a destination. */
export const purgeDeadLetters = async (
  db: Db,
  { before, maxRows }: { before: number; maxRows: number },
): Promise<void> => {
  await sql`
    delete from parked_deliveries p using (
      select id, first_time, row_number() over (partition by destination_id order by next_time desc) as place
      from parked_deliveries where state = 'dead') d
    where p.id = d.id and (d.place > ${maxRows} or d.first_time < ${new Date(before)})`.execute(db)
}

/** Marks dead letters as reported to their producer. */
export const markParkedReported = async (db: Db, ids: readonly string[]): Promise<void> => {
  await db
    .updateTable('parked_deliveries')
    .set({ tells: false })
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('state', '=', 'dead')
    .execute()
}

/**
 * Makes the rows that meet a condition due now. Dead letters get the full time for retries again, and no longer belong
 * to a replay that had chosen them. Resolves to the number of events.
 */
export const retryParked = async (tx: Tx, which: RawBuilder<unknown>, time: Date): Promise<number> => {
  const { rows } = await sql<{ event_count: string }>`
    with due as (
      update parked_deliveries set
        next_time = ${time}::timestamptz, state = 'waiting',
        first_time = case state when 'dead' then ${time}::timestamptz else first_time end,
        attempts = case state when 'dead' then 0 else attempts end,
        replay_id = case state when 'dead' then null else replay_id end, replay_indexes = null,
        profile = case state when 'dead' then null else profile end
      where ${which}
      returning event_count)
    select coalesce(sum(event_count), 0) as event_count from due`.execute(tx)
  return Number(rows[0]?.event_count ?? 0)
}

/**
 * Clears requests and responses of the parked deliveries that contain one of these events, and the profile values of
 * these events. Deletes the dead letters that contain only these events.
 */
export const eraseParked = async (db: Db, workspaceId: string, eventIds: readonly string[]): Promise<void> => {
  await sql`delete from parked_deliveries where workspace_id = ${workspaceId}::uuid and state = 'dead'
    and event_ids <@ ${eventIds}::text[]`.execute(db)
  await sql`update parked_deliveries set request = '', response = '', last_reason = '',
      profile = nullif(profile - ${eventIds}::text[], '{}'::jsonb)
    where workspace_id = ${workspaceId}::uuid and event_ids && ${eventIds}::text[]`.execute(db)
}

/**
 * Clears the profile values of parked events that audiences, computed traits, syncs, and signals made in a workspace.
 * The event store does not have these events, so those of one user cannot be found. Retries look the profiles up again.
 */
export const eraseParkedProfiles = async (db: Db, workspaceId: string): Promise<void> => {
  await sql`update parked_deliveries set profile = null
    where workspace_id = ${workspaceId}::uuid and tells and profile is not null`.execute(db)
}

/**
 * The dead letters that a replay chooses: a condition on the rows (without a table alias), and the time of the choice.
 */
export type DeadChoice = { which: RawBuilder<SqlBool>; time: Date }

/** Marks all dead letters of a choice for a replay. Resolves to the number of events. */
export const markAllDead = async (tx: Tx, replayId: string, { which, time }: DeadChoice): Promise<number> => {
  const { rows } = await sql<{ events: string }>`
    with marked as (
      update parked_deliveries set replay_id = ${replayId}::uuid, replay_indexes = null
      where ${which} and first_time <= ${time}::timestamptz returning event_count)
    select coalesce(sum(event_count), 0) as events from marked`.execute(tx)
  return Number(rows[0]?.events ?? 0)
}

/** Maximum dead letters that one statement marks. */
const marksPerStatement = 500

/**
 * Marks the chosen events of dead letters for a replay; `indexes` of null chooses all events of a row. Resolves to the
 * number of events. Rows that have lost events by a retry or a discard are skipped. A row with the same number of
 * events has the same events, because a row never gets new ones.
 */
export const markChosenDead = async (
  tx: Tx,
  replayId: string,
  chosen: readonly { id: string; count: number; indexes: readonly number[] | null }[],
  { which, time }: DeadChoice,
): Promise<number> => {
  let events = 0
  for (let at = 0; at < chosen.length; at += marksPerStatement) {
    const { rows } = await sql<{ events: string }>`
      with marked as (
        update parked_deliveries p set replay_id = ${replayId}::uuid, replay_indexes = chosen.indexes
        from jsonb_to_recordset(${JSON.stringify(chosen.slice(at, at + marksPerStatement))}::jsonb)
          as chosen (id uuid, count integer, indexes integer[])
        where p.id = chosen.id and p.event_count = chosen.count and ${which}
          and p.first_time <= ${time}::timestamptz
        returning coalesce(cardinality(p.replay_indexes), p.event_count) as events)
      select coalesce(sum(events), 0) as events from marked`.execute(tx)
    events += Number(rows[0]?.events ?? 0)
  }
  return events
}

/**
 * Removes the marks of a replay from dead letters that it has not made due. These dead letters are then in the same
 * state as before the replay.
 */
export const clearReplayMarks = async (tx: Tx, replayId: string, createTime: Date): Promise<void> => {
  await tx
    .updateTable('parked_deliveries')
    .set({ replay_id: null, replay_indexes: null })
    .where('replay_id', '=', replayId)
    .where('state', '=', 'dead')
    .where('first_time', '<=', createTime)
    .execute()
}

/** Marked dead letters that a replay makes due `now`; their time for retries begins at `begun`. */
export type DueLetters = { replayId: string; ids: readonly string[]; now: Date; begun: Date }

const sumOf = (rows: readonly { events: number }[]): number => rows.reduce((sum, each) => sum + each.events, 0)

/**
 * Makes the dead letters due that are marked as a whole, without the profile values of earlier attempts. Resolves to
 * the number of events.
 */
const makeWholeDue = async (tx: Tx, { replayId, ids, now, begun }: DueLetters): Promise<number> => {
  const { rows } = await sql<{ events: number }>`
    update parked_deliveries
    set state = 'waiting', bulk = true, next_time = ${now}::timestamptz, first_time = ${begun}::timestamptz, attempts = 0,
      profile = null
    where id = any(${ids}::uuid[]) and replay_id = ${replayId}::uuid and state = 'dead' and replay_indexes is null
    returning event_count as events`.execute(tx)
  return sumOf(rows)
}

/** The indexes of the events of a row that are not chosen, in their order. */
const restOf = sql`array(select each from unnest(p.event_indexes) with ordinality as i (each, place)
  where each <> all(p.replay_indexes) order by place)`
/** The IDs of the events of a row that are chosen, or of those that are not, in their order. */
const idsWhere = (chosen: boolean) => sql`array(select p.event_ids[place]
  from unnest(p.event_indexes) with ordinality as i (each, place)
  where cardinality(p.event_ids) > 0 and (each = any(p.replay_indexes)) = ${chosen}::boolean order by place)`
/** The part of the bytes of a row that belongs to its chosen events. */
const shareOf = sql`p.bytes * cardinality(p.replay_indexes) / greatest(p.event_count, 1)`

/**
 * Makes the chosen events of dead letters due, as new rows. The other events stay dead letters, in their row with its
 * ID. After a crash, there may already be a row with exactly the same events: then only one is kept.
 */
const makePartsDue = async (tx: Tx, { replayId, ids, now, begun }: DueLetters): Promise<number> => {
  const { rows: held } = await sql<{ id: string }>`
    select id from parked_deliveries
    where id = any(${ids}::uuid[]) and replay_id = ${replayId}::uuid and state = 'dead' and replay_indexes is not null
    for update`.execute(tx)
  if (held.length === 0) return 0
  const marked = sql`p.id = any(${held.map(({ id }) => id)}::uuid[]) and p.state = 'dead' and p.replay_indexes is not null`
  const { rows } = await sql<{ events: number }>`
    insert into parked_deliveries (id, workspace_id, source_id, destination_id, log_partition, log_offset, event_indexes,
      event_ids, event_count, bytes, state, attempts, first_time, next_time, last_status, last_reason, request, response,
      replay_id, bulk)
    select distinct on (p.log_partition, p.log_offset, p.replay_indexes)
      gen_random_uuid(), p.workspace_id, p.source_id, p.destination_id, p.log_partition, p.log_offset,
      p.replay_indexes, ${idsWhere(true)}, cardinality(p.replay_indexes), ${shareOf}, 'waiting', 0,
      ${begun}::timestamptz, ${now}::timestamptz, p.last_status, p.last_reason, p.request, p.response, p.replay_id, true
    from parked_deliveries p where ${marked}
    on conflict (destination_id, log_partition, log_offset, event_indexes_hash, holds) do update
      set state = 'waiting', bulk = true, attempts = 0, first_time = excluded.first_time, next_time = excluded.next_time,
        replay_id = excluded.replay_id, replay_indexes = null, profile = null
    returning event_count as events`.execute(tx)
  await sql`
    delete from parked_deliveries p using parked_deliveries same
    where ${marked} and same.id <> p.id and same.destination_id = p.destination_id
      and same.log_partition = p.log_partition and same.log_offset = p.log_offset and same.event_indexes = ${restOf}`.execute(
    tx,
  )
  await sql`
    update parked_deliveries p
    set event_indexes = ${restOf}, event_ids = ${idsWhere(false)},
      event_count = p.event_count - cardinality(p.replay_indexes), bytes = p.bytes - ${shareOf},
      replay_id = null, replay_indexes = null
    where ${marked}`.execute(tx)
  faultPoint('replay.after-split')
  return sumOf(rows)
}

/** Makes marked dead letters due: first whole ones, then parts of others. Resolves to the number of events. */
export const makeLettersDue = async (tx: Tx, due: DueLetters): Promise<number> =>
  (await makeWholeDue(tx, due)) + (await makePartsDue(tx, due))
