import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'

/** Discards the caller's draft of a sync. */
export const deleteSyncDraft =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncDrafts.delete> =>
  async ({ actor, workspace }) => {
    await db
      .deleteFrom('sync_drafts')
      .where('workspace_id', '=', workspace.id)
      .where(sql<string>`coalesce(key_id, user_id)`, '=', actor.key?.id ?? actor.userId)
      .execute()
    return {}
  }
