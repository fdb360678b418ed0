import { cursorTime, openPage } from '@tributary/api-kit'
import { readAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import { z } from 'zod'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskSummary } from '../profiles/mask.ts'
import { readSummaries } from '../profiles/read.ts'

const cursor = z.tuple([cursorTime, z.uuid()])

type Row = {
  change: string
  kind: 'entered' | 'left'
  time: Date
  profile_id: string
  /** ID and creation time of the current profile; null if it no longer exists. */
  id: string | null
  create_time: Date | null
}

/** Lists the entries and exits of an audience, newest first. */
export const listAudienceChanges =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.listChanges> =>
  async ({ actor, workspace, params, query }) => {
    const page = openPage('audiences.listChanges', params, query, cursor)
    const audience = await readAudience(db, workspace.id, params.audience)
    const [time, id] = page.after ?? [null, null]
    const { rows: found } = await sql<Row>`
      select c.id as change, c.kind, c.time, c.profile_id, now.id, now.create_time
      from (
        select * from audience_changes where audience_id = ${audience.id}::uuid
          and (${time}::timestamptz is null or (time, profile_id) < (${time}::timestamptz, ${id}::uuid))
          and (${query.kind ?? null}::text is null or kind = ${query.kind ?? null}::text)
        order by time desc, profile_id desc limit ${page.size + 1}
      ) as c
      left join lateral (
        with recursive found as (
          select id, merged_into, create_time from profiles
          where workspace_id = ${workspace.id}::uuid and id = c.profile_id
          union all
          select p.id, p.merged_into, p.create_time from found join profiles p
            on p.workspace_id = ${workspace.id}::uuid and p.id = found.merged_into
        )
        select id, create_time from found where merged_into is null
      ) as now on true
      order by c.time desc, c.profile_id desc`.execute(db)
    const { rows, next } = page.cut(found, (row) => [row.time.toISOString(), row.profile_id])
    const current = rows.flatMap(({ id, create_time }) =>
      id === null || create_time === null ? [] : [{ id, create_time }],
    )
    const summaries = await readSummaries(db, workspace.id, current)
    const shown = isMasked(actor, workspace) ? summaries.map(maskSummary) : summaries
    const byId = new Map(current.map(({ id }, index) => [id, shown[index]]))
    return {
      changes: rows.map(({ change, kind, time, id, profile_id }) => ({
        id: change,
        kind,
        time: time.toISOString(),
        profile: (id === null ? undefined : byId.get(id)) ?? null,
        merged: id !== null && id !== profile_id,
      })),
      next_page_token: next,
    }
  }
