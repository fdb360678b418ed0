import type { QueryClient } from '@tanstack/react-query'
import { takeInvitation } from '../../lib/saved-invitation.ts'
import { clearSession } from '../../lib/session.ts'
import { forgetServerState, tellSignOut } from '../../lib/signing-out.ts'
import { resetFlags, useUi } from '../../lib/ui-store.ts'
import { forgetSignUp } from './saved-sign-up.ts'
import { forgetThirdParty } from './third-party.ts'

/**
 * Forgets everything this browser holds about a user: session, server state, saved sign-up and invitation, the verifier
 * of a third-party sign-in, what they have done with in the interface, and what other parts hold. The theme stays.
 */
export const forgetUser = (cache: QueryClient): void => {
  clearSession()
  forgetServerState(cache)
  forgetSignUp()
  takeInvitation()
  forgetThirdParty()
  resetFlags()
  useUi.setState({ lastWorkspace: null })
  tellSignOut()
}
