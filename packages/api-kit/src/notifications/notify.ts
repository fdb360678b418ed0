import { editors, type NotificationKind, userChannel } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import type { Tx } from '../db.ts'
import type { LiveChannel } from '../live.ts'
import { presentNotification } from './present.ts'

export type Notice = {
  /** The organization; null for a notice about the whole installation. */
  organizationId: string | null
  kind: NotificationKind
  title: string
  body: string
  /** Path of the related page, or empty. */
  link: string
  /** The cause. Each user gets at most one notification per cause. */
  cause: string
  /** Epoch ms. */
  now: number
}

/** Sends the stored notices to inboxes that are currently open. */
export type Announce = (live: LiveChannel) => void

/**
 * Puts a notice into the inboxes of these users in the transaction of the reported change. Users who were already
 * notified of the cause are omitted. Call the returned function after the commit.
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

/** The same as `notify` for all administrators and collaborators of the notice's organization. */
export const notifyEditors = async (tx: Tx, notice: Notice & { organizationId: string }): Promise<Announce> => {
  const people = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', notice.organizationId)
    .where('role', 'in', editors)
    .execute()
  return await notify(
    tx,
    people.map((person) => person.user_id),
    notice,
  )
}
