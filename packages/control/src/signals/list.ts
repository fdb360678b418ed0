import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import { type PresentDeps, presentSignals } from './present.ts'

/** The signals of a workspace, newest first. */
export const listSignals =
  (deps: PresentDeps): Handler<typeof methods.signals.list> =>
  async ({ workspace, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'signals.list', table: 'signals', params, query },
      deps.db.selectFrom('signals').selectAll().where('workspace_id', '=', workspace.id),
    )
    return { signals: await presentSignals(deps, workspace.id, rows), next_page_token: next }
  }
