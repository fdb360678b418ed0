import type { NotificationsTable } from '@tributary/storage'
import { type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db.ts'

/** Marks everything in the inbox of a user as read. */
export const markAllRead = async (db: Db, userId: string, time: Date): Promise<void> => {
  await db
    .updateTable('notifications')
    .set({ read_time: time })
    .where('user_id', '=', userId)
    .where('read_time', 'is', null)
    .execute()
}

/**
 * Marks a notification of a user as read. A notification that was already read keeps the time when it was first read.
 * Returns undefined if the notification does not exist.
 */
export const markRead = (
  db: Db,
  { id, userId, time }: { id: string; userId: string; time: Date },
): Promise<Selectable<NotificationsTable> | undefined> =>
  db
    .updateTable('notifications')
    .set({ read_time: sql`coalesce(read_time, ${time})` })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()

/** Deletes the notifications of an organization from the inbox of one user. */
export const deleteNotificationsOfMember = async (tx: Tx, userId: string, organizationId: string): Promise<void> => {
  await tx
    .deleteFrom('notifications')
    .where('user_id', '=', userId)
    .where('organization_id', '=', organizationId)
    .execute()
}

/** Deletes the notifications of an organization from all inboxes. */
export const deleteNotificationsOfOrganization = async (tx: Tx, organizationId: string): Promise<void> => {
  await tx.deleteFrom('notifications').where('organization_id', '=', organizationId).execute()
}

/**
 * Deletes the notifications of a workspace. Notifications of its organization are kept, and link to the settings in
 * another workspace.
 */
export const moveNotifications = async (tx: Tx, workspaceId: string, otherId: string): Promise<void> => {
  const own = `/workspaces/${workspaceId}/`
  await sql`
update notifications set link = replace(link, ${own}, ${`/workspaces/${otherId}/`})
where link like ${`${own}settings/organization%`}`.execute(tx)
  await sql`delete from notifications where link like ${`${own}%`}`.execute(tx)
}

/** Deletes the notifications from before a time. */
export const deleteOldNotifications = async (db: Db, before: Date): Promise<void> => {
  await db.deleteFrom('notifications').where('create_time', '<', before).execute()
}
