import { randomUUID } from 'node:crypto'
import { audit, lockOrganizationFor } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { invitationLifeMs } from '../invitations/read.ts'
import { presentInvitationLink } from './read.ts'

/**
 * Makes a link with which each holder can join for seven days, never as Administrator. The ID of the link is its
 * secret: 122 random bits (a version 4 UUID). It is stored unhashed, so that administrators can copy the link again.
 */
export const createInvitationLink =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.invitationLinks.create> =>
  async ({ actor, organization, body }) => {
    const { id: organizationId } = organization
    const { role } = body
    if (role === 'ORG_ADMIN') {
      const text = "A link can't invite administrators. Invite them by email"
      throw badRequest('VALIDATION', `role: ${text}`, { role: text })
    }
    const now = clock()
    return await db.transaction().execute(async (tx) => {
      await lockOrganizationFor(tx, actor, organization)
      const row = await tx
        .insertInto('invitation_links')
        .values({
          id: randomUUID(),
          organization_id: organizationId,
          role,
          creator_id: actor.userId,
          create_time: new Date(now),
          expire_time: new Date(now + invitationLifeMs),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await audit(
        tx,
        // The record names the organization, because the name of the link is a secret that lets its holder join.
        resourceNames.organization.format({ organization: organizationId }),
        { role, expire_time: row.expire_time.toISOString() },
      )
      return presentInvitationLink(row, actor)
    })
  }
