import { sql } from 'kysely'
import type { ReplayRun, ReplayRunnerDeps, ReplayRunnerSettings, ReplayState } from './runner-ports.ts'

/** Steps of one second of the rate cap are cut into so many. */
const stepsPerSecond = 2

/**
 * A replay of dead letters: those that were marked when it was made become due a few at a time, as if somebody retried
 * them. What is due and what counts as sent change in one transaction. A range of held records goes as a whole.
 */
export const createDeadRun = (
  { db, onDue, clock }: Pick<ReplayRunnerDeps, 'db' | 'onDue' | 'clock'>,
  settings: ReplayRunnerSettings,
  { id, destination_id, create_time, events_per_second }: ReplayState,
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
          const { rows } = await sql<{ events: number }>`
            with marked as (
              select id, sum(event_count) over (order by first_time, id) - event_count as before
              from parked_deliveries
              where replay_id = ${id}::uuid and state = 'dead' and first_time <= ${create_time}::timestamptz)
            update parked_deliveries p
            set state = 'waiting', next_time = ${new Date(now)}::timestamptz, first_time = ${begun}::timestamptz, attempts = 0
            from marked where p.id = marked.id and marked.before < ${size}
            returning p.event_count as events`.execute(tx)
          const events = rows.reduce((sum, each) => sum + each.events, 0)
          await tx
            .updateTable('replays')
            .set(
              events === 0
                ? { state: 'done', finish_time: new Date(now) }
                : { sent_count: sql<string>`sent_count + ${events}` },
            )
            .where('id', '=', id)
            .execute()
          return events === 0 ? undefined : (events * 1000) / events_per_second
        })
        .then((wait) => {
          if (wait !== undefined) onDue(destination_id)
          return wait
        }),
    close: async () => {},
  }
}
