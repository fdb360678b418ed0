import { audit, newKey, requireRoomForKey } from '@tributary/api-kit'
import { maxSyncTokens, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { newId } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentSyncToken, syncTokenName } from './present.ts'

/**
 * Creates a token for an orchestrator; only this response contains it. Throws 400 if the workspace has the maximum
 * number of tokens.
 */
export const createSyncToken =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.syncTokens.create> =>
  ({ workspace, body: { title } }) =>
    db.transaction().execute(async (tx) => {
      // The lock makes concurrent calls count one after the other, so that they cannot exceed the limit.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().executeTakeFirst()
      const { count } = await tx
        .selectFrom('sync_tokens')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('workspace_id', '=', workspace.id)
        .where('revoke_time', 'is', null)
        .executeTakeFirstOrThrow()
      requireRoomForKey(Number(count), maxSyncTokens, { of: 'A workspace', called: 'tokens' })
      const time = new Date(clock())
      const { key: token, hash, hint } = newKey('sync')
      const row = await tx
        .insertInto('sync_tokens')
        .values({
          id: newId(),
          workspace_id: workspace.id,
          title,
          token_hash: hash,
          hint,
          create_time: time,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, syncTokenName(workspace.id, row.id), { title })
      return { ...presentSyncToken(row), token }
    })
