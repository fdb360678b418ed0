import { clearAuditRecords } from './audit-records/retention.ts'
import type { AccessChanged, ControlDeps } from './deps.ts'
import { withoutText } from './mail/mail-sender.ts'
import { placeLifeMs } from './users/sign-in/sign-in-places.ts'

const dayMs = 24 * 60 * 60_000

/** How long these are kept, ms: from then on nobody asks for them. */
const keepMs = { refusedRequests: 30 * dayMs, mails: 30 * dayMs, notifications: 90 * dayMs } as const

/**
 * Removes what is over: sessions, codes and tokens that have expired, the texts of mail that is of no use any more, and old
 * mail, notices, counts of refused requests, audit records that a plan keeps no longer, and alerts that no channel took in their time. What users of ended sessions still listen to is cut; whoever has another session connects again.
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
  await db.deleteFrom('refused_requests').where('hour', '<', ago(keepMs.refusedRequests)).execute()
  await db
    .updateTable('mails')
    .set(withoutText)
    .where('sent_time', 'is', null)
    .where('expire_time', '<=', time)
    .where('body_text', '<>', '')
    .execute()
  await db.deleteFrom('mails').where('create_time', '<', ago(keepMs.mails)).where('expire_time', '<', time).execute()
  await db.deleteFrom('alert_messages').where('expire_time', '<=', time).execute()
  await db.deleteFrom('notifications').where('create_time', '<', ago(keepMs.notifications)).execute()
  await clearAuditRecords(deps)
}
