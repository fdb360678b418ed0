import { markAllRead } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Marks all of the caller's own notifications as read. Leaves no audit record, because this concerns no one else. */
export const markAllNotificationsRead =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.notifications.markAllRead> =>
  async ({ actor: { userId } }) => {
    await markAllRead(db, userId, new Date(clock()))
    return {}
  }
