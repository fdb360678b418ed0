import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { readDestination } from '../destinations/read.ts'
import { presentModel, readModel } from '../models/read.ts'
import { checkSync, findRowObject } from './check.ts'
import { nextRunTime } from './create.ts'
import { fieldsOf, readSync, showSync, syncName } from './read.ts'

/** Changes a sync; a run that is under way goes on as it was begun, from the rows that it has read. */
export const updateSync =
  ({ db, catalog, clock }: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>): Handler<typeof methods.syncs.update> =>
  async ({ actor, workspace, params, body }) => {
    const row = await readSync(db, workspace.id, params.sync)
    if (body.mode !== undefined || body.fields !== undefined) {
      const model = presentModel(await readModel(db, workspace.id, row.model_id))
      const { app } = await readDestination(db, workspace.id, row.destination_id)
      checkSync(await findRowObject(catalog, app, row.object), model, {
        mode: body.mode ?? row.mode,
        identifier: row.identifier,
        fields: body.fields ?? fieldsOf(row),
      })
    }
    if (Object.keys(body).length > 0) {
      const now = clock()
      const { fields, interval_minutes, ...rest } = body
      await db.transaction().execute(async (tx) => {
        const changed = await tx
          .updateTable('syncs')
          .set({
            ...rest,
            ...(fields === undefined ? {} : { fields: JSON.stringify(fields) }),
            ...(interval_minutes === undefined
              ? {}
              : { interval_minutes, next_run_time: nextRunTime(interval_minutes, now), schedule_note: '' }),
            update_time: new Date(now),
          })
          .where('id', '=', row.id)
          .returning('id')
          .executeTakeFirst()
        if (changed === undefined) throw notFound('sync not found')
        await audit(tx, {
          actor,
          action: 'syncs.update',
          resource: syncName(workspace.id, row.id),
          organizationId: workspace.organizationId,
          workspaceId: workspace.id,
          detail: { changed: Object.keys(body) },
          time: new Date(now),
        })
      })
    }
    return await showSync(db, workspace.id, row.id)
  }
