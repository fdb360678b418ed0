import { createHash } from 'node:crypto'
import { type Db, isId } from '@tributary/api-kit'
import { type InvitationLink, resourceNames } from '@tributary/contract'
import { type Actor, notFound } from '@tributary/kernel'
import type { InvitationLinksTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

export type InvitationLinkRow = Selectable<InvitationLinksTable>

/**
 * Returns an alias for the ID of a link, for API keys. With the ID a caller could join; with the alias a caller can
 * only end the link.
 */
export const aliasOfLink = (id: string): string => createHash('sha256').update(id).digest('hex')

/** An invitation link as the API returns it to a caller. */
export const presentInvitationLink = (row: InvitationLinkRow, { key }: Pick<Actor, 'key'>): InvitationLink => ({
  name: resourceNames.invitationLink.format({
    organization: row.organization_id,
    invitation_link: key === undefined ? row.id : aliasOfLink(row.id),
  }),
  role: { value: row.role },
  create_time: row.create_time.toISOString(),
  expire_time: row.expire_time.toISOString(),
})

/** Reads a link of this organization, even an invalid one. Throws 404 if it does not exist. */
export const readInvitationLink = async (db: Db, organizationId: string, id: string): Promise<InvitationLinkRow> => {
  const row =
    isId(organizationId) && isId(id)
      ? await db
          .selectFrom('invitation_links')
          .selectAll()
          .where('id', '=', id)
          .where('organization_id', '=', organizationId)
          .executeTakeFirst()
      : undefined
  if (row === undefined) throw notFound('This invitation link is not valid; ask for a new one')
  return row
}
