import { createHash } from 'node:crypto'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { AppError, unauthorized } from '@tributary/kernel'
import { sql } from 'kysely'
import { audit } from '../audit.ts'
import type { ControlDeps, Counters } from '../deps.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Passwords } from './passwords.ts'
import { presentUser, userColumns } from './present.ts'

const windowMs = 15 * 60_000

/** Failed tries in 15 minutes after which more are refused unchecked. */
export const loginLimits = { perEmailAndIp: 10, perEmail: 100, perIp: 200 } as const

const keysOf = (email: string, ip: string): readonly [key: string, limit: number][] => {
  const hidden = createHash('sha256').update(email).digest('base64url')
  return [
    [`login:${hidden}:${ip}`, loginLimits.perEmailAndIp],
    [`login:${hidden}`, loginLimits.perEmail],
    [`login:${ip}`, loginLimits.perIp],
  ]
}

/** Counts a try before it is checked, so that many at once do not slip through; throws 429 beyond a limit. */
const countTry = async (counters: Counters, email: string, ip: string): Promise<() => Promise<void>> => {
  const keys = keysOf(email, ip)
  const counts = await Promise.all(keys.map(([key]) => counters.increment(key, 1, windowMs)))
  const over = keys.some(([, limit], index) => (counts[index] ?? 0) > limit)
  if (over)
    throw new AppError(429, 'RATE_LIMITED', 'Too many failed logins; wait 15 minutes and try again', {
      retry_after: String(windowMs / 1000),
    })
  return async () => {
    await Promise.all(keys.map(([key]) => counters.increment(key, -1, windowMs)))
  }
}

/**
 * Starts a session. The answer and its time are the same whether the address is unknown, has no password or the password
 * is wrong.
 */
export const login = (
  deps: Pick<ControlDeps, 'db' | 'clock' | 'counters'> & { sessions: Sessions; passwords: Passwords },
): Handler<typeof methods.users.login> => {
  const { db, clock, counters, sessions, passwords } = deps
  return async ({ body, client }) => {
    const email = body.email.toLowerCase()
    const takeBack = await countTry(counters, email, client.ip)
    const row = await db
      .selectFrom('users')
      .select([...userColumns, 'password_hash'])
      .where(sql`lower(email)`, '=', email)
      .executeTakeFirst()
    const matches = await passwords.verify(row?.password_hash ?? null, body.password)
    if (row === undefined || !matches)
      throw unauthorized('The e-mail address or the password is wrong', 'INVALID_CREDENTIALS')
    await takeBack()
    const user = presentUser(row)
    const token = await db.transaction().execute(async (tx) => {
      await audit(tx, {
        actor: { userId: row.id },
        action: 'users.login',
        resource: user.name,
        organizationId: null,
        workspaceId: null,
        time: new Date(clock()),
      })
      return await sessions.begin(tx, row.id, client)
    })
    return { access_token: token, set_password_otp_token: '', courier_token: '', intercom_token: '', user }
  }
}
