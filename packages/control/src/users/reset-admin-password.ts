import { type Db, passwordChangedMail, queueMail, recordAction } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import type { Clock } from '@tributary/kernel'
import type { JobSender } from '@tributary/storage'
import { revokeOnboardings } from './onboarding/onboarding-link.ts'
import { createPasswords } from './sign-in/passwords.ts'

/** Time in ms after which the mail about the change is no longer sent. */
const mailLifeMs = 24 * 60 * 60_000

/**
 * Sets the password of a platform admin for the operator: of the admin with this address, or of the first one. Ends all
 * sessions, one-time tokens, and onboarding links of the user; a running product notices this within two seconds. The
 * user gets a mail, with links that start with `origin`. Returns undefined if there is no such admin.
 */
export const resetAdminPassword = async (
  { db, jobs, clock }: { db: Db; jobs: JobSender; clock: Clock },
  given: { email: string | undefined; password: string; origin: string },
): Promise<{ email: string } | undefined> => {
  const time = new Date(clock())
  const passwordHash = await createPasswords().hash(given.password)
  return await db.transaction().execute(async (tx) => {
    const user = await tx
      .selectFrom('users')
      .select(['id', 'email', 'password_hash'])
      .where('is_admin', '=', true)
      .$if(given.email !== undefined, (query) =>
        query.where((row) => row(row.fn('lower', ['email']), '=', given.email?.trim().toLowerCase() ?? '')),
      )
      .orderBy('create_time')
      .limit(1)
      .forUpdate()
      .executeTakeFirst()
    if (user === undefined) return undefined
    await tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', user.id).execute()
    await tx.deleteFrom('set_password_tokens').where('user_id', '=', user.id).execute()
    await tx.deleteFrom('sessions').where('user_id', '=', user.id).execute()
    await revokeOnboardings(tx, user.id, time)
    await recordAction(tx, {
      actor: null,
      action: 'users.resetAdminPassword',
      resource: resourceNames.user.format({ user: user.id }),
      organizationId: null,
      workspaceId: null,
      time,
    })
    const first = user.password_hash === null
    const mail = passwordChangedMail({ email: user.email, origin: given.origin, time, first })
    await queueMail(tx, jobs, { recipient: user.email, mail, time, expireTime: new Date(time.getTime() + mailLifeMs) })
    return { email: user.email }
  })
}
