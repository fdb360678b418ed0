import { audit, changesOf } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import {
  checkCursor,
  checkSync,
  cursorOf,
  fieldsOf,
  ownershipAfter,
  presentModel,
  presentSync,
  readModel,
  readSync,
  requireObject,
  requireSameApp,
  type SyncTarget,
  setSync,
  showSync,
  storedSchedule,
  syncName,
  targetOf,
} from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Fields that some objects of destinations do not allow, so a change of them is checked. */
const checked = ['mode', 'fields', 'to_destinations', 'owns_object', 'cursor'] as const

/** Changes a sync. A run that has already started continues with the old settings and the rows that it has read. */
export const updateSync =
  ({ db, catalog, clock }: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>): Handler<typeof methods.syncs.update> =>
  async ({ workspace, params, body }) => {
    const row = await readSync(db, workspace.id, params.sync)
    const owns_object = ownershipAfter(row, body)
    let cursor = cursorOf(row)
    let target: SyncTarget | undefined
    if (checked.some((name) => body[name] !== undefined)) {
      const model = await readModel(db, workspace.id, row.model_id)
      const mode = body.mode ?? row.mode
      target = await targetOf(db, row)
      checkSync(await requireObject(catalog, target, row.object), presentModel(model), {
        mode,
        identifier: row.identifier,
        fields: body.fields ?? fieldsOf(row),
        to_destinations: body.to_destinations ?? row.to_destinations,
        owns_object,
      })
      cursor = checkCursor(catalog, model, presentModel(model), {
        mode,
        cursor: body.cursor === undefined ? cursor : body.cursor,
      })
    }
    if (Object.keys(body).length > 0) {
      const before = presentSync(row, new Map())
      const now = clock()
      const { fields, interval_minutes, cron, after, alerts, cursor: asked, ...rest } = body
      const rescheduled = [interval_minutes, cron, after].some((each) => each !== undefined)
      await db.transaction().execute(async (tx) => {
        if (rescheduled)
          // The lock makes updates run one after the other, so that two concurrent ones cannot create a circle of
          // syncs.
          await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
        if (target !== undefined) await requireSameApp(tx, target)
        const changed = await setSync(tx, row.id, {
          ...rest,
          ...(owns_object === row.owns_object ? {} : { owns_object }),
          ...(fields === undefined ? {} : { fields: JSON.stringify(fields) }),
          // The value of the cursor is kept only if its column stays the same.
          ...(asked === undefined ? {} : { cursor: cursor && JSON.stringify(cursor) }),
          ...(alerts === undefined ? {} : { alerts: JSON.stringify(alerts) }),
          ...(rescheduled ? await storedSchedule(tx, body, { workspace: workspace.id, id: row.id, now }) : {}),
          update_time: new Date(now),
        })
        if (!changed) throw notFound('sync not found')
        await audit(
          tx,
          syncName(workspace.id, row.id),
          { changed: Object.keys(body) },
          { changes: changesOf({ ...before, after: before.after?.name ?? null }, body) },
        )
      })
    }
    return await showSync(db, workspace.id, row.id)
  }
