import { type Notice, notify } from '@tributary/api-kit'
import type { ControlDeps } from '../deps.ts'

/** Notifies every platform admin of a problem of the whole installation, once a day for each cause. */
export const notifyPlatform = async (
  { db, clock, live }: Pick<ControlDeps, 'db' | 'clock' | 'live'>,
  notice: Pick<Notice, 'kind' | 'title' | 'body' | 'cause'>,
): Promise<void> => {
  const now = clock()
  const cause = `${notice.cause}/${new Date(now).toISOString().slice(0, 10)}`
  const announce = await db.transaction().execute(async (tx) => {
    const admins = await tx.selectFrom('users').select('id').where('is_admin', '=', true).execute()
    const ids = admins.map(({ id }) => id)
    return await notify(tx, ids, { ...notice, organizationId: null, link: '', cause, now })
  })
  announce(live)
}
