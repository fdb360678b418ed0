import type { Tx } from '@tributary/api-kit'
import { faultPoint } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ReplayRun, ReplayRunnerDeps, ReplayRunnerSettings, ReplayState } from './runner-ports.ts'

/** Steps of one second of the rate cap are cut into so many. */
const stepsPerSecond = 2

type Due = { replayId: string; ids: readonly string[]; now: Date; begun: Date }

/** Marked dead letters from the oldest on, until they hold so many events. */
const nextMarked = async (tx: Tx, replayId: string, createTime: Date, size: number): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, first_time, sum(events) over (order by first_time, id) - events as before
      from (
        select id, first_time, coalesce(cardinality(replay_indexes), event_count) as events
        from parked_deliveries
        where replay_id = ${replayId}::uuid and state = 'dead' and first_time <= ${createTime}::timestamptz) marked
    ) summed where before < ${size}`.execute(tx)
  return rows.map(({ id }) => id)
}

const sumOf = (rows: readonly { events: number }[]): number => rows.reduce((sum, each) => sum + each.events, 0)

/** Makes whole dead letters due; resolves to the number of events. */
const makeDue = async (tx: Tx, { replayId, ids, now, begun }: Due): Promise<number> => {
  const { rows } = await sql<{ events: number }>`
    update parked_deliveries
    set state = 'waiting', bulk = true, next_time = ${now}::timestamptz, first_time = ${begun}::timestamptz, attempts = 0
    where id = any(${ids}::uuid[]) and replay_id = ${replayId}::uuid and state = 'dead' and replay_indexes is null
    returning event_count as events`.execute(tx)
  return sumOf(rows)
}

/** The indexes of a row that are not chosen, or the ids of events by a condition on their index; both in their order. */
const restOf = sql`array(select each from unnest(p.event_indexes) with ordinality as i (each, place)
  where each <> all(p.replay_indexes) order by place)`
const idsWhere = (chosen: boolean) => sql`array(select p.event_ids[place]
  from unnest(p.event_indexes) with ordinality as i (each, place)
  where cardinality(p.event_ids) > 0 and (each = any(p.replay_indexes)) = ${chosen}::boolean order by place)`
const shareOf = sql`p.bytes * cardinality(p.replay_indexes) / greatest(p.event_count, 1)`

/**
 * Makes the chosen events of dead letters due, as rows of their own; the others stay what they were, under the same
 * name. Rows that stand for the very same events may be there since a crash: one is enough.
 */
const makePartsDue = async (tx: Tx, { replayId, ids, now, begun }: Due): Promise<number> => {
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
        replay_id = excluded.replay_id, replay_indexes = null
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

/**
 * A replay of dead letters: those that were marked when it was made become due a few at a time, as if somebody retried
 * them. What is due and what counts as sent change in one transaction. A range of held records goes as a whole.
 */
export const createDeadRun = (
  { db, onDue, clock }: Pick<ReplayRunnerDeps, 'db' | 'onDue' | 'clock'>,
  settings: ReplayRunnerSettings,
  { id, workspace_id, destination_id, create_time, events_per_second }: ReplayState,
): ReplayRun => {
  const size = Math.max(1, Math.min(settings.stepEvents, Math.round(events_per_second / stepsPerSecond)))
  return {
    step: () =>
      db
        .transaction()
        .execute(async (tx) => {
          const row = await tx
            .selectFrom('replays')
            .select('state')
            .where('id', '=', id)
            .forUpdate()
            .executeTakeFirstOrThrow()
          if (row.state !== 'running') return undefined
          const now = clock()
          // What is tried again begins its time for retries anew, and never looks like one that is still marked.
          const begun = new Date(Math.max(now, create_time.getTime() + 1))
          const ids = await nextMarked(tx, id, create_time, size)
          const due: Due = { replayId: id, ids, now: new Date(now), begun }
          const events = ids.length === 0 ? 0 : (await makeDue(tx, due)) + (await makePartsDue(tx, due))
          await tx
            .updateTable('replays')
            .set(
              ids.length === 0
                ? { state: 'done', finish_time: new Date(now) }
                : { sent_count: sql<string>`sent_count + ${events}` },
            )
            .where('id', '=', id)
            .execute()
          return ids.length === 0 ? undefined : (events * 1000) / events_per_second
        })
        .then((wait) => {
          if (wait !== undefined) onDue({ workspaceId: workspace_id, destinationId: destination_id })
          return wait
        }),
    close: async () => {},
  }
}
