import type { Db } from '@tributary/api-kit'
import type { ProfilesCounted } from '../../profiles/count.ts'
import type { UsagePeriod } from './period.ts'

/** The events of workspaces in a period. */
export const inPeriod = (workspaces: readonly string[], { start, end }: UsagePeriod): ProfilesCounted => ({
  workspaces,
  conditions: [
    'receive_time >= fromUnixTimestamp64Milli({period_start:Int64})',
    'receive_time < fromUnixTimestamp64Milli({period_end:Int64})',
  ],
  params: { period_start: start.getTime(), period_end: end.getTime() },
})

/** The day in UTC of an event, as seconds. */
export const dayOfEvent = 'intDiv(toUnixTimestamp(receive_time), 86400) * 86400'

/** What deleted workspaces had used of a period on a day (epoch ms). */
export type KeptDay = { day: number; events: number; profiles: number }

/** Workspaces whose events are counted: a deleted one as well, until what it had used is kept. */
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

/** By day, oldest first. A period that began within this one, such as one that a change of the plan cut, is part of it. */
const readKept = async (db: Db, organizationId: string, { start, end }: UsagePeriod): Promise<KeptDay[]> => {
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
 * Counts what an organization has used in a period: `count` looks at the stored events of workspaces, and what deleted ones had used before
 * their events went is given beside it. None counts in both, or in neither: it is counted again when one went meanwhile.
 */
export const countUsage = async <Counted>(
  db: Db,
  organizationId: string,
  period: UsagePeriod,
  count: (workspaces: readonly string[]) => Promise<Counted>,
): Promise<{ counted: Counted; kept: KeptDay[] }> => {
  for (;;) {
    const workspaces = await readWorkspaces(db, organizationId)
    const counted = await count(workspaces)
    const kept = await readKept(db, organizationId, period)
    const after = await readWorkspaces(db, organizationId)
    if (workspaces.every((id) => after.includes(id))) return { counted, kept }
  }
}
