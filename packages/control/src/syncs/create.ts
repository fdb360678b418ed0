import { audit, idFor, parseReference } from '@tributary/api-kit'
import { withinPlan } from '@tributary/billing'
import { type methods, resourceNames, syncLimits } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, notFound } from '@tributary/kernel'
import {
  checkCursor,
  checkSync,
  insertSync,
  namedTarget,
  presentModel,
  readModel,
  requireObject,
  requireSameApp,
  showSync,
  storedSchedule,
  syncName,
} from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Makes a sync. Reads and sends nothing. */
export const createSync =
  (deps: Pick<ControlDeps, 'db' | 'billing' | 'catalog' | 'clock'>): Handler<typeof methods.syncs.create> =>
  async ({ workspace, body }) => {
    const { db, catalog, clock } = deps
    const named = parseReference(resourceNames.model, 'model', body.model)
    if (named.workspace !== workspace.id) throw notFound('model not found')
    const model = await readModel(db, workspace.id, named.model)
    const target = await namedTarget(db, workspace.id, body.destination)
    checkSync(await requireObject(catalog, target, body.object), presentModel(model), body)
    const cursor = checkCursor(catalog, model, presentModel(model), body)
    const id = idFor(body.request_id, 'syncs', workspace.id)
    const now = clock()
    const time = new Date(now)
    await db.transaction().execute(async (tx) => {
      // The lock makes concurrent calls count one after the other, and protects the connected resources from deletion.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      await readModel(tx, workspace.id, model.id)
      await namedTarget(tx, workspace.id, body.destination)
      await requireSameApp(tx, target)
      const known = await tx.selectFrom('syncs').select('id').where('workspace_id', '=', workspace.id).execute()
      if (known.some((each) => each.id === id)) return
      if (known.length >= syncLimits.syncs)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${syncLimits.syncs} syncs`)
      await insertSync(tx, {
        id,
        workspace_id: workspace.id,
        model_id: model.id,
        ...target.columns,
        title: body.title,
        object: body.object,
        object_name: body.object_name,
        mode: body.mode,
        identifier: body.identifier,
        fields: JSON.stringify(body.fields),
        guard_percent: body.guard_percent,
        to_destinations: body.to_destinations,
        owns_object: body.owns_object,
        cursor: cursor && JSON.stringify(cursor),
        alerts: JSON.stringify(body.alerts),
        ...(await storedSchedule(tx, body, { workspace: workspace.id, id, now })),
        create_time: time,
        update_time: time,
      })
      await withinPlan(tx, deps, workspace.organizationId, 'syncs')
      await audit(tx, syncName(workspace.id, id), {
        title: body.title,
        model: body.model,
        destination: body.destination,
        mode: body.mode,
        owns_object: body.owns_object,
      })
    })
    return await showSync(db, workspace.id, id)
  }
