import { createHash } from 'node:crypto'
import { type Db, isId } from '@tributary/api-kit'
import { type InvitationLink, resourceNames } from '@tributary/contract'
import { type Actor, notFound } from '@tributary/kernel'
import type { InvitationLinksTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

export type InvitationLinkRow = Selectable<InvitationLinksTable>

/** An alias for a link's ID, for API keys. With the ID a caller could join; with the alias the link can be ended, and not used. */
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

/** A link of this organisation, in whatever state it is; throws 404 if there is none. */
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
