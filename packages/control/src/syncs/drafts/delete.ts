import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { deleteDraft } from '../../drafts.ts'

/** Discards the caller's draft of a sync. */
export const deleteSyncDraft =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncDrafts.delete> =>
  (call) =>
    deleteDraft(db, 'sync_drafts', call)
