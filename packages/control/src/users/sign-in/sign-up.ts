import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import type { AnswerLogin } from '../../sessions/answer-login.ts'
import { ensureUser } from '../ensure-user.ts'
import type { LoginThrottling } from './login-throttling.ts'
import { requireSignUp } from './may-sign-up.ts'
import type { OneTimeCodes } from './one-time-codes.ts'

/**
 * Makes an account for the address that a code confirms, and starts a session. If the address already has an account,
 * signs its user in, because the code proves that the address belongs to the caller.
 */
export const signUp =
  ({
    db,
    clock,
    codes,
    codeThrottling,
    answerLogin,
    clientConfig,
  }: Pick<ControlDeps, 'db' | 'clock' | 'clientConfig'> & {
    codes: OneTimeCodes
    codeThrottling: LoginThrottling
    answerLogin: AnswerLogin
  }): Handler<typeof methods.users.signup> =>
  async ({ body, client }) => {
    const email = body.email.toLowerCase()
    const takeBack = await codeThrottling.enter(email, client.ip)
    await requireSignUp(db, { clock, clientConfig }, email)
    const id = await codes.check(email, ['sign up'], body.otp_token)
    const answer = await db.transaction().execute(async (tx) => {
      await codes.spend(tx, email, id)
      const { user, created } = await ensureUser(tx, { email: body.email, time: new Date(clock()) })
      return await answerLogin(tx, { user, client, action: created ? 'users.signup' : 'users.loginOtp' })
    })
    await takeBack()
    return answer
  }
