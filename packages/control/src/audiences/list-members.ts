import { cursorTime, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import { z } from 'zod'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskSummary } from '../profiles/mask.ts'
import { readSummaries } from '../profiles/read.ts'
import { readAudience, readChangeTime } from './read.ts'

const cursor = z.tuple([cursorTime, z.uuid()])

type Row = { id: string; create_time: Date; enter_time: Date }

/**
 * Who was in an audience when it was computed last, those that entered last first. Who was deleted or suppressed since is
 * left out at once, and of the size with the next computation.
 */
export const listAudienceMembers =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.listMembers> =>
  async ({ actor, workspace, params, query }) => {
    const page = openPage('audiences.listMembers', params, query, cursor)
    const audience = await readAudience(db, workspace.id, params.audience)
    const [time, id] = page.after ?? [null, null]
    // Before the rows: who enters or leaves meanwhile is seen by the next page.
    const changeTime = await readChangeTime(db, audience.id)
    const { rows: found } = await sql<Row>`
      select m.profile_id as id, p.create_time, m.enter_time
      from audience_members m
      join profiles p on p.workspace_id = ${workspace.id}::uuid and p.id = m.profile_id
      where m.audience_id = ${audience.id}::uuid
        and not exists (
          select from profile_identifiers i
          join privacy_hashes h on h.workspace_id = i.workspace_id and h.identifier = i.sequence
          where i.workspace_id = ${workspace.id}::uuid and i.profile_id = m.profile_id and h.suppress_time is not null)
        and (${time}::timestamptz is null or (m.enter_time, m.profile_id) < (${time}::timestamptz, ${id}::uuid))
      order by m.enter_time desc, m.profile_id desc limit ${page.size + 1}`.execute(db)
    const { rows, next } = page.cut(found, (row) => [row.enter_time.toISOString(), row.id])
    const summaries = await readSummaries(db, workspace.id, rows)
    const shown = isMasked(actor, workspace) ? summaries.map(maskSummary) : summaries
    return {
      as_of: audience.as_of?.toISOString() ?? null,
      change_time: changeTime,
      members: shown.map((profile, index) => ({
        profile,
        enter_time: rows[index]?.enter_time.toISOString() ?? '',
      })),
      next_page_token: next,
    }
  }
