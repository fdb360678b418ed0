import { resourceNames, type SyncToken } from '@tributary/contract'
import type { SyncTokensTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

export const syncTokenName = (workspace: string, id: string): string =>
  resourceNames.syncToken.format({ workspace, sync_token: id })

/** Returns a token as the API shows it, without its secret. */
export const presentSyncToken = (row: Selectable<SyncTokensTable>): SyncToken => ({
  name: syncTokenName(row.workspace_id, row.id),
  title: row.title,
  hint: row.hint,
  create_time: row.create_time.toISOString(),
  last_used_time: row.last_used_time?.toISOString() ?? null,
})
