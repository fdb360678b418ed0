import { recordAction } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import type { Client } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'

/** The reason why an attempt to sign in, or to set a password, failed. */
export type Failure = 'wrong_password' | 'wrong_code' | 'wrong_token' | 'too_many_tries'

export type SignInRecords = {
  /**
   * Writes a failed try to the log and to the audit log. It does the same for an address with an account and one without, so that
   * the time of the answer reveals nothing.
   */
  failed(given: { action: `users.${string}`; email: string; client: Client; failure: Failure }): Promise<void>
}

/** Stands for no user: a record does not reveal whether an address has an account. */
const noUser = '-'

/**
 * Makes what stores failed tries. The audit log has the account, its time, and from where; never the secret, or an
 * address without an account.
 */
export const createSignInRecords = ({
  db,
  clock,
  logger,
}: Pick<ControlDeps, 'db' | 'clock' | 'logger'>): SignInRecords => ({
  async failed({ action, email, client, failure }) {
    await db.transaction().execute(async (tx) => {
      const user = await tx
        .selectFrom('users')
        .select('id')
        .where(sql`lower(email)`, '=', email.toLowerCase())
        .executeTakeFirst()
      await recordAction(tx, {
        actor: null,
        action,
        resource: resourceNames.user.format({ user: user?.id ?? noUser }),
        organizationId: null,
        workspaceId: null,
        detail: { failure },
        time: new Date(clock()),
      })
      logger.warn({ user: user?.id ?? noUser, action, failure, ip: client.ip }, 'a sign-in or password change failed')
    })
  },
})
