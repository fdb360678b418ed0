import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { unauthorized } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import type { AnswerLogin } from '../sessions/answer-login.ts'
import type { Passwords } from './passwords.ts'
import { userColumns } from './present.ts'
import { countTry, hiddenAddress, placeOf } from './try-limits.ts'

/** Failed tries in 15 minutes after which more are refused unchecked. */
export const loginLimits = { perEmailAndIp: 10, perEmail: 100, perIp: 200 } as const

const keysOf = (email: string, ip: string): readonly (readonly [key: string, limit: number])[] => {
  const [hidden, place] = [hiddenAddress(email), placeOf(ip)]
  return [
    [`login:${place}`, loginLimits.perIp],
    [`login:${hidden}:${place}`, loginLimits.perEmailAndIp],
    [`login:${hidden}`, loginLimits.perEmail],
  ]
}

/**
 * Starts a session. The answer and its time are the same whether the address is unknown, has no password or the password
 * is wrong.
 */
export const login = (
  deps: Pick<ControlDeps, 'db' | 'counters'> & { answerLogin: AnswerLogin; passwords: Passwords },
): Handler<typeof methods.users.login> => {
  const { db, counters, answerLogin, passwords } = deps
  return async ({ body, client }) => {
    const email = body.email.toLowerCase()
    const takeBack = await countTry(
      counters,
      keysOf(email, client.ip),
      'Too many failed logins; wait 15 minutes and try again',
    )
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
