import { userColumns } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { AppError } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import type { AnswerLogin } from '../../sessions/answer-login.ts'
import { createLoginThrottling, type LoginThrottling, notingLockOut } from './login-throttling.ts'
import { invalidCode, type OneTimeCodes } from './one-time-codes.ts'
import { createSignInRecords } from './sign-in-records.ts'

/**
 * Number of wrong codes per hour after which each further attempt must wait longer. No number of them invalidates a
 * code: its 60 bits cannot be guessed. Otherwise, an attacker with only the address could lock out its owner. For the
 * same reason, attempts from other places do not count against an address.
 */
export const codeTryLimits = { perEmailAndIp: 5, perEmail: Number.POSITIVE_INFINITY, perIp: 200 } as const

/** Slows down attempts to guess the codes for signing in and signing up. */
export const createCodeThrottling = (
  deps: Pick<ControlDeps, 'db' | 'counters' | 'clock' | 'signing'>,
): LoginThrottling =>
  createLoginThrottling(deps, {
    kind: 'code',
    free: codeTryLimits,
    message: 'Too many wrong codes; wait a moment and try again',
  })

/**
 * Starts a session with a one-time code. The code can also be from the mail which says that the address is already
 * registered. The code proves that the address belongs to the caller.
 */
export const loginOtp =
  ({
    db,
    clock,
    codes,
    counters,
    logger,
    codeThrottling,
    answerLogin,
  }: Pick<ControlDeps, 'db' | 'clock' | 'counters' | 'logger'> & {
    codes: OneTimeCodes
    codeThrottling: LoginThrottling
    answerLogin: AnswerLogin
  }): Handler<typeof methods.users.loginOtp> =>
  async ({ body, client }) => {
    const email = body.email.toLowerCase()
    const records = createSignInRecords({ db, clock, logger })
    const tried = { action: 'users.loginOtp', email, client } as const
    const takeBack = await notingLockOut({ counters }, records, codeThrottling)(tried)
    const id = await codes.check(email, ['login', 'sign up'], body.otp_token).catch(async (error: unknown) => {
      if (error instanceof AppError) await records.failed({ ...tried, failure: 'wrong_code' })
      throw error
    })
    const answer = await db.transaction().execute(async (tx) => {
      await codes.spend(tx, email, id)
      const user = await tx
        .updateTable('users')
        .set({ email_verified_at: sql`coalesce(email_verified_at, ${new Date(clock())})` })
        .where(sql`lower(email)`, '=', email)
        .returning(userColumns)
        .executeTakeFirst()
      // The transaction is rolled back, so that the code can still be used to sign up.
      if (user === undefined) throw invalidCode()
      return await answerLogin(tx, { user, client, action: 'users.loginOtp' })
    })
    await takeBack()
    return answer
  }
