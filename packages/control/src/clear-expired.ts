import { clearOldMails, deleteFailedSignIns, deleteOldNotifications, deleteOldRefusals } from '@tributary/api-kit'
import { deleteOldAlertMessages } from '@tributary/syncs'
import { clearAuditRecords } from './audit-records/retention.ts'
import type { AccessChanged, ControlDeps } from './deps.ts'
import { placeLifeMs } from './users/sign-in/sign-in-places.ts'

const dayMs = 24 * 60 * 60_000

/** How long records are stored, ms, by kind. They are useless after this time. */
const keepMs = {
  refusedRequests: 30 * dayMs,
  mails: 30 * dayMs,
  notifications: 90 * dayMs,
  failedSignIns: 90 * dayMs,
} as const

/**
 * Removes everything that has expired: sessions, codes, tokens, the texts of expired mail, and old mail, notices, and
 * counts of refused requests. Also removes old records of failed sign-ins, audit records beyond the retention of the
 * plan, and alerts that no channel accepted in time. Closes live connections of users whose sessions have ended. A user
 * with another session connects again.
 */
export const clearExpired = async ({
  accessChanged,
  ...deps
}: Pick<ControlDeps, 'db' | 'clock' | 'billing' | 'auditRetention'> & {
  accessChanged: AccessChanged
}): Promise<void> => {
  const { db, clock } = deps
  const now = clock()
  const time = new Date(now)
  const ago = (ms: number): Date => new Date(now - ms)
  const ended = await db.deleteFrom('sessions').where('expire_time', '<=', time).returning('user_id').execute()
  for (const userId of new Set(ended.map((session) => session.user_id))) accessChanged(userId)
  await db.deleteFrom('one_time_codes').where('expire_time', '<=', time).execute()
  await db.deleteFrom('set_password_tokens').where('expire_time', '<=', time).execute()
  await db.deleteFrom('sign_in_places').where('last_time', '<', ago(placeLifeMs)).execute()
  await db.deleteFrom('oauth_consents').where('expire_time', '<=', time).execute()
  await deleteOldRefusals(db, ago(keepMs.refusedRequests))
  await clearOldMails(db, time, ago(keepMs.mails))
  await deleteOldAlertMessages(db, time)
  await deleteOldNotifications(db, ago(keepMs.notifications))
  await deleteFailedSignIns(db, ago(keepMs.failedSignIns))
  await clearAuditRecords(deps)
}
