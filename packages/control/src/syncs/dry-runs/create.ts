import { parseReference } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import {
  beginDryRun,
  checkCursor,
  checkSync,
  namedTarget,
  presentModel,
  readModel,
  requireObject,
} from '@tributary/syncs'
import type { ControlDeps } from '../../deps.ts'

/** Starts a dry run of an unsaved sync. Refuses it if the sync could not be saved. */
export const createSyncDryRun =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock' | 'catalog'>): Handler<typeof methods.syncDryRuns.create> =>
  async ({ workspace, body }) => {
    const named = parseReference(resourceNames.model, 'model', body.model)
    if (named.workspace !== workspace.id) throw notFound('model not found')
    const model = await readModel(deps.db, workspace.id, named.model)
    const target = await namedTarget(deps.db, workspace.id, body.destination)
    checkSync(await requireObject(deps.catalog, target, body.object), presentModel(model), body)
    const cursor = checkCursor(deps.catalog, model, presentModel(model), body)
    const { mode, identifier, fields, guard_percent, object, object_name, owns_object } = body
    const to = { ...target.columns, object, object_name, owns_object, cursor }
    const what = { model_id: model.id, ...to, mode, identifier, fields, guard_percent }
    const given = { ...what, sync_id: null, resync: false }
    return await beginDryRun(deps, workspace, given)
  }
