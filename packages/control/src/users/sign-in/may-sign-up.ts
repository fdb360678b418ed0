import type { Db, Tx } from '@tributary/api-kit'
import { forbidden } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'

/** Whether an account can be made for this address. If sign-up is off, this requires an open invitation. */
export const maySignUp = async (
  db: Db | Tx,
  { clock, clientConfig }: Pick<ControlDeps, 'clock' | 'clientConfig'>,
  email: string,
): Promise<boolean> => {
  if (clientConfig.sign_up_enabled) return true
  const invited = await db
    .selectFrom('invitations')
    .select('id')
    .where(sql`lower(invitee_email)`, '=', email.toLowerCase())
    .where('accept_time', 'is', null)
    .where('revoke_time', 'is', null)
    .where('expire_time', '>', new Date(clock()))
    .limit(1)
    .executeTakeFirst()
  return invited !== undefined
}

/** Throws 403 SIGN_UP_DISABLED if `maySignUp` is false. */
export const requireSignUp = async (...given: Parameters<typeof maySignUp>): Promise<void> => {
  if (!(await maySignUp(...given)))
    throw forbidden('Sign-up is disabled here. Ask an administrator to invite you', 'SIGN_UP_DISABLED')
}
