import type { Db } from '@tributary/api-kit'
import { isPublicMailDomain, mailDomain } from '@tributary/contract'

/**
 * Returns the domain of the user's verified address, in lower case. Returns '' if the address is not verified, or if
 * any user can get an address at this domain.
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
