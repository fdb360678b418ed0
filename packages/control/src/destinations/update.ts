import { audit, changesOf } from '@tributary/api-kit'
import { readDestination, showDestination } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Changes the title of a destination, or enables or disables it. */
export const updateDestination =
  (
    deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'clock' | 'logger'>,
  ): Handler<typeof methods.destinations.update> =>
  async ({ workspace, params, body }) => {
    const { db, clock } = deps
    const { id, ...before } = await readDestination(db, workspace.id, params.destination)
    if (Object.keys(body).length > 0) {
      const time = new Date(clock())
      await db.transaction().execute(async (tx) => {
        const changed = await tx
          .updateTable('destinations')
          .set({ ...body, update_time: time })
          .where('id', '=', id)
          .where('delete_time', 'is', null)
          .returning('id')
          .executeTakeFirst()
        if (changed === undefined) return
        await audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: id }), body, {
          changes: changesOf(before, body),
        })
      })
    }
    return await showDestination(deps, workspace.id, id)
  }
