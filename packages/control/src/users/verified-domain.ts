import type { Db } from '@tributary/api-kit'
import { isPublicMailDomain, mailDomain } from '@tributary/contract'

/**
 * The domain that a user belongs to by the verified address, in lower case. Empty when the address is not verified, or when any user can
 * get an address at its domain.
 */
export const verifiedDomain = async (db: Db, userId: string): Promise<string> => {
  const user = await db
    .selectFrom('users')
    .select(['email', 'email_verified_at'])
    .where('id', '=', userId)
    .executeTakeFirst()
  if (user === undefined || user.email_verified_at === null) return ''
  const domain = mailDomain(user.email)
  return isPublicMailDomain(domain) ? '' : domain
}
