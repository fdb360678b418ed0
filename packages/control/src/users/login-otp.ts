import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps, Counters } from '../deps.ts'
import type { AnswerLogin } from '../sessions/answer-login.ts'
import { invalidCode, type OneTimeCodes } from './one-time-codes.ts'
import { userColumns } from './present.ts'
import { countTry, hiddenAddress, placeOf } from './try-limits.ts'

/** Wrong codes in 15 minutes after which more are refused unchecked. */
export const codeTryLimits = { perEmailAndIp: 20, perIp: 200 } as const

/** Counts a try of a code; returns what takes it back when the code was right. Throws 429 beyond a limit. */
export const countCodeTry = (counters: Counters, email: string, ip: string): Promise<() => Promise<void>> => {
  const place = placeOf(ip)
  return countTry(
    counters,
    [
      [`code:${place}`, codeTryLimits.perIp],
      [`code:${hiddenAddress(email)}:${place}`, codeTryLimits.perEmailAndIp],
    ],
    'Too many wrong codes; wait 15 minutes and try again',
  )
}

/**
 * Starts a session with a one-time code, also with that of the mail which says that the address is registered already.
 * The code proves the address.
 */
export const loginOtp =
  ({
    db,
    clock,
    counters,
    codes,
    answerLogin,
  }: Pick<ControlDeps, 'db' | 'clock' | 'counters'> & {
    codes: OneTimeCodes
    answerLogin: AnswerLogin
  }): Handler<typeof methods.users.loginOtp> =>
  async ({ body, client }) => {
    const email = body.email.toLowerCase()
    const takeBack = await countCodeTry(counters, email, client.ip)
    const id = await codes.check(email, ['login', 'sign up'], body.otp_token)
    const answer = await db.transaction().execute(async (tx) => {
      await codes.spend(tx, email, id)
      const user = await tx
        .updateTable('users')
        .set({ email_verified_at: sql`coalesce(email_verified_at, ${new Date(clock())})` })
        .where(sql`lower(email)`, '=', email)
        .returning(userColumns)
        .executeTakeFirst()
      // Thrown away with the transaction: the code still signs up.
      if (user === undefined) throw invalidCode()
      return await answerLogin(tx, { user, client, action: 'users.loginOtp' })
    })
    await takeBack()
    return answer
  }
