import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { auditKey, lockProfileKey, makeProfileKey } from './keys.ts'

/** Makes a new key with the title and traits of another key, and revokes the old one in the same transaction. */
export const rotateProfileKey =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.profileKeys.rotate> =>
  ({ workspace, params }) =>
    db.transaction().execute(async (tx) => {
      const former = await lockProfileKey(tx, workspace.id, params.profile_key)
      const time = new Date(clock())
      await tx.updateTable('profile_keys').set({ revoke_time: time }).where('id', '=', former.id).execute()
      const { id, ...made } = await makeProfileKey(tx, workspace.id, { ...former, time })
      const detail = {
        title: former.title,
        made: resourceNames.profileKey.format({ workspace: workspace.id, profile_key: id }),
      }
      await auditKey(tx, workspace, former.id, detail)
      return made
    })
