import type { Db } from '@tributary/api-kit'
import { type SignalDraft, signalDraft } from '@tributary/contract'
import { parseExactJson } from '@tributary/kernel'
import { type DraftOwner, readDraft } from '../../drafts.ts'

/** Reads the draft of a caller in a workspace. Returns an empty one if there is none. */
export const readSignalDraft = async (db: Db, owner: DraftOwner): Promise<SignalDraft> => {
  const row = await readDraft(db, 'signal_drafts', owner)
  return {
    name: `workspaces/${owner.workspace.id}/signalDraft`,
    entered: row === undefined ? {} : signalDraft.shape.entered.parse(parseExactJson(row.draft)),
    update_time: row?.update_time.toISOString() ?? null,
  }
}
