import { methods, type Organization } from '@tributary/contract'
import { call } from '../api/client.ts'
import { takeInvitation } from './saved-invitation.ts'
import { useSession } from './session.ts'

/** The outcome of the saved invitation; undefined if there was none. */
export type AcceptedInvitation = { joined: Organization } | { refused: unknown } | undefined

/**
 * Accepts the saved invitation for the session that has just begun, and removes it in any case. Never throws, because a
 * rejected invitation must not prevent the login: the error is part of the result.
 */
export const acceptSaved = async (): Promise<AcceptedInvitation> => {
  const saved = takeInvitation()
  if (saved === undefined) return undefined
  try {
    const { organization } =
      saved.kind === 'invitation'
        ? await call(methods.invitations.accept, { params: { invitation: saved.id }, body: { token: saved.token } })
        : await call(methods.invitationLinks.accept, {
            params: { organization: saved.organization, invitation_link: saved.id },
            body: { user: useSession.getState().currentUserResourceName ?? '' },
          })
    return { joined: organization }
  } catch (error) {
    return { refused: error }
  }
}
