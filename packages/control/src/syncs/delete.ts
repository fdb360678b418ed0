import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { readSync, removeSync, syncName } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Deletes a sync with its runs. Its data in the event store is removed within a minute. */
export const deleteSync =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncs.delete> =>
  async ({ workspace, params }) => {
    const { id, title } = await readSync(db, workspace.id, params.sync)
    await db.transaction().execute(async (tx) => {
      if (!(await removeSync(tx, id))) throw notFound('sync not found')
      await audit(tx, syncName(workspace.id, id), { title })
    })
    return {}
  }
