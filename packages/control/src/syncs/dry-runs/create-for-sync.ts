import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import {
  beginDryRun,
  checkCursor,
  checkSync,
  cursorOf,
  fieldsOf,
  ownershipAfter,
  presentModel,
  readModel,
  readSync,
  requireObject,
  targetOf,
} from '@tributary/syncs'
import type { ControlDeps } from '../../deps.ts'

/** Starts a dry run of a stored sync, with or without unsaved changes of it. */
export const createDryRunForSync =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock' | 'catalog'>): Handler<typeof methods.syncDryRuns.createForSync> =>
  async ({ workspace, params, body }) => {
    const row = await readSync(deps.db, workspace.id, params.sync)
    const { id: sync_id, model_id, source_id, destination_id, object, object_name, identifier, to_destinations } = row
    const { mode = row.mode, fields = fieldsOf(row), guard_percent = row.guard_percent, resync } = body
    const owns_object = ownershipAfter(row, body)
    const model = await readModel(deps.db, workspace.id, model_id)
    const given = { mode, identifier, fields, to_destinations, owns_object }
    checkSync(await requireObject(deps.catalog, await targetOf(deps.db, row), object), presentModel(model), given)
    const asked = body.cursor === undefined ? cursorOf(row) : body.cursor
    const cursor = checkCursor(deps.catalog, model, presentModel(model), { mode, cursor: asked })
    const to = { source_id, destination_id, object, object_name, owns_object, cursor }
    const what = { sync_id, model_id, ...to, mode, identifier, fields, guard_percent, resync }
    return await beginDryRun(deps, workspace, what)
  }
