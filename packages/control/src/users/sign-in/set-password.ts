import { audit, type Db, hashToken, passwordChangedMail, queueMail, type Tx } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Client, Handler } from '@tributary/http'
import { type Actor, badRequest, unauthorized } from '@tributary/kernel'
import type { AccessChanged, ControlDeps } from '../../deps.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { revokeOnboardings } from '../onboarding/onboarding-link.ts'
import { createPasswordThrottling } from './login.ts'
import { notingLockOut } from './login-throttling.ts'
import type { Passwords } from './passwords.ts'
import { createSignInRecords } from './sign-in-records.ts'

/** Time in ms after which the mail about the change is no longer sent. */
const mailLifeMs = 24 * 60 * 60_000

// The message must not say "expired": clients understand that as an ended session.
const invalidToken = () =>
  unauthorized('This can no longer set a password: it was used or is too old. Ask for a new code', 'INVALID_TOKEN')

/** Selects the token if it belongs to this session and has not been used. */
const liveToken = (db: Db | Tx, { userId, sessionId }: Actor, token: string, now: Date) =>
  db
    .selectFrom('set_password_tokens')
    .select('user_id')
    .where('token_hash', '=', hashToken(token))
    .where('user_id', '=', userId)
    .where(({ eb, or }) => or([eb('session_id', '=', sessionId), eb('session_id', 'is', null)]))
    .where('expire_time', '>', now)

/**
 * Sets the caller's own password. This needs the current password or the one-time token from the login that started the
 * session. Ends all other sessions of the user, and all of the user's tokens and onboarding links. The user gets a
 * mail.
 */
export const setPassword = (
  deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock' | 'counters' | 'signing' | 'logger' | 'publicUrl'> & {
    sessions: Sessions
    passwords: Passwords
    accessChanged: AccessChanged
  },
): Handler<typeof methods.users.setPassword> => {
  const { db, jobs, clock, logger, sessions, passwords, accessChanged, publicUrl } = deps
  const records = createSignInRecords(deps)
  // These attempts count together with logins, because both try the same password.
  const enter = notingLockOut(deps, records, createPasswordThrottling(deps))
  const action = 'users.setPassword'

  /** Checks the current password and returns its hash. */
  const proven = async (actor: Actor, client: Client, given: string): Promise<string | null> => {
    const tried = { action, email: actor.email, client } as const
    const takeBack = await enter({ ...tried, email: actor.email.toLowerCase() })
    const row = await db.selectFrom('users').select('password_hash').where('id', '=', actor.userId).executeTakeFirst()
    if (!(await passwords.verify(row?.password_hash ?? null, given))) {
      await records.failed({ ...tried, failure: 'wrong_password' })
      throw unauthorized('The current password is wrong', 'INVALID_CREDENTIALS')
    }
    await takeBack()
    return row?.password_hash ?? null
  }

  return async ({ actor, client, body }) => {
    const name = `users/${actor.userId}`
    if (body.name !== name) throw badRequest('VALIDATION', `name: Must be ${name}`, { name: `Must be ${name}` })
    const now = new Date(clock())
    const { otp_token } = body
    const before = otp_token === undefined ? await proven(actor, client, body.current_password ?? '') : undefined
    // Hashing is expensive, so the token is checked before.
    if (otp_token !== undefined && (await liveToken(db, actor, otp_token, now).executeTakeFirst()) === undefined) {
      await records.failed({ action, email: actor.email, client, failure: 'wrong_token' })
      throw invalidToken()
    }
    const passwordHash = await passwords.hash(body.password)
    await db.transaction().execute(async (tx) => {
      // If several calls use one token at once, the first one to lock the user finds the token.
      const user = await tx
        .selectFrom('users')
        .select(['email', 'password_hash'])
        .where('id', '=', actor.userId)
        .forUpdate()
        .executeTakeFirst()
      const isProven =
        otp_token === undefined
          ? user?.password_hash === before
          : (await liveToken(tx, actor, otp_token, now).executeTakeFirst()) !== undefined
      if (user === undefined || !isProven) throw invalidToken()
      await tx.deleteFrom('set_password_tokens').where('user_id', '=', actor.userId).execute()
      await tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', actor.userId).execute()
      await revokeOnboardings(tx, actor.userId, now)
      await sessions.endOthers(tx, actor.userId, actor.sessionId)
      await audit(tx, name)
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
    logger.info({ user: actor.userId, ip: client.ip }, 'a password was set')
    return {}
  }
}
