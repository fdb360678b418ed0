import { isId } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { presentNotification } from './present.ts'

/** Marks one of one's own as read; the time of the first reading stays. Without a record: it concerns nobody else. */
export const markNotificationRead =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.notifications.markRead> =>
  async ({ actor: { userId }, params }) => {
    const row = isId(params.notification)
      ? await db
          .updateTable('notifications')
          .set({ read_time: sql`coalesce(read_time, ${new Date(clock())})` })
          .where('id', '=', params.notification)
          .where('user_id', '=', userId)
          .returningAll()
          .executeTakeFirst()
      : undefined
    if (row === undefined) throw notFound('notification not found')
    return presentNotification(row)
  }
