import { createdCursor, createdCursorOf, olderThan, openPage } from '@tributary/api-kit'
import { presentSummary, readAsOf } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** The computed traits of a workspace, newest first. */
export const listComputedTraits =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.computedTraits.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('computedTraits.list', params, query, createdCursor)
    const [found, asOf] = await Promise.all([
      db
        .selectFrom('computed_traits')
        .selectAll()
        .where('workspace_id', '=', workspace.id)
        .where('delete_time', 'is', null)
        .where(olderThan('computed_traits', page.after))
        .orderBy('create_time', 'desc')
        .orderBy('id', 'desc')
        .limit(page.size + 1)
        .execute(),
      readAsOf(db, workspace.id),
    ])
    const { rows, next } = page.cut(found, createdCursorOf)
    return { computed_traits: rows.map((row) => presentSummary(row, asOf)), next_page_token: next }
  }
