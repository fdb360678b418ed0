import { cursorInteger, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { prepared } from '@tributary/storage'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { isMasked, maskSummary } from './mask.ts'
import { readSummaries } from './read.ts'

/**
 * Selects the profiles that have this text as an identifier, or as the latest value of a trait. A text that is a number
 * also finds numeric traits.
 */
const having = (workspaceId: string, search: string) => {
  const text = JSON.stringify(search)
  return sql`(
    select i.profile_id from profile_identifiers i
      where i.workspace_id = ${workspaceId}::uuid and i.value = ${search}
    union
    select i.profile_id from current_traits t
      join profile_identifiers i on i.workspace_id = t.workspace_id and i.sequence = t.identifier
      where t.workspace_id = ${workspaceId}::uuid and t.value in (${text}, ${search})
        and left(t.value, 100) in (left(${text}, 100), left(${search}, 100))
        and not exists (
          select from profile_identifiers j join current_traits later
            on later.workspace_id = j.workspace_id and later.identifier = j.sequence and later.name = t.name
          where j.workspace_id = ${workspaceId}::uuid and j.profile_id = i.profile_id
            and (later.time, later.event_id) > (t.time, t.event_id)))`
}

/** Lists the profiles of a workspace. The profiles that were first seen most recently come first. */
export const listProfiles =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.profiles.list> =>
  async ({ actor, workspace, params, query }) => {
    const page = openPage('profiles.list', params, query, cursorInteger)
    const search = query.search === undefined || query.search === '' ? undefined : query.search
    const { rows: found } = await sql<{
      id: string
      create_time: Date
      sequence: string
    }>`${search === undefined ? sql`` : prepared('profiles-found')}
      select id, create_time, sequence from profiles
      where workspace_id = ${workspace.id}::uuid and merged_into is null
        and (${page.after ?? null}::bigint is null or sequence < ${page.after ?? null}::bigint)
        and ${search === undefined ? sql`true` : sql`id in ${having(workspace.id, search)}`}
      order by sequence desc limit ${page.size + 1}`.execute(db)
    const { rows, next } = page.cut(found, ({ sequence }) => Number(sequence))
    const profiles = await readSummaries(db, workspace.id, rows)
    return { profiles: isMasked(actor, workspace) ? profiles.map(maskSummary) : profiles, next_page_token: next }
  }
