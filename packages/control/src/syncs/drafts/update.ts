import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { writeDraft } from '../../drafts.ts'
import { changedDraft, readSyncDraft } from './read.ts'

/** Changes the caller's draft of a sync. */
export const updateSyncDraft =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.syncDrafts.update> =>
  (call) =>
    db.transaction().execute(async (tx) => {
      // The lock makes changes run one after the other, even if the draft does not exist yet.
      await tx.selectFrom('users').select('id').where('id', '=', call.actor.userId).forNoKeyUpdate().execute()
      const draft = JSON.stringify(changedDraft(await readSyncDraft(tx, call), call.body))
      await writeDraft(tx, 'sync_drafts', call, { draft, time: new Date(clock()) })
      return await readSyncDraft(tx, call)
    })
