import { audit } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Lifts a suppression. */
export const deleteSuppression =
  ({
    db,
    profileLedger,
    forgottenHashes,
    clock,
  }: Pick<ControlDeps, 'db' | 'profileLedger' | 'forgottenHashes' | 'clock'>): Handler<
    typeof methods.suppressions.delete
  > =>
  async ({ actor, workspace, params }) => {
    await db.transaction().execute(async (tx) => {
      if (!(await profileLedger.release(tx, workspace.id, params.suppression))) throw notFound('suppression not found')
      await audit(tx, {
        actor,
        action: 'suppressions.delete',
        resource: resourceNames.suppression.format({ workspace: workspace.id, suppression: params.suppression }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        time: new Date(clock()),
      })
    })
    await forgottenHashes.keep(workspace.id)
    return {}
  }
