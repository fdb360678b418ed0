import { type Tx, type UserRow, userColumns } from '@tributary/api-kit'
import { newId } from '@tributary/kernel'
import { sql } from 'kysely'

/**
 * Returns the user of an address that was just verified. Makes the user if there is none. Concurrent calls make only
 * one user.
 */
export const ensureUser = async (
  tx: Tx,
  given: { email: string; firstName?: string; lastName?: string; time: Date },
): Promise<{ user: UserRow; created: boolean }> => {
  const made = await tx
    .insertInto('users')
    .values({
      id: newId(),
      email: given.email,
      first_name: given.firstName ?? '',
      last_name: given.lastName ?? '',
      password_hash: null,
      email_verified_at: given.time,
      create_time: given.time,
    })
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .returning(userColumns)
    .executeTakeFirst()
  if (made !== undefined) return { user: made, created: true }
  const user = await tx
    .updateTable('users')
    .set({ email_verified_at: sql`coalesce(email_verified_at, ${given.time})` })
    .where(sql`lower(email)`, '=', given.email.toLowerCase())
    .returning(userColumns)
    .executeTakeFirstOrThrow()
  return { user, created: false }
}
