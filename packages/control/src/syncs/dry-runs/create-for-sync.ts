import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { presentModel, readModel } from '../../models/read.ts'
import { checkSync } from '../check.ts'
import { fieldsOf, readSync } from '../read.ts'
import { findObject, targetOf } from '../target.ts'
import { beginDryRun } from './begin.ts'

/** Begins a dry run of a sync as it is, or as it would be with changes that are not saved. */
export const createDryRunForSync =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock' | 'catalog'>): Handler<typeof methods.syncDryRuns.createForSync> =>
  async ({ actor, workspace, params, body }) => {
    const row = await readSync(deps.db, workspace.id, params.sync)
    const { id: sync_id, model_id, source_id, object, object_name, identifier, to_destinations } = row
    const { mode = row.mode, fields = fieldsOf(row), guard_percent = row.guard_percent, resync } = body
    const model = await readModel(deps.db, workspace.id, model_id)
    const given = { mode, identifier, fields, to_destinations }
    checkSync(await findObject(deps.catalog, await targetOf(deps.db, row), object), presentModel(model), given)
    const what = { sync_id, model_id, source_id, object, object_name, mode, identifier, fields, guard_percent, resync }
    return await beginDryRun(deps, { actor, workspace, action: 'syncDryRuns.createForSync' }, what)
  }
