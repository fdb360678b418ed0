import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { readSync, removeSync, syncName } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Deletes a sync with its runs; what the event store has of it goes within a minute. */
export const deleteSync =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.syncs.delete> =>
  async ({ actor, workspace, params }) => {
    const { id, title } = await readSync(db, workspace.id, params.sync)
    await db.transaction().execute(async (tx) => {
      if (!(await removeSync(tx, id))) throw notFound('sync not found')
      await audit(tx, {
        actor,
        action: 'syncs.delete',
        resource: syncName(workspace.id, id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { title },
        time: new Date(clock()),
      })
    })
    return {}
  }
