import { presentSummary, readAsOf } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/** The computed traits of a workspace, newest first. */
export const listComputedTraits =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.computedTraits.list> =>
  async ({ workspace, params, query }) => {
    const [{ rows, next }, asOf] = await Promise.all([
      newestFirst(
        { name: 'computedTraits.list', table: 'computed_traits', params, query },
        db
          .selectFrom('computed_traits')
          .selectAll()
          .where('workspace_id', '=', workspace.id)
          .where('delete_time', 'is', null),
      ),
      readAsOf(db, workspace.id),
    ])
    return { computed_traits: rows.map((row) => presentSummary(row, asOf)), next_page_token: next }
  }
