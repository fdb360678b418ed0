import { type Db, isId } from '@tributary/api-kit'
import { type AlertChannel, resourceNames } from '@tributary/contract'
import { notFound, type SecretBox } from '@tributary/kernel'
import type { AlertChannelsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { z } from 'zod'

export type AlertChannelRow = Selectable<AlertChannelsTable>

export const alertChannelName = (workspace: string, id: string): string =>
  resourceNames.alertChannel.format({ workspace, alert_channel: id })

/** Returns the encryption context of a channel's secrets. */
export const channelContext = (id: string): string => `alertChannels/${id}/secrets`

const secrets = z.object({
  url: z.string(),
  /** The signing secret; '' for Slack, which has none. */
  signing_secret: z.string(),
})
type ChannelSecrets = z.infer<typeof secrets>

/** Seals the secrets of a channel. */
export const sealChannel = (box: SecretBox, id: string, given: ChannelSecrets): Uint8Array =>
  box.seal(JSON.stringify(given), channelContext(id))

/** Opens the secrets of a channel. Throws SecretBoxError if they were sealed with another key. */
export const openChannel = (box: SecretBox, row: Pick<AlertChannelRow, 'id' | 'secrets_encrypted'>): ChannelSecrets =>
  secrets.parse(JSON.parse(box.open(row.secrets_encrypted, channelContext(row.id))))

/** Reads a channel of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readAlertChannel = async (db: Db, workspaceId: string, id: string): Promise<AlertChannelRow> => {
  const row = isId(id)
    ? await db
        .selectFrom('alert_channels')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('alert channel not found')
  return row
}

/** Returns channels in the form of the API, without deleted syncs. */
export const presentChannels = async (db: Db, rows: readonly AlertChannelRow[]): Promise<AlertChannel[]> => {
  const ids = rows.flatMap(({ sync_ids }) => sync_ids ?? [])
  const known = ids.length === 0 ? [] : await db.selectFrom('syncs').select('id').where('id', 'in', ids).execute()
  const left = new Set(known.map(({ id }) => id))
  return rows.map((row) => ({
    name: alertChannelName(row.workspace_id, row.id),
    title: row.title,
    kind: row.kind,
    host: row.host,
    syncs:
      row.sync_ids === null
        ? null
        : row.sync_ids
            .filter((id) => left.has(id))
            .map((sync) => resourceNames.sync.format({ workspace: row.workspace_id, sync })),
    create_time: row.create_time.toISOString(),
    last_sent_time: row.last_sent_time?.toISOString() ?? null,
    failure: row.failure,
    failure_time: row.failure_time?.toISOString() ?? null,
  }))
}
