import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { draftOwner } from '../../draft-owner.ts'
import { changedDraft, readSyncDraft } from './read.ts'

/** Changes the caller's draft of a sync. */
export const updateSyncDraft =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.syncDrafts.update> =>
  ({ actor, workspace, body }) =>
    db.transaction().execute(async (tx) => {
      const of = draftOwner(workspace.id, actor)
      // The lock orders changes, also of a draft that does not exist yet.
      await tx.selectFrom('users').select('id').where('id', '=', of.user).forNoKeyUpdate().execute()
      const draft = JSON.stringify(changedDraft(await readSyncDraft(tx, of), body))
      const update_time = new Date(clock())
      await tx
        .insertInto('sync_drafts')
        .values({ workspace_id: of.workspace, user_id: of.user, key_id: of.key, draft, update_time })
        .onConflict((on) =>
          on.expression(sql`workspace_id, coalesce(key_id, user_id)`).doUpdateSet({ draft, update_time }),
        )
        .execute()
      return await readSyncDraft(tx, of)
    })
