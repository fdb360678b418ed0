import { audit, type Db, type Tx } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, unauthorized } from '@tributary/kernel'
import type { AccessChanged, ControlDeps } from '../../deps.ts'
import { queueMail } from '../../mail/queue-mail.ts'
import { passwordChangedMail } from '../../mail/templates.ts'
import { hashToken } from '../../secret-tokens.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { revokeOnboardings } from '../onboarding/onboarding-link.ts'
import type { Passwords } from './passwords.ts'

/** How long the mail that tells of the change is worth sending, ms. */
const mailLifeMs = 24 * 60 * 60_000

// Clients take a 401 that says "expired" for an ended session.
const invalidToken = () =>
  unauthorized('This can no longer set a password: it was used or is too old. Ask for a new code', 'INVALID_TOKEN')

const liveToken = (db: Db | Tx, userId: string, token: string, now: Date) =>
  db
    .selectFrom('set_password_tokens')
    .select('user_id')
    .where('token_hash', '=', hashToken(token))
    .where('user_id', '=', userId)
    .where('expire_time', '>', now)

/**
 * Sets the caller's own password with the one-time token of a login answer. All other sessions of the user end at once,
 * every such token and every onboarding link of the user is used up, and the user is told by mail.
 */
export const setPassword =
  ({
    db,
    jobs,
    clock,
    sessions,
    passwords,
    accessChanged,
    publicUrl,
  }: Pick<ControlDeps, 'db' | 'jobs' | 'clock' | 'publicUrl'> & {
    sessions: Sessions
    passwords: Passwords
    accessChanged: AccessChanged
  }): Handler<typeof methods.users.setPassword> =>
  async ({ actor, body }) => {
    const name = `users/${actor.userId}`
    if (body.name !== name) throw badRequest('VALIDATION', `name: Must be ${name}`, { name: `Must be ${name}` })
    const now = new Date(clock())
    // Hashing is dear: only for who has a token.
    if ((await liveToken(db, actor.userId, body.otp_token, now).executeTakeFirst()) === undefined) throw invalidToken()
    const passwordHash = await passwords.hash(body.password)
    await db.transaction().execute(async (tx) => {
      // Of several calls with one token, the first to lock the user finds it.
      const user = await tx
        .selectFrom('users')
        .select(['email', 'password_hash'])
        .where('id', '=', actor.userId)
        .forUpdate()
        .executeTakeFirst()
      const live = await liveToken(tx, actor.userId, body.otp_token, now).executeTakeFirst()
      if (user === undefined || live === undefined) throw invalidToken()
      await tx.deleteFrom('set_password_tokens').where('user_id', '=', actor.userId).execute()
      await tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', actor.userId).execute()
      await revokeOnboardings(tx, actor.userId, now)
      await sessions.endOthers(tx, actor.userId, actor.sessionId)
      await audit(tx, {
        actor,
        action: 'users.setPassword',
        resource: name,
        organizationId: null,
        workspaceId: null,
        time: now,
      })
      const mail = passwordChangedMail({
        email: user.email,
        origin: publicUrl(),
        time: now,
        first: user.password_hash === null,
      })
      const expireTime = new Date(now.getTime() + mailLifeMs)
      await queueMail(tx, jobs, { recipient: user.email, mail, time: now, expireTime })
    })
    accessChanged(actor.userId)
    return {}
  }
