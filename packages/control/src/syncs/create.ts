import { audit, idFor, parseReference } from '@tributary/api-kit'
import { type methods, resourceNames, syncLimits } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { readDestination } from '../destinations/read.ts'
import { presentModel, readModel } from '../models/read.ts'
import { checkSync, findRowObject } from './check.ts'
import { showSync, syncName } from './read.ts'
import { storedSchedule } from './schedule.ts'

/** Makes a sync; nothing is read and nothing is sent. */
export const createSync =
  ({ db, catalog, clock }: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>): Handler<typeof methods.syncs.create> =>
  async ({ actor, workspace, body }) => {
    const named = parseReference(resourceNames.model, 'model', body.model)
    const to = parseReference(resourceNames.destination, 'destination', body.destination)
    if (named.workspace !== workspace.id) throw notFound('model not found')
    if (to.workspace !== workspace.id) throw notFound('destination not found')
    const model = await readModel(db, workspace.id, named.model)
    const destination = await readDestination(db, workspace.id, to.destination)
    checkSync(await findRowObject(catalog, destination.app, body.object), presentModel(model), body)
    const id = idFor(body.request_id, 'syncs', workspace.id)
    const now = clock()
    const time = new Date(now)
    await db.transaction().execute(async (tx) => {
      // Two at once count one after the other, and what it connects is not deleted meanwhile.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      await readModel(tx, workspace.id, model.id)
      await readDestination(tx, workspace.id, destination.id)
      const known = await tx.selectFrom('syncs').select('id').where('workspace_id', '=', workspace.id).execute()
      if (known.some((each) => each.id === id)) return
      if (known.length >= syncLimits.syncs)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${syncLimits.syncs} syncs`)
      await tx
        .insertInto('syncs')
        .values({
          id,
          workspace_id: workspace.id,
          model_id: model.id,
          destination_id: destination.id,
          title: body.title,
          object: body.object,
          object_name: body.object_name,
          mode: body.mode,
          identifier: body.identifier,
          fields: JSON.stringify(body.fields),
          guard_percent: body.guard_percent,
          alerts: JSON.stringify(body.alerts),
          ...(await storedSchedule(tx, body, { workspace: workspace.id, id, now })),
          create_time: time,
          update_time: time,
        })
        .execute()
      await audit(tx, {
        actor,
        action: 'syncs.create',
        resource: syncName(workspace.id, id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { title: body.title, model: body.model, destination: body.destination, mode: body.mode },
        time,
      })
    })
    return await showSync(db, workspace.id, id)
  }
