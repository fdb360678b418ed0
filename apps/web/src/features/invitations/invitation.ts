import { queryOptions } from '@tanstack/react-query'
import { type InvitationPreview, methods, type Organization } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { ApiError } from '../../lib/api/errors.ts'
import type { SavedInvitation } from '../../lib/people/saved-invitation.ts'
import { product } from '../../lib/queries/query-client.ts'

/** The organization and addressee of an invitation; requires no session. */
export const previewQuery = (invitation: SavedInvitation) =>
  queryOptions({
    ...product,
    queryKey: ['invitation', invitation] as const,
    queryFn: ({ signal }): Promise<InvitationPreview> =>
      invitation.kind === 'invitation'
        ? call(methods.invitations.get, {
            params: { invitation: invitation.id },
            query: { token: invitation.token },
            signal,
          })
        : call(methods.invitationLinks.get, {
            params: { organization: invitation.organization, invitation_link: invitation.id },
            signal,
          }),
  })

/** Makes the user (a resource name) a member; returns the organization. */
export const acceptInvitation = async (invitation: SavedInvitation, user: string): Promise<Organization> => {
  const { organization } =
    invitation.kind === 'invitation'
      ? await call(methods.invitations.accept, {
          params: { invitation: invitation.id },
          body: { token: invitation.token },
        })
      : await call(methods.invitationLinks.accept, {
          params: { organization: invitation.organization, invitation_link: invitation.id },
          body: { user },
        })
  return organization
}

/**
 * Returns the message for an invitation that can no longer be accepted. Returns undefined for a failure that may be
 * temporary.
 */
export const invitationProblem = (error: unknown): { title: string; message: string } | undefined => {
  if (!(error instanceof ApiError)) return undefined
  if (error.status === 404 || error.status === 400)
    return {
      title: 'Invitation not found',
      message: 'The link is invalid or incomplete. Open it again from the message, or ask for a new one.',
    }
  if (error.status === 410) return { title: 'This invitation is no longer valid', message: `${error.message}.` }
  return undefined
}
