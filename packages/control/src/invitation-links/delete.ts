import { audit, isId, lockOrganizationFor, type Tx } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { aliasOfLink } from './read.ts'

/**
 * Returns the ID of a link from the name that a person or an API key uses for it. Returns undefined for an invalid
 * name.
 */
const idOfLink = async (tx: Tx, organizationId: string, given: string): Promise<string | undefined> => {
  if (isId(given)) return given
  if (given.length !== 64) return undefined
  const links = await tx
    .selectFrom('invitation_links')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('revoke_time', 'is', null)
    .execute()
  return links.find(({ id }) => aliasOfLink(id) === given)?.id
}

/** Invalidates an invitation link immediately. */
export const deleteInvitationLink =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.invitationLinks.delete> =>
  async ({ actor, organization, params }) => {
    const { id: organizationId } = organization
    await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const id = await idOfLink(tx, organizationId, params.invitation_link)
      if (id === undefined) throw notFound('invitation link not found')
      const time = new Date(clock())
      const revoked = await tx
        .updateTable('invitation_links')
        .set({ revoke_time: time })
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .where('revoke_time', 'is', null)
        .returning('role')
        .executeTakeFirst()
      if (revoked === undefined) throw notFound('invitation link not found')
      await audit(
        tx,
        resourceNames.invitationLink.format({
          organization: organizationId,
          invitation_link: id,
        }),
        { role: revoked.role },
      )
    })
    return {}
  }
