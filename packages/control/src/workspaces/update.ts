import { audit, changesOf, lockOrganizationFor, setWorkspace } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readWorkspace } from './get.ts'

/** Changes the title. Administrators of the organization only. */
export const updateWorkspace =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.workspaces.update> =>
  async ({ actor, workspace: { id, organizationId, roles }, body }) => {
    const { title } = body
    if (title !== undefined)
      await db.transaction().execute(async (tx) => {
        await lockOrganizationFor(tx, actor, { id: organizationId, roles })
        const before = await readWorkspace(tx, id)
        await setWorkspace(tx, id, { title })
        await audit(
          tx,
          resourceNames.workspace.format({ workspace: id }),
          { title },
          { changes: changesOf({ title: before.title }, { title }) },
        )
      })
    return await readWorkspace(db, id)
  }
