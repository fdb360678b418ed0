import { audit } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Ends a suppression. */
export const deleteSuppression =
  ({
    db,
    profileLedger,
    forgottenHashes,
  }: Pick<ControlDeps, 'db' | 'profileLedger' | 'forgottenHashes'>): Handler<typeof methods.suppressions.delete> =>
  async ({ workspace, params }) => {
    await db.transaction().execute(async (tx) => {
      if (!(await profileLedger.release(tx, workspace.id, params.suppression))) throw notFound('suppression not found')
      await audit(tx, resourceNames.suppression.format({ workspace: workspace.id, suppression: params.suppression }))
    })
    await forgottenHashes.keep(workspace.id)
    return {}
  }
