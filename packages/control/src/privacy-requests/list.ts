import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentPrivacyRequests } from '@tributary/privacy'
import type { ControlDeps } from '../deps.ts'

/** The privacy requests of a workspace, newest first. */
export const listPrivacyRequests =
  ({ db, rewriteFiles }: Pick<ControlDeps, 'db' | 'rewriteFiles'>): Handler<typeof methods.privacyRequests.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('privacyRequests.list', params, query, createdCursor)
    const found = await db
      .selectFrom('privacy_requests')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where(olderThan('privacy_requests', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return {
      privacy_requests: await presentPrivacyRequests({ db, rewriteFiles }, workspace.id, rows),
      next_page_token: next,
    }
  }
