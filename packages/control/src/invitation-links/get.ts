import { displayName } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { requireLive } from '../invitations/read.ts'
import { previewOrganization } from '../organizations/read.ts'
import { readInvitationLink } from './read.ts'

/** Returns the organization and role of an invitation link to anyone who has the link. */
export const getInvitationLink =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.invitationLinks.get> =>
  async ({ params }) => {
    const row = await readInvitationLink(db, params.organization, params.invitation_link)
    requireLive(row, clock())
    const creator = await db
      .selectFrom('users')
      .select(['email', 'first_name', 'last_name'])
      .where('id', '=', row.creator_id)
      .executeTakeFirst()
    return {
      organization: await previewOrganization(db, row.organization_id),
      inviter: creator === undefined ? '' : displayName(creator),
      role: { value: row.role },
      invitee_email: '',
      has_account: false,
    }
  }
