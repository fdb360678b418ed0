import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentChannels } from '@tributary/syncs'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The alert channels of a workspace, newest first. */
export const listAlertChannels =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.alertChannels.list> =>
  async ({ workspace, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'alertChannels.list', table: 'alert_channels', params, query },
      db.selectFrom('alert_channels').selectAll().where('workspace_id', '=', workspace.id),
    )
    return { alert_channels: await presentChannels(db, rows), next_page_token: next }
  }
