import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { deleteDraft } from '../../drafts.ts'

/** Discards the caller's draft of a signal. */
export const deleteSignalDraft =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.signalDrafts.delete> =>
  (call) =>
    deleteDraft(db, 'signal_drafts', call)
