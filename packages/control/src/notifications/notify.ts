import type { LiveChannel, Tx } from '@tributary/api-kit'
import { type NotificationKind, userChannel } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { presentNotification } from './present.ts'

export type Notice = {
  /** Null for what is about the whole installation. */
  organizationId: string | null
  kind: NotificationKind
  title: string
  body: string
  /** Path of the page it is about, or empty. */
  link: string
  /** What it is about: one cause is told once to each. */
  cause: string
  /** Epoch ms. */
  now: number
}

/** Shows what was written in the inboxes that are open just now. */
export type Announce = (live: LiveChannel) => void

/**
 * Puts a notice into the inboxes of these users in the transaction of what it tells of; who was told of the cause before
 * is left out. Call what it returns once that is committed.
 */
export const notify = async (tx: Tx, userIds: readonly string[], notice: Notice): Promise<Announce> => {
  if (userIds.length === 0) return () => {}
  const { organizationId, now, ...shown } = notice
  const rows = await tx
    .insertInto('notifications')
    .values(
      userIds.map((user_id) => ({
        id: newId(),
        user_id,
        organization_id: organizationId,
        ...shown,
        create_time: new Date(now),
      })),
    )
    .onConflict((conflict) => conflict.columns(['user_id', 'cause']).where('cause', '<>', '').doNothing())
    .returningAll()
    .execute()
  return (live) => {
    for (const row of rows) live(userChannel(row.user_id), 'notification', presentNotification(row))
  }
}
