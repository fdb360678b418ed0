import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { writeDraft } from '../../drafts.ts'
import { readSignalDraft } from './read.ts'

/** Changes the caller's draft of a signal. */
export const updateSignalDraft =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.signalDrafts.update> =>
  async (call) => {
    const { entered } = call.body
    if (entered !== undefined)
      await writeDraft(db, 'signal_drafts', call, { draft: JSON.stringify(entered), time: new Date(clock()) })
    return await readSignalDraft(db, call)
  }
