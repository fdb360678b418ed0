import { parseReference } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { readDestination } from '../../destinations/read.ts'
import { presentModel, readModel } from '../../models/read.ts'
import { checkSync, findRowObject } from '../check.ts'
import { beginDryRun } from './begin.ts'

/** Begins a dry run of a sync that is not saved, which is refused where the sync would be. */
export const createSyncDryRun =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock' | 'catalog'>): Handler<typeof methods.syncDryRuns.create> =>
  async ({ actor, workspace, body }) => {
    const named = parseReference(resourceNames.model, 'model', body.model)
    const to = parseReference(resourceNames.destination, 'destination', body.destination)
    if (named.workspace !== workspace.id) throw notFound('model not found')
    if (to.workspace !== workspace.id) throw notFound('destination not found')
    const model = await readModel(deps.db, workspace.id, named.model)
    const { app } = await readDestination(deps.db, workspace.id, to.destination)
    checkSync(await findRowObject(deps.catalog, app, body.object), presentModel(model), body)
    const { mode, identifier, fields, guard_percent } = body
    const given = { sync_id: null, model_id: model.id, mode, identifier, fields, guard_percent, resync: false }
    return await beginDryRun(deps, { actor, workspace, action: 'syncDryRuns.create' }, given)
  }
