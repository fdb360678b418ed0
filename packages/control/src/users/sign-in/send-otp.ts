import { alreadyRegisteredMail, loginCodeMail, type Mail, queueMail, signUpCodeMail, type Tx } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import { type Handler, networkOf } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { countTry, hiddenAddress } from './count-tries.ts'
import { requireSignUp } from './may-sign-up.ts'
import type { CodeAction, OneTimeCodes } from './one-time-codes.ts'

/**
 * Maximum codes that can be requested in 15 minutes. For one address, all places together may request more than a
 * single place. So no single place can keep the owner from getting a code.
 */
export const sendLimits = { perEmailAndIp: 10, perEmail: 30, perIp: 100 } as const

/** Returns the address as its owner wrote it; undefined if it is not registered. */
const registered = async (tx: Tx, email: string): Promise<string | undefined> => {
  const row = await tx.selectFrom('users').select('email').where(sql`lower(email)`, '=', email).executeTakeFirst()
  return row?.email
}

const mailFor = (
  action: CodeAction,
  known: boolean,
  content: { code: string; email: string; origin: string },
): Mail | undefined => {
  if (action === 'sign up') return known ? alreadyRegisteredMail(content) : signUpCodeMail(content)
  return known ? loginCodeMail(content) : undefined
}

/**
 * Mails a one-time code. The response does not reveal whether an account exists: signing in with an unknown address
 * also makes a code, which is never mailed. The response times differ only by two written rows. An address is allowed
 * too few calls to measure that.
 */
export const sendOtp =
  ({
    db,
    jobs,
    clock,
    counters,
    codes,
    publicUrl,
    clientConfig,
  }: Pick<ControlDeps, 'db' | 'jobs' | 'clock' | 'counters' | 'publicUrl' | 'clientConfig'> & {
    codes: OneTimeCodes
  }): Handler<typeof methods.users.sendOtp> =>
  async ({ body, client }) => {
    const email = body.email.toLowerCase()
    const [hidden, place] = [hiddenAddress(email), networkOf(client.ip)]
    await countTry(
      counters,
      [
        [`send-otp:${place}`, sendLimits.perIp],
        [`send-otp:${hidden}:${place}`, sendLimits.perEmailAndIp],
        [`send-otp:${hidden}`, sendLimits.perEmail],
      ],
      'Too many codes were asked for; wait 15 minutes and try again',
    )
    // The call is counted before this check, because its result shows which addresses are invited if sign-up is off.
    if (body.action === 'sign up') await requireSignUp(db, { clock, clientConfig }, email)
    await db.transaction().execute(async (tx) => {
      const { code, expireTime } = await codes.make(tx, email, body.action)
      const known = await registered(tx, email)
      const recipient = known ?? body.email
      const mail = mailFor(body.action, known !== undefined, { code, email: recipient, origin: publicUrl() })
      if (mail !== undefined) await queueMail(tx, jobs, { recipient, mail, time: new Date(clock()), expireTime })
    })
    return {}
  }
