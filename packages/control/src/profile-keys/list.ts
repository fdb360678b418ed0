import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentProfileKey } from './keys.ts'

/** The valid keys of the Profile API, newest first. */
export const listProfileKeys =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.profileKeys.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('profileKeys.list', params, query, createdCursor)
    const found = await db
      .selectFrom('profile_keys')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where('revoke_time', 'is', null)
      .where(olderThan('profile_keys', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return { profile_keys: rows.map(presentProfileKey), next_page_token: next }
  }
