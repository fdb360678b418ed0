import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentSyncToken } from './present.ts'

/** The valid tokens of a workspace, newest first. */
export const listSyncTokens =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncTokens.list> =>
  async ({ workspace, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'syncTokens.list', table: 'sync_tokens', params, query },
      db
        .selectFrom('sync_tokens')
        .selectAll()
        .where('workspace_id', '=', workspace.id)
        .where('revoke_time', 'is', null),
    )
    return { sync_tokens: rows.map(presentSyncToken), next_page_token: next }
  }
