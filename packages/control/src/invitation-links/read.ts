import { type Db, isId } from '@tributary/api-kit'
import { type InvitationLink, resourceNames } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { InvitationLinksTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

export type InvitationLinkRow = Selectable<InvitationLinksTable>

/** An invitation link as the wire shows it. */
export const presentInvitationLink = (row: InvitationLinkRow): InvitationLink => ({
  name: resourceNames.invitationLink.format({ organization: row.organization_id, invitation_link: row.id }),
  role: { value: row.role },
  create_time: row.create_time.toISOString(),
  expire_time: row.expire_time.toISOString(),
})

/** A link of this organisation, in whatever state it is; throws 404 when there is none. */
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
