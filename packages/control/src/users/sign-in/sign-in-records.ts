import { recordAction } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import type { Client } from '@tributary/http'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'

/** The reason why an attempt to sign in, or to set a password, failed. */
export type Failure = 'wrong_password' | 'wrong_code' | 'wrong_token' | 'too_many_tries'

export type SignInRecords = {
  /**
   * Writes a failed attempt to the log and to the audit log. Does the same work for addresses with and without an
   * account, so that the response time reveals nothing.
   */
  failed(given: { action: `users.${string}`; email: string; client: Client; failure: Failure }): Promise<void>
}

/** Stands for an address without an account: a record must not reveal whether an address has one. */
const noUser = '-'

/**
 * Makes the function that stores failed attempts. The audit log has the account, the time, and the origin of each. It
 * never has the secret or an address without an account.
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
