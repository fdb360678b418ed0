import { presentSummaries } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The audiences of a workspace, newest first. */
export const listAudiences =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.list> =>
  async ({ workspace, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'audiences.list', table: 'audiences', params, query },
      db.selectFrom('audiences').selectAll().where('workspace_id', '=', workspace.id),
    )
    return { audiences: await presentSummaries(db, rows), next_page_token: next }
  }
