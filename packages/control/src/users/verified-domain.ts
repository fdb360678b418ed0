import type { Db } from '@tributary/api-kit'
import { isPublicMailDomain, mailDomain } from '@tributary/contract'

/**
 * The domain that a user's address shows them to belong to, in lower case; empty when the address is not verified, or
 * its domain is one where everybody can get an address.
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
