import { offsetCursor, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readRefusedRequests } from './read.ts'

/** Lists the refused requests of the workspace's sources in the last 24 hours. */
export const listRefusedRequests =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.refusedRequests.list> =>
  async ({ workspace, params, query }) => {
    const page = openPage('refusedRequests.list', params, query, offsetCursor)
    return await readRefusedRequests(
      db,
      { workspaceId: workspace.id, sourceDeleted: query.source_deleted },
      page,
      clock(),
    )
  }
