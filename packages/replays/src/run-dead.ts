import type { Tx } from '@tributary/api-kit'
import { makeLettersDue } from '@tributary/storage'
import { sql } from 'kysely'
import type { ReplayRun, ReplayRunnerDeps, ReplayRunnerSettings, ReplayState } from './runner-ports.ts'

/** Number of steps per second of the rate limit. */
const stepsPerSecond = 2

/** Reads the IDs of the oldest marked dead letters that together have this many events. */
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

/**
 * Creates a replay of dead letters. Those that were marked when it was created become due in small steps, as if a user
 * retried them. The due letters and the sent count change in one transaction. A range of held records is never split.
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
          // The retry time of a retried letter begins again. The begin must be later than the creation of the replay,
          // so that the letter no longer counts as marked.
          const begun = new Date(Math.max(now, create_time.getTime() + 1))
          const ids = await nextMarked(tx, id, create_time, size)
          const events =
            ids.length === 0 ? 0 : await makeLettersDue(tx, { replayId: id, ids, now: new Date(now), begun })
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
