import { recordAction } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import { newId, randomToken } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import type { Passwords } from './sign-in/passwords.ts'

/** Key of the advisory lock with which only one process creates the first administrator; "admi" in ASCII. */
const lockKey = 0x61646d69

export type FirstAdmin = {
  email: string
  /** False if there was a platform admin already. Then nothing was changed. */
  created: boolean
  /** The generated password, if none was given. It is shown to the operator once and stored only as a hash. */
  generatedPassword?: string
  /**
   * True if there is an admin already whose password differs from the given one. The given password is then ignored.
   */
  otherPassword?: true
}

/**
 * Makes the first platform admin if there is none. If the address belongs to a user, this user becomes the admin and
 * gets the password. Can be called at every start and by several processes.
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
        // A user without a name would have to complete the registration first.
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
