import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { activeRun, createSyncStore, readSync, setSync, showSync, syncName } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'
import { cannotResyncEvents, runUnderWay } from './run-now.ts'

/**
 * Removes the stored rows that the destination has confirmed, so that the next run sends all rows. Throws 409 while a
 * run has not ended; no run can start meanwhile.
 */
export const resetSync =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.syncs.reset> =>
  async ({ workspace, params }) => {
    const { id, source_id } = await readSync(db, workspace.id, params.sync)
    if (source_id !== null) throw cannotResyncEvents()
    await db.transaction().execute(async (tx) => {
      await tx.selectFrom('syncs').select('id').where('id', '=', id).forUpdate().execute()
      if ((await activeRun(tx, id)) !== undefined) throw await runUnderWay(tx, id)
      await createSyncStore(eventStore, workspace.id).forget(id)
      await setSync(tx, id, { cursor_reached: null })
      await audit(tx, syncName(workspace.id, id))
    })
    return await showSync(db, workspace.id, id)
  }
