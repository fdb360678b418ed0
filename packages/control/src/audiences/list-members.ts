import { cursorTime, type Db, openPage } from '@tributary/api-kit'
import { readAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import { z } from 'zod'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskSummary } from '../profiles/mask.ts'
import { readSummaries } from '../profiles/read.ts'

/**
 * The state of the list that all its pages show: the last entry or exit with its time, and the time of the last
 * computation (`as_of`).
 */
const listed = z.object({
  change: z.string().regex(/^\d{1,18}$/),
  change_time: cursorTime.nullable(),
  as_of: cursorTime.nullable(),
})
type Listed = z.infer<typeof listed>

const cursor = z.tuple([cursorTime, z.uuid(), listed])

type Row = { id: string; create_time: Date; enter_time: Date }

/** Reads the state that a new list shows. */
const readListed = async (db: Db, audienceId: string): Promise<Listed> => {
  // One statement reads all values, because a computation changes them together.
  const { rows } = await sql<{ change: string | null; time: Date | null; as_of: Date | null }>`
    select as_of, (select max(id) from audience_changes where audience_id = a.id) as change,
      (select max(time) from audience_changes where audience_id = a.id) as time
    from audiences a where id = ${audienceId}::uuid`.execute(db)
  const [now] = rows
  return {
    change: now?.change ?? '0',
    change_time: now?.time?.toISOString() ?? null,
    as_of: now?.as_of?.toISOString() ?? null,
  }
}

/**
 * Lists the members of an audience, the last entry first. All pages show the members as of the first page. Profiles
 * that are deleted or suppressed afterwards disappear from the list immediately; the size changes with the next
 * computation.
 */
export const listAudienceMembers =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.listMembers> =>
  async ({ actor, workspace, params, query }) => {
    const page = openPage('audiences.listMembers', params, query, cursor)
    const audience = await readAudience(db, workspace.id, params.audience)
    const [time, id, before] = page.after ?? [null, null, undefined]
    const of = before ?? (await readListed(db, audience.id))
    const { rows: found } = await sql<Row>`
      with later as materialized (
        select distinct on (profile_id) profile_id, kind from audience_changes
        where audience_id = ${audience.id}::uuid and id > ${of.change}::bigint order by profile_id, id
      ), stayed as (
        select profile_id, enter_time from audience_members m
        where audience_id = ${audience.id}::uuid
          and not exists (select from later where later.profile_id = m.profile_id)
      ), left_since as (
        select later.profile_id, entered.enter_time from later cross join lateral (
          select max(c.time) as enter_time from audience_changes c where c.audience_id = ${audience.id}::uuid
            and c.profile_id = later.profile_id and c.kind = 'entered' and c.id <= ${of.change}::bigint
        ) as entered
        where later.kind = 'left' and entered.enter_time is not null
      )
      ${sql.join(
        [sql.ref('stayed'), sql.ref('left_since')].map(
          (members) => sql`(
            select m.profile_id as id, p.create_time, m.enter_time
            from ${members} m
            join profiles p on p.workspace_id = ${workspace.id}::uuid and p.id = m.profile_id
            where not exists (
                select from profile_identifiers i
                join privacy_hashes h on h.workspace_id = i.workspace_id and h.identifier = i.sequence
                where i.workspace_id = ${workspace.id}::uuid and i.profile_id = m.profile_id and h.suppress_time is not null)
              and (${time}::timestamptz is null or (m.enter_time, m.profile_id) < (${time}::timestamptz, ${id}::uuid))
            order by m.enter_time desc, m.profile_id desc limit ${page.size + 1}
          )`,
        ),
        sql` union all `,
      )}
      order by enter_time desc, id desc limit ${page.size + 1}`.execute(db)
    const { rows, next } = page.cut(found, (row) => [row.enter_time.toISOString(), row.id, of])
    const summaries = await readSummaries(db, workspace.id, rows)
    const shown = isMasked(actor, workspace) ? summaries.map(maskSummary) : summaries
    return {
      as_of: of.as_of,
      change_time: of.change_time,
      members: shown.map((profile, index) => ({
        profile,
        enter_time: rows[index]?.enter_time.toISOString() ?? '',
      })),
      next_page_token: next,
    }
  }
