import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentProfileKey } from './keys.ts'

/** The valid keys of the Profile API, newest first. */
export const listProfileKeys =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.profileKeys.list> =>
  async ({ workspace, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'profileKeys.list', table: 'profile_keys', params, query },
      db
        .selectFrom('profile_keys')
        .selectAll()
        .where('workspace_id', '=', workspace.id)
        .where('revoke_time', 'is', null),
    )
    return { profile_keys: rows.map(presentProfileKey), next_page_token: next }
  }
