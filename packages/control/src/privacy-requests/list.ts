import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentPrivacyRequests } from '@tributary/privacy'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The privacy requests of a workspace, newest first. */
export const listPrivacyRequests =
  ({ db, rewriteFiles }: Pick<ControlDeps, 'db' | 'rewriteFiles'>): Handler<typeof methods.privacyRequests.list> =>
  async ({ workspace, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'privacyRequests.list', table: 'privacy_requests', params, query },
      db.selectFrom('privacy_requests').selectAll().where('workspace_id', '=', workspace.id),
    )
    return {
      privacy_requests: await presentPrivacyRequests({ db, rewriteFiles }, workspace.id, rows),
      next_page_token: next,
    }
  }
