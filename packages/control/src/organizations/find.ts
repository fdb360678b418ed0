import { type Db, isId } from '@tributary/api-kit'
import { planOf } from '@tributary/billing'
import { type FoundOrganization, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentOrganization } from './present.ts'
import { selectOrganizations } from './select.ts'

const dayMs = 24 * 60 * 60_000

/** Selects the organization with this ID, or those whose title contains each word of the search. */
const fits = (search: string): RawBuilder<SqlBool> => {
  const id = resourceNames.organization.parse(search)?.organization ?? search
  if (isId(id)) return sql<SqlBool>`organizations.id = ${id}`
  const words = search.split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return sql<SqlBool>`true`
  return sql<SqlBool>`(${sql.join(
    words.map((word) => sql<SqlBool>`organizations.title ilike ${`%${word.replace(/[\\%_]/g, '\\$&')}%`}`),
    sql` and `,
  )})`
}

type Counts = { id: string; workspace: string | null } & FoundOrganization['usage'] & FoundOrganization['health']

/** Reads the counts of usage and health of these organizations, by organization ID. */
const countsOf = async (db: Db, ids: readonly string[], since: Date): Promise<Map<string, Counts>> => {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Counts>`
select o.id,
  (select w.id from workspaces w where w.organization_id = o.id and w.delete_time is null order by w.create_time, w.id limit 1) as workspace,
  (select count(*)::int from memberships m where m.organization_id = o.id) as members,
  cardinality(own.ids) as workspaces,
  (select count(*)::int from sources s where s.workspace_id = any(own.ids) and s.delete_time is null) as sources,
  (select count(*)::int from destinations d where d.workspace_id = any(own.ids) and d.delete_time is null) as destinations,
  (select count(*)::int from audiences a where a.workspace_id = any(own.ids)) as audiences,
  (select count(*)::int from profiles p where p.workspace_id = any(own.ids)) as profiles,
  (select coalesce(sum(p.event_count), 0)::int from parked_deliveries p
    where p.workspace_id = any(own.ids) and p.state = 'dead') as dead_letters,
  (select coalesce(sum(r.count), 0)::int from refused_requests r
    where r.workspace_id = any(own.ids) and r.hour >= ${since}) as refused_requests,
  (select count(*)::int from syncs y where y.workspace_id = any(own.ids) and (
    select r.state from sync_runs r where r.sync_id = y.id order by r.create_time desc, r.id desc limit 1) = 'failed') as failed_syncs
from organizations o
cross join lateral (
  select coalesce(array_agg(w.id), '{}') as ids from workspaces w where w.organization_id = o.id and w.delete_time is null) own
where o.id = any(${ids})`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Finds organizations by a search, newest first, with plan, usage, and health. Only for platform admins. */
export const findOrganizations =
  ({ db, clock, billing }: Pick<ControlDeps, 'db' | 'clock' | 'billing'>): Handler<typeof methods.organizations.find> =>
  async ({ params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'organizations.find', table: 'organizations', params, query },
      selectOrganizations(db).where(fits(query.search)),
    )
    const counts = await countsOf(
      db,
      rows.map(({ id }) => id),
      new Date(clock() - dayMs),
    )
    return {
      organizations: rows.flatMap((row): FoundOrganization[] => {
        const has = counts.get(row.id)
        if (has === undefined) return []
        const { name, title } = planOf(billing.plans, row.plan ?? undefined)
        const { members, workspaces, sources, destinations, audiences, profiles } = has
        const { dead_letters, refused_requests, failed_syncs } = has
        const shown = presentOrganization(row)
        return [
          {
            name: shown.name,
            display_name: shown.display_name,
            plan_name: name,
            plan_title: title,
            create_time: shown.create_time,
            workspace: has.workspace === null ? '' : resourceNames.workspace.format({ workspace: has.workspace }),
            usage: { members, workspaces, sources, destinations, audiences, profiles },
            health: { dead_letters, refused_requests, failed_syncs },
          },
        ]
      }),
      next_page_token: next,
    }
  }
