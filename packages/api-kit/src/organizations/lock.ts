import type { OrganizationRef } from '@tributary/http'
import { type Actor, forbidden, mayAct, notFound } from '@tributary/kernel'
import type { Tx } from '../db.ts'

/**
 * Serializes changes of an organization's members until the transaction ends, so that the second change sees the first.
 * Other writes in the organization are not blocked.
 */
export const lockOrganization = async (tx: Tx, organizationId: string): Promise<void> => {
  await tx.selectFrom('organizations').select('id').where('id', '=', organizationId).forNoKeyUpdate().executeTakeFirst()
}

/**
 * Locks the organization, and checks again that the caller may do the action. Reads the current role, because the role
 * in the session may be two seconds old. Throws 404 if the caller has left the organization, 403 for a role that is not
 * allowed.
 */
export const lockOrganizationFor = async (tx: Tx, actor: Actor, { id, roles }: OrganizationRef): Promise<void> => {
  await lockOrganization(tx, id)
  if (actor.isPlatformAdmin) return
  if (actor.key !== undefined) {
    const { key } = actor
    const valid = await tx
      .selectFrom('api_keys')
      .select('id')
      .where('id', '=', key.id)
      .where('revoke_time', 'is', null)
      .executeTakeFirst()
    if (valid === undefined || !mayAct(actor, id, roles)) throw forbidden()
    return
  }
  const memberships = await tx
    .selectFrom('memberships')
    .select(['organization_id as organizationId', 'role'])
    .where('organization_id', '=', id)
    .where('user_id', '=', actor.userId)
    .execute()
  if (memberships.length === 0) throw notFound('organization not found')
  if (!mayAct({ isPlatformAdmin: false, memberships }, id, roles)) throw forbidden()
}
