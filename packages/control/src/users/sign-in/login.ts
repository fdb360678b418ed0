import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { unauthorized } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import type { AnswerLogin } from '../../sessions/answer-login.ts'
import { userColumns } from '../present.ts'
import { createLoginThrottling } from './login-throttling.ts'
import type { Passwords } from './passwords.ts'

/** Failed tries in an hour after which each further one has to wait longer. */
export const loginLimits = { perEmailAndIp: 10, perEmail: 100, perIp: 200 } as const

/**
 * Starts a session. The answer and its time are the same whether the address is unknown, has no password or the password
 * is wrong.
 */
export const login = (
  deps: Pick<ControlDeps, 'db' | 'counters' | 'clock' | 'signing'> & { answerLogin: AnswerLogin; passwords: Passwords },
): Handler<typeof methods.users.login> => {
  const { db, answerLogin, passwords } = deps
  const throttling = createLoginThrottling(deps, {
    kind: 'login',
    free: loginLimits,
    message: 'Too many failed logins; wait a moment and try again',
  })
  return async ({ body, client }) => {
    const email = body.email.toLowerCase()
    const takeBack = await throttling.enter(email, client.ip)
    const row = await db
      .selectFrom('users')
      .select([...userColumns, 'password_hash'])
      .where(sql`lower(email)`, '=', email)
      .executeTakeFirst()
    const matches = await passwords.verify(row?.password_hash ?? null, body.password)
    if (row === undefined || !matches) throw unauthorized('The email or the password is wrong', 'INVALID_CREDENTIALS')
    await takeBack()
    return await db.transaction().execute((tx) => answerLogin(tx, { user: row, client, action: 'users.login' }))
  }
}
