import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentModel, readModel } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Returns a model. */
export const getModel =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.models.get> =>
  async ({ workspace, params }) =>
    presentModel(await readModel(db, workspace.id, params.model))
