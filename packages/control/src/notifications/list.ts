import { presentNotification } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import { newestFirst } from '../created-order.ts'
import type { ControlDeps } from '../deps.ts'

/**
 * Lists the caller's own notifications, newest first, with the number of unread ones. No user can see the inbox of
 * another.
 */
export const listNotifications =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.notifications.list> =>
  async ({ actor: { userId }, params, query }) => {
    const { rows: shown, next } = await newestFirst(
      { name: 'notifications.list', table: 'notifications', params, query },
      db.selectFrom('notifications').selectAll().where('user_id', '=', userId),
    )
    const unread = await db
      .selectFrom('notifications')
      .select(sql<number>`count(*)::int`.as('count'))
      .where('user_id', '=', userId)
      .where('read_time', 'is', null)
      .executeTakeFirstOrThrow()
    return {
      notifications: shown.map(presentNotification),
      unread_count: unread.count,
      next_page_token: next,
    }
  }
