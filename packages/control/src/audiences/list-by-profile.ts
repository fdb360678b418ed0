import { offsetCursor, openPage, slicePage } from '@tributary/api-kit'
import { audienceName } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { currentProfileId } from '../profiles/read.ts'

type Row = { id: string; title: string; as_of: Date | null; enter_time: Date | null }

/**
 * Lists all audiences of a workspace. The audiences that the profile belongs to come first, with the time at which it
 * entered.
 */
export const listProfileAudiences =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.profiles.listAudiences> =>
  async ({ workspace, params, query }) => {
    const page = openPage('profiles.listAudiences', params, query, offsetCursor)
    const profileId = await currentProfileId(db, workspace.id, params.profile)
    const { rows } = await sql<Row>`
      select a.id, a.title, a.as_of, m.enter_time from audiences a
      left join audience_members m on m.audience_id = a.id and m.profile_id = ${profileId}::uuid
      where a.workspace_id = ${workspace.id}::uuid
      order by m.enter_time desc nulls last, a.create_time desc, a.id`.execute(db)
    const { rows: shown, next } = slicePage(page, rows)
    return {
      audiences: shown.map(({ id, title, as_of, enter_time }) => ({
        name: audienceName(workspace.id, id),
        title,
        as_of: as_of?.toISOString() ?? null,
        enter_time: enter_time?.toISOString() ?? null,
      })),
      next_page_token: next,
    }
  }
