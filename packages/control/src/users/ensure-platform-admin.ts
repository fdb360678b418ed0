import { recordAction } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import { newId, randomToken } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import type { Passwords } from './sign-in/passwords.ts'

/** Key of the advisory lock that lets one process make the first administrator; "admi" in ASCII. */
const lockKey = 0x61646d69

export type FirstAdmin = {
  email: string
  /** False when there was a platform admin already: then nothing is changed. */
  created: boolean
  /** The password, when none was given: shown to the operator once, kept nowhere. */
  generatedPassword?: string
  /** Present when there was an admin already whose password is not the given one: the given one is not used. */
  otherPassword?: true
}

/**
 * Makes the first platform admin if there is none. A user who has the address already becomes one and gets the
 * password. Safe to call at every start and from several processes.
 */
export const ensurePlatformAdmin = async (
  { db, clock, passwords }: Pick<ControlDeps, 'db' | 'clock'> & { passwords: Passwords },
  given: { email: string; password?: string | undefined },
): Promise<FirstAdmin> => {
  const password = given.password ?? randomToken(15)
  const email = given.email.trim().toLowerCase()
  const existing = db
    .selectFrom('users')
    .select(['id', 'email', 'password_hash'])
    .where('is_admin', '=', true)
    .orderBy((row) => row(row.fn('lower', ['email']), '=', email), 'desc')
    .orderBy('create_time')
    .limit(1)
  const before = await existing.executeTakeFirst()
  if (before !== undefined) {
    const other = given.password !== undefined && !(await passwords.verify(before.password_hash, given.password))
    return { email: before.email, created: false, ...(other ? { otherPassword: true } : {}) }
  }
  const passwordHash = await passwords.hash(password)
  return await db.transaction().execute(async (tx): Promise<FirstAdmin> => {
    await sql`select pg_advisory_xact_lock(${sql.lit(lockKey)})`.execute(tx)
    const meanwhile = await tx.executeQuery(existing)
    const found = meanwhile.rows[0]
    if (found !== undefined) return { email: found.email, created: false }
    const time = new Date(clock())
    const user = await tx
      .insertInto('users')
      .values({
        id: newId(),
        email,
        // A user without a name has to complete the registration.
        first_name: 'Admin',
        password_hash: passwordHash,
        is_admin: true,
        email_verified_at: time,
        create_time: time,
      })
      .onConflict((conflict) =>
        conflict.expression(sql`lower(email)`).doUpdateSet({ is_admin: true, password_hash: passwordHash }),
      )
      .returning('id')
      .executeTakeFirstOrThrow()
    await recordAction(tx, {
      actor: null,
      action: 'users.ensurePlatformAdmin',
      resource: resourceNames.user.format({ user: user.id }),
      organizationId: null,
      workspaceId: null,
      time,
    })
    return { email, created: true, ...(given.password === undefined ? { generatedPassword: password } : {}) }
  })
}
