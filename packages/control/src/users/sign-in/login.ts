import { userColumns } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { unauthorized } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import type { AnswerLogin } from '../../sessions/answer-login.ts'
import { createLoginThrottling, type LoginThrottling, notingLockOut } from './login-throttling.ts'
import type { Passwords } from './passwords.ts'
import { createSignInRecords } from './sign-in-records.ts'

/** Number of failed attempts per hour after which each further one must wait longer. */
export const loginLimits = { perEmailAndIp: 10, perEmail: 100, perIp: 200 } as const

/** Maximum password attempts per hour, including those that are slowed down. */
export const maxLogins = { perKnownPlace: 100, elsewhere: 100 } as const

/** Slows down password guesses in every form that accepts a password. */
export const createPasswordThrottling = (
  deps: Pick<ControlDeps, 'db' | 'counters' | 'clock' | 'signing'>,
): LoginThrottling =>
  createLoginThrottling(deps, {
    kind: 'login',
    free: loginLimits,
    most: maxLogins,
    message: 'Too many failed logins; wait a moment and try again',
  })

/**
 * Starts a session with a password. The response and its time are the same if the address is unknown, has no password,
 * or the password is wrong. Failures, and the first refused attempt of an hour, are in the log and the audit log.
 */
export const login = (
  deps: Pick<ControlDeps, 'db' | 'counters' | 'clock' | 'signing' | 'logger'> & {
    answerLogin: AnswerLogin
    passwords: Passwords
  },
): Handler<typeof methods.users.login> => {
  const { db, answerLogin, passwords } = deps
  const records = createSignInRecords(deps)
  const enter = notingLockOut(deps, records, createPasswordThrottling(deps))
  return async ({ body, client }) => {
    const email = body.email.toLowerCase()
    const takeBack = await enter({ action: 'users.login', email, client })
    const row = await db
      .selectFrom('users')
      .select([...userColumns, 'password_hash'])
      .where(sql`lower(email)`, '=', email)
      .executeTakeFirst()
    const matches = await passwords.verify(row?.password_hash ?? null, body.password)
    if (row === undefined || !matches) {
      await records.failed({ action: 'users.login', email, client, failure: 'wrong_password' })
      throw unauthorized('The email or the password is wrong', 'INVALID_CREDENTIALS')
    }
    await takeBack()
    return await db.transaction().execute((tx) => answerLogin(tx, { user: row, client, action: 'users.login' }))
  }
}
