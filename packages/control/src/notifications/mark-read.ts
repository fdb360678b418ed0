import { isId, markRead, presentNotification } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Marks one of the caller's own as read; the time of the first reading stays. Without a record: it concerns no one else. */
export const markNotificationRead =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.notifications.markRead> =>
  async ({ actor: { userId }, params }) => {
    const row = isId(params.notification)
      ? await markRead(db, { id: params.notification, userId, time: new Date(clock()) })
      : undefined
    if (row === undefined) throw notFound('notification not found')
    return presentNotification(row)
  }
