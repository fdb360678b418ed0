import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { readDestination } from '../../destinations/read.ts'
import { presentModel, readModel } from '../../models/read.ts'
import { checkSync, findRowObject } from '../check.ts'
import { fieldsOf, readSync } from '../read.ts'
import { beginDryRun } from './begin.ts'

/** Begins a dry run of a sync as it is, or as it would be with changes that are not saved. */
export const createDryRunForSync =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock' | 'catalog'>): Handler<typeof methods.syncDryRuns.createForSync> =>
  async ({ actor, workspace, params, body }) => {
    const row = await readSync(deps.db, workspace.id, params.sync)
    const { id: sync_id, model_id, identifier } = row
    const { mode = row.mode, fields = fieldsOf(row), guard_percent = row.guard_percent, resync } = body
    const model = await readModel(deps.db, workspace.id, model_id)
    const { app } = await readDestination(deps.db, workspace.id, row.destination_id)
    checkSync(await findRowObject(deps.catalog, app, row.object), presentModel(model), { mode, identifier, fields })
    const given = { sync_id, model_id, mode, identifier, fields, guard_percent, resync }
    return await beginDryRun(deps, { actor, workspace, action: 'syncDryRuns.createForSync' }, given)
  }
