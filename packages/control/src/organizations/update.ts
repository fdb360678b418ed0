import { audit, changesOf, lockOrganizationFor, requirePerson, type Tx } from '@tributary/api-kit'
import { isPublicMailDomain, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type Actor, badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { verifiedDomain } from '../users/verified-domain.ts'
import { readOrganization } from './read.ts'

/**
 * Returns the domain in its stored form. Throws 400 if the caller's own address does not belong to it, and 403 for an
 * API key.
 */
const openTo = async (tx: Tx, actor: Actor, given: string, before: string): Promise<string> => {
  const domain = given.toLowerCase().replace(/^@/, '')
  if (domain === before) return domain
  requirePerson(actor)
  if (domain === '') return domain
  const text = isPublicMailDomain(domain)
    ? 'Anyone can get an email address at this domain'
    : domain === (await verifiedDomain(tx, actor.userId))
      ? undefined
      : 'Must be the domain of your own email address'
  if (text === undefined) return domain
  throw badRequest('VALIDATION', `auto_join_domain: ${text}`, { auto_join_domain: text })
}

/** Changes the title, the industry, or the email domain whose users may join. Administrators only. */
export const updateOrganization =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.organizations.update> =>
  async ({ actor, organization, body }) => {
    const { id } = organization
    const given = Object.entries(body).filter(([, value]) => value !== undefined)
    if (given.length > 0)
      await db.transaction().execute(async (tx) => {
        await lockOrganizationFor(tx, actor, organization)
        const before = await readOrganization(tx, id)
        const { auto_join_domain, ...plain } = body
        const changes = {
          ...plain,
          ...(auto_join_domain === undefined
            ? {}
            : { auto_join_domain: await openTo(tx, actor, auto_join_domain, before.auto_join_domain) }),
        }
        await tx.updateTable('organizations').set(changes).where('id', '=', id).execute()
        await audit(tx, resourceNames.organization.format({ organization: id }), changes, {
          changes: changesOf({ ...before }, changes),
        })
      })
    return await readOrganization(db, id)
  }
