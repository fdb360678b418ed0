import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { readSyncDraft } from './read.ts'

/** The caller's draft of a sync in a workspace. */
export const getSyncDraft =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncDrafts.get> =>
  (call) =>
    readSyncDraft(db, call)
