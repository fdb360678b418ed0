import { audit } from '@tributary/api-kit'
import { maxSyncTokens, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, newId, randomToken } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { hashToken } from '../secret-tokens.ts'
import { presentSyncToken, syncTokenName } from './present.ts'

/**
 * Makes a token for an orchestrator, 24 random bytes as 32 URL-safe characters behind a word that says what it is, and shows it
 * this once. Throws 400 when the workspace has as many as it may.
 */
export const createSyncToken =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.syncTokens.create> =>
  ({ actor, workspace, body: { title } }) =>
    db.transaction().execute(async (tx) => {
      // One at a time, so that two do not go beyond the limit.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().executeTakeFirst()
      const { count } = await tx
        .selectFrom('sync_tokens')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('workspace_id', '=', workspace.id)
        .where('revoke_time', 'is', null)
        .executeTakeFirstOrThrow()
      if (Number(count) >= maxSyncTokens) {
        const text = `A workspace can have ${maxSyncTokens} tokens. Revoke one first`
        throw badRequest('VALIDATION', `title: ${text}`, { title: text })
      }
      const time = new Date(clock())
      const token = `sync_${randomToken(24)}`
      const row = await tx
        .insertInto('sync_tokens')
        .values({
          id: newId(),
          workspace_id: workspace.id,
          title,
          token_hash: hashToken(token),
          hint: token.slice(-4),
          create_time: time,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(tx, {
        actor,
        action: 'syncTokens.create',
        resource: syncTokenName(workspace.id, row.id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { title },
        time,
      })
      return { ...presentSyncToken(row), token }
    })
