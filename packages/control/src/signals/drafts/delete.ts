import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { draftOwner } from '../../draft-owner.ts'

/** Discards the caller's draft of a signal. */
export const deleteSignalDraft =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.signalDrafts.delete> =>
  async ({ actor, workspace }) => {
    const { user, key } = draftOwner(workspace.id, actor)
    await db
      .deleteFrom('signal_drafts')
      .where('workspace_id', '=', workspace.id)
      .where(sql<string>`coalesce(key_id, user_id)`, '=', key ?? user)
      .execute()
    return {}
  }
