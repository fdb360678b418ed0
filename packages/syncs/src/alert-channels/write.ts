import type { Db, Tx } from '@tributary/api-kit'
import type { AlertChannelsTable } from '@tributary/storage'
import type { Insertable, Selectable, Updateable } from 'kysely'

/** Inserts a channel; returns its row. */
export const insertAlertChannel = (
  tx: Tx,
  values: Insertable<AlertChannelsTable>,
): Promise<Selectable<AlertChannelsTable>> =>
  tx.insertInto('alert_channels').values(values).returningAll().executeTakeFirstOrThrow()

/** Changes a channel. */
export const changeAlertChannel = async (db: Db, id: string, change: Updateable<AlertChannelsTable>): Promise<void> => {
  await db.updateTable('alert_channels').set(change).where('id', '=', id).execute()
}

/** Deletes a channel with its unsent messages; returns false if the channel does not exist. */
export const removeAlertChannel = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.deleteFrom('alert_channels').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined

/** Deletes the channels of workspaces. */
export const removeAlertChannelsOf = async (tx: Tx, workspaces: readonly string[]): Promise<void> => {
  await tx.deleteFrom('alert_channels').where('workspace_id', 'in', workspaces).execute()
}

/** Deletes the messages that no channel has accepted and whose `expire_time` is not after the given time. */
export const deleteOldAlertMessages = async (db: Db, time: Date): Promise<void> => {
  await db.deleteFrom('alert_messages').where('expire_time', '<=', time).execute()
}
