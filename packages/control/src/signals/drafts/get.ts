import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { readSignalDraft } from './read.ts'

/** The caller's draft of a signal in a workspace. */
export const getSignalDraft =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.signalDrafts.get> =>
  (call) =>
    readSignalDraft(db, call)
