import { resourceNames, type WriteKey } from '@tributary/contract'
import type { SecretBox } from '@tributary/kernel'
import type { WriteKeysTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** Returns the encryption context of a sealed write key. */
export const keyContext = (id: string): string => `write_keys/${id}`

/** Returns a write key as the API shows it, including the key itself. */
export const presentWriteKey = (row: Selectable<WriteKeysTable>, secretBox: SecretBox): WriteKey => ({
  name: resourceNames.writekey.format({ workspace: row.workspace_id, writekey: row.id }),
  key: secretBox.open(row.key_encrypted, keyContext(row.id)),
  title: row.title,
  source: resourceNames.source.format({ workspace: row.workspace_id, source: row.source_id }),
  create_time: row.create_time.toISOString(),
  last_used_time: row.last_used_time?.toISOString() ?? null,
})
