import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentChannels } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** The alert channels of a workspace, newest first. */
export const listAlertChannels =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.alertChannels.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('alertChannels.list', params, query, createdCursor)
    const found = await db
      .selectFrom('alert_channels')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where(olderThan('alert_channels', page.after))
      .orderBy('create_time', 'desc')
      .orderBy('id', 'desc')
      .limit(page.size + 1)
      .execute()
    const { rows, next } = page.cut(found, createdCursorOf)
    return { alert_channels: await presentChannels(db, rows), next_page_token: next }
  }
