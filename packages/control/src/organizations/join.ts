import { audit, isId, lockOrganization, requireCaller } from '@tributary/api-kit'
import { withinSeats } from '@tributary/billing'
import { type methods, type Role, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { readFormer } from '../memberships/former.ts'
import { isMember, join, noSeatText } from '../memberships/join.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { verifiedDomain } from '../users/verified-domain.ts'
import { readOrganization } from './read.ts'

/**
 * Makes the caller a Collaborator of an organization that is open to the domain of the caller's verified address. A
 * former Guest becomes a Guest again. Throws 404 for any other organization, so that the response reveals nothing about
 * it, and for one that removed the caller. A member keeps the current role.
 */
export const joinOrganization =
  (
    deps: Pick<ControlDeps, 'db' | 'billing' | 'clock' | 'live'> & { sessions: Pick<Sessions, 'refresh'> },
  ): Handler<typeof methods.organizations.join> =>
  async ({ actor, params, body }) => {
    const { db, clock, live, sessions } = deps
    requireCaller(actor, body.user)
    if (!isId(params.organization)) throw notFound('organization not found')
    const organizationId = params.organization
    const announce = await db.transaction().execute(async (tx) => {
      await lockOrganization(tx, organizationId)
      if (await isMember(tx, organizationId, actor.userId)) return undefined
      const domain = await verifiedDomain(tx, actor.userId)
      const organization = await tx
        .selectFrom('organizations')
        .select('id')
        .where('id', '=', organizationId)
        .where('auto_join_domain', '=', domain)
        .where('auto_join_domain', '<>', '')
        .executeTakeFirst()
      const former = await readFormer(tx, organizationId, actor.userId)
      if (organization === undefined || former?.removed) throw notFound('organization not found')
      const now = clock()
      await audit(
        tx,
        resourceNames.organization.format({ organization: organizationId }),
        { domain },
        { organizationId },
      )
      const role: Role = former?.role === 'ORG_GUEST' ? 'ORG_GUEST' : 'ORG_COLLABORATOR'
      const how = `joined with an address of ${domain}`
      const joining = { organizationId, userId: actor.userId, role, how, now }
      return await withinSeats(tx, deps, organizationId, () => join(tx, joining), noSeatText)
    })
    announce?.(live)
    sessions.refresh()
    return await readOrganization(db, organizationId)
  }
