import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { countProfiles } from '../profiles/count.ts'

/** A count that took longer than this is answered again for a while instead of being made anew. */
const slowMs = 500
const keepMs = 60_000

type Kept = { until: number; profiles: number }

/**
 * How much an organisation has of what plans count: workspaces, sources and destinations that are not deleted, and
 * profiles: those with a stored event, as the metric of that name counts them. There are no
 * audiences. A count of profiles that was slow may be a minute old.
 */
export const getUsage = ({
  db,
  eventStore,
  profileLedger,
  clock,
}: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger' | 'clock'>): Handler<
  typeof methods.organizations.getUsage
> => {
  const kept = new Map<string, Kept>()

  const profilesOf = async (
    organizationId: string,
    workspaces: readonly string[],
    signal: AbortSignal,
  ): Promise<number> => {
    if (workspaces.length === 0) return 0
    const started = clock()
    for (const [id, { until }] of kept) if (until <= started) kept.delete(id)
    const found = kept.get(organizationId)
    if (found !== undefined) return found.profiles
    const options = { owner: organizationId, slot: 'heavy', signal } as const
    const [[, profiles] = [0, 0]] = await countProfiles({ db, eventStore, profileLedger }, { workspaces }, options)
    const ended = clock()
    if (ended - started > slowMs) kept.set(organizationId, { until: ended + keepMs, profiles })
    return profiles
  }

  return async ({ organization: { id }, signal }) => {
    const workspaces = await db.selectFrom('workspaces').select('id').where('organization_id', '=', id).execute()
    const ids = workspaces.map((row) => row.id)
    const count = async (table: 'sources' | 'destinations'): Promise<number> => {
      const row = await db
        .selectFrom(table)
        .innerJoin('workspaces', 'workspaces.id', `${table}.workspace_id`)
        .select(sql<number>`count(*)::int`.as('count'))
        .where('workspaces.organization_id', '=', id)
        .where(`${table}.delete_time`, 'is', null)
        .executeTakeFirstOrThrow()
      return row.count
    }
    const countAudiences = async (): Promise<number> => {
      const row = await db
        .selectFrom('audiences')
        .innerJoin('workspaces', 'workspaces.id', 'audiences.workspace_id')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('workspaces.organization_id', '=', id)
        .executeTakeFirstOrThrow()
      return row.count
    }
    const [sources, destinations, audiences, profiles] = await Promise.all([
      count('sources'),
      count('destinations'),
      countAudiences(),
      profilesOf(id, ids, signal),
    ])
    return { workspaces: ids.length, sources, profiles, destinations, audiences }
  }
}
