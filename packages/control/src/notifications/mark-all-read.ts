import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Marks everything in one's own inbox as read. Without a record: it concerns nobody else. */
export const markAllNotificationsRead =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.notifications.markAllRead> =>
  async ({ actor: { userId } }) => {
    await db
      .updateTable('notifications')
      .set({ read_time: new Date(clock()) })
      .where('user_id', '=', userId)
      .where('read_time', 'is', null)
      .execute()
    return {}
  }
