import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'
import { presentOwnConnectors, showOwnConnector } from './read.ts'

/** The own connectors of a workspace, newest first. */
export const listOwnConnectors =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.ownConnectors.list> =>
  async ({ workspace, params, query }) => {
    const { rows, next } = await newestFirst(
      { name: 'ownConnectors.list', table: 'own_connectors', params, query },
      db.selectFrom('own_connectors').selectAll().where('workspace_id', '=', workspace.id),
    )
    return { own_connectors: await presentOwnConnectors(db, rows), next_page_token: next }
  }

/** One own connector with its draft. */
export const getOwnConnector =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.ownConnectors.get> =>
  async ({ workspace, params }) => {
    return await showOwnConnector(db, workspace.id, params.own_connector)
  }
