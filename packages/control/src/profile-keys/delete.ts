import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { auditKey, lockProfileKey } from './keys.ts'

/** Revokes a key of the Profile API for good. */
export const deleteProfileKey =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.profileKeys.delete> =>
  ({ actor, workspace, params }) =>
    db.transaction().execute(async (tx) => {
      const key = await lockProfileKey(tx, workspace.id, params.profile_key)
      const time = new Date(clock())
      await tx.updateTable('profile_keys').set({ revoke_time: time }).where('id', '=', key.id).execute()
      const detail = { title: key.title }
      await auditKey(tx, 'profileKeys.delete', { actor, workspace, id: key.id, detail, time })
      return {}
    })
