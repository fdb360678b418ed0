import { resourceNames, type WriteKey } from '@tributary/contract'
import type { SecretBox } from '@tributary/kernel'
import type { WriteKeysTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** The encryption context of a sealed key. */
export const keyContext = (id: string): string => `write_keys/${id}`

/** A write key as the API returns it, the key itself included. */
export const presentWriteKey = (row: Selectable<WriteKeysTable>, secretBox: SecretBox): WriteKey => ({
  name: resourceNames.writekey.format({ workspace: row.workspace_id, writekey: row.id }),
  key: secretBox.open(row.key_encrypted, keyContext(row.id)),
  title: row.title,
  source: resourceNames.source.format({ workspace: row.workspace_id, source: row.source_id }),
  create_time: row.create_time.toISOString(),
  last_used_time: row.last_used_time?.toISOString() ?? null,
})
