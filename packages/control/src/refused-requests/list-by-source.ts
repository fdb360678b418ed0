import { offsetCursor, openPage } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readRefusedRequests } from './read.ts'

/** Lists the refused requests of one source in the last 24 hours. */
export const listSourceRefusedRequests =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.refusedRequests.listBySource> =>
  async ({ workspace, params, query }) => {
    const source = await readSource(db, workspace.id, params.source)
    const page = openPage('refusedRequests.listBySource', params, query, offsetCursor)
    return await readRefusedRequests(db, { workspaceId: workspace.id, sourceId: source.id }, page, clock())
  }
