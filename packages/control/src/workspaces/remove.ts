import { removeWorkspace, setWorkspace } from '@tributary/api-kit'
import { faultPoint } from '@tributary/kernel'
import { againMs, type RemovalDeps, removeData } from './remove-data.ts'

/**
 * Removes the data of workspaces that were deleted while their organization stays. Call it regularly, also after a
 * crash. Removes the row of a workspace once no log contains anything that was received before the deletion. Its audit
 * records stay in the audit log of the organization.
 */
export const removeDeletedWorkspaces = async (
  deps: RemovalDeps,
  { signal }: { signal: AbortSignal },
): Promise<void> => {
  const { db, clock, oldestLogged, logger } = deps
  const due = await db
    .selectFrom('workspaces')
    .innerJoin('organizations', 'organizations.id', 'workspaces.organization_id')
    .select(['workspaces.id', 'workspaces.organization_id', 'workspaces.delete_time'])
    .where('workspaces.delete_time', 'is not', null)
    .where('workspaces.remove_time', '<=', new Date(clock()))
    // Workspaces of a deleted organization are removed with it.
    .where('organizations.delete_time', 'is', null)
    .orderBy('workspaces.remove_time')
    .limit(20)
    .execute()
  for (const { id, organization_id, delete_time } of due)
    try {
      if (delete_time === null) continue
      // This is checked first, so that data which arrives after the check is still removed below.
      const over = (await oldestLogged(id)) > delete_time.getTime()
      await removeData(deps, organization_id, [id], signal)
      faultPoint('remove-workspace.before-last')
      if (over) await removeWorkspace(db, id)
      else await setWorkspace(db, id, { remove_time: new Date(clock() + againMs) })
    } catch (error) {
      signal.throwIfAborted()
      // The next call tries this workspace again. The loop continues with the others.
      logger.warn({ id, err: error }, 'a deleted workspace could not be removed yet')
    }
}
