import type { Db } from '@tributary/api-kit'
import { type SignalDraft, signalDraft } from '@tributary/contract'
import { parseExactJson } from '@tributary/kernel'
import { sql } from 'kysely'
import type { DraftOwner } from '../../draft-owner.ts'

/** The draft of a caller in a workspace; an empty one when there is none. */
export const readSignalDraft = async (db: Db, { workspace, user, key }: DraftOwner): Promise<SignalDraft> => {
  const row = await db
    .selectFrom('signal_drafts')
    .select(['draft', 'update_time'])
    .where('workspace_id', '=', workspace)
    .where(sql<string>`coalesce(key_id, user_id)`, '=', key ?? user)
    .executeTakeFirst()
  return {
    name: `workspaces/${workspace}/signalDraft`,
    entered: row === undefined ? {} : signalDraft.shape.entered.parse(parseExactJson(row.draft)),
    update_time: row?.update_time.toISOString() ?? null,
  }
}
