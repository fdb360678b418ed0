import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { showSync } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Returns a sync. */
export const getSync =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncs.get> =>
  ({ workspace, params }) =>
    showSync(db, workspace.id, params.sync)
