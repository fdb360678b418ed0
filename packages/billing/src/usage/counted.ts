import type { Db, ProfilesCounted } from '@tributary/api-kit'
import type { UsagePeriod } from './period.ts'

/**
 * Returns the condition for events of workspaces in a period. Events that a sync imported and that happened before the
 * period are history, and are left out.
 */
export const inPeriod = (workspaces: readonly string[], { start, end }: UsagePeriod): ProfilesCounted => ({
  workspaces,
  conditions: [
    'receive_time >= fromUnixTimestamp64Milli({period_start:Int64})',
    'receive_time < fromUnixTimestamp64Milli({period_end:Int64})',
    'not (imported and timestamp < fromUnixTimestamp64Milli({period_start:Int64}))',
  ],
  params: { period_start: start.getTime(), period_end: end.getTime() },
})

/** SQL for the UTC day of an event, as epoch seconds of its start. */
export const dayOfEvent = 'intDiv(toUnixTimestamp(receive_time), 86400) * 86400'

/** The usage of deleted workspaces on a day (epoch ms) of a period. */
export type DeletedUsageDay = { day: number; events: number; profiles: number }

/** Reads the workspaces whose events are counted. A deleted workspace counts until its usage is stored. */
const readWorkspaces = async (db: Db, organizationId: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('workspaces')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('usage_kept_time', 'is', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Reads stored usage by day, oldest first. Includes periods that began within this one, for example a period that a
 * change of the plan cut short.
 */
const readKept = async (db: Db, organizationId: string, { start, end }: UsagePeriod): Promise<DeletedUsageDay[]> => {
  const rows = await db
    .selectFrom('kept_usage')
    .select(({ fn }) => ['day', fn.sum<string>('events').as('events'), fn.sum<string>('profiles').as('profiles')])
    .where('organization_id', '=', organizationId)
    .where('period_start_time', '>=', start)
    .where('period_start_time', '<', end)
    .groupBy('day')
    .orderBy('day')
    .execute()
  return rows.map(({ day, events, profiles }) => ({
    day: day.getTime(),
    events: Number(events),
    profiles: Number(profiles),
  }))
}

/**
 * Counts the usage of an organization in a period. `count` reads the stored events of workspaces; the stored usage of
 * deleted workspaces is returned separately. The count is repeated if a workspace was deleted meanwhile, so that each
 * workspace counts in exactly one of the two.
 */
export const countUsage = async <Counted>(
  db: Db,
  organizationId: string,
  period: UsagePeriod,
  count: (workspaces: readonly string[]) => Promise<Counted>,
): Promise<{ counted: Counted; kept: DeletedUsageDay[] }> => {
  for (;;) {
    const workspaces = await readWorkspaces(db, organizationId)
    const counted = await count(workspaces)
    const kept = await readKept(db, organizationId, period)
    const after = await readWorkspaces(db, organizationId)
    if (workspaces.every((id) => after.includes(id))) return { counted, kept }
  }
}
