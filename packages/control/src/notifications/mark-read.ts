import { isId, markRead, presentNotification } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/**
 * Marks one of the caller's own notifications as read. A repeated call keeps the first time. Leaves no audit record,
 * because this concerns no one else.
 */
export const markNotificationRead =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.notifications.markRead> =>
  async ({ actor: { userId }, params }) => {
    const row = isId(params.notification)
      ? await markRead(db, { id: params.notification, userId, time: new Date(clock()) })
      : undefined
    if (row === undefined) throw notFound('notification not found')
    return presentNotification(row)
  }
