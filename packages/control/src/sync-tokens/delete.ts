import { audit, isId } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { syncTokenName } from './present.ts'

/** Revokes a token for good. */
export const deleteSyncToken =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.syncTokens.delete> =>
  ({ workspace, params: { sync_token } }) =>
    db.transaction().execute(async (tx) => {
      const time = new Date(clock())
      const revoked = isId(sync_token)
        ? await tx
            .updateTable('sync_tokens')
            .set({ revoke_time: time })
            .where('id', '=', sync_token)
            .where('workspace_id', '=', workspace.id)
            .where('revoke_time', 'is', null)
            .returning('title')
            .executeTakeFirst()
        : undefined
      if (revoked === undefined) throw notFound('token not found')
      await audit(tx, syncTokenName(workspace.id, sync_token), { title: revoked.title })
      return {}
    })
