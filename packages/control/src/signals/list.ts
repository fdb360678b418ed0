import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type PresentDeps, presentSignals } from './present.ts'

/** The signals of a workspace, newest first. */
export const listSignals =
  (deps: PresentDeps): Handler<typeof methods.signals.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('signals.list', params, query, createdCursor)
    const found = await deps.db
      .selectFrom('signals')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where(olderThan('signals', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return { signals: await presentSignals(deps, workspace.id, rows), next_page_token: next }
  }
