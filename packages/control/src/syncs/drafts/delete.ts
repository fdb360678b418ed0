import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'

/** Discards the caller's draft of a sync. */
export const deleteSyncDraft =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncDrafts.delete> =>
  async ({ actor, workspace }) => {
    await db
      .deleteFrom('sync_drafts')
      .where('workspace_id', '=', workspace.id)
      .where('user_id', '=', actor.userId)
      .execute()
    return {}
  }
