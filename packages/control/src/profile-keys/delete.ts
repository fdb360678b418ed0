import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { auditKey, lockProfileKey } from './keys.ts'

/** Revokes a key of the Profile API for good. */
export const deleteProfileKey =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.profileKeys.delete> =>
  ({ workspace, params }) =>
    db.transaction().execute(async (tx) => {
      const key = await lockProfileKey(tx, workspace.id, params.profile_key)
      await tx
        .updateTable('profile_keys')
        .set({ revoke_time: new Date(clock()) })
        .where('id', '=', key.id)
        .execute()
      await auditKey(tx, workspace, key.id, { title: key.title })
      return {}
    })
