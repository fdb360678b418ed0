import { createdCursor, openPage } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readHeldWork } from './held-work.ts'

/** Lists the held work of a workspace that is not retried automatically. */
export const listHeldWork =
  (deps: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.heldWork.list> =>
  ({ workspace, params, query }) =>
    readHeldWork(deps, workspace.id, openPage('heldWork.list', params, query, createdCursor))

/** Lists the held work of all workspaces, and work that belongs to no workspace. */
export const listAllHeldWork =
  (deps: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.heldWork.listAll> =>
  ({ params, query }) =>
    readHeldWork(deps, undefined, openPage('heldWork.listAll', params, query, createdCursor))
