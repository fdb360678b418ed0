import type { Tx } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import { type Handler, networkOf } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { queueMail } from '../../mail/queue-mail.ts'
import { alreadyRegisteredMail, loginCodeMail, type Mail, signUpCodeMail } from '../../mail/templates.ts'
import { countTry, hiddenAddress } from './count-tries.ts'
import { requireSignUp } from './may-sign-up.ts'
import type { CodeAction, OneTimeCodes } from './one-time-codes.ts'

/**
 * Codes that are asked for in 15 minutes, after which more are refused. What all places together may ask for one address
 * is more than one place may: nobody alone keeps its owner from getting a code.
 */
export const sendLimits = { perEmailAndIp: 10, perEmail: 30, perIp: 100 } as const

/** The address as its owner writes it, or undefined when nobody is registered with it. */
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
 * Mails a one-time code. Nothing in the answer tells whether an account exists: an unknown address that wants to log in
 * gets a code as well, which is only never mailed; what differs is the writing of two rows, far below what the few
 * calls that one address is allowed could measure.
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
    // Counted before: the answer tells who is invited where sign-up is off.
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
