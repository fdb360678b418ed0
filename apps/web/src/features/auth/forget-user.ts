import type { QueryClient } from '@tanstack/react-query'
import { configCall } from '@tributary/contract'
import { clearRecent } from '../../lib/browser/recent.ts'
import { resetFlags, useUi } from '../../lib/browser/ui-store.ts'
import { setReportedUser } from '../../lib/integrations/error-reporting.ts'
import { endMessenger } from '../../lib/integrations/messenger.ts'
import { takeInvitation } from '../../lib/people/saved-invitation.ts'
import { clearSession } from '../../lib/people/session.ts'
import { keyOf } from '../../lib/queries/query-key.ts'
import { forgetSignUp } from './saved-sign-up.ts'
import { forgetThirdParty } from './third-party.ts'

/** Clears the cache of server state, except for data that is the same for all users. */
const forgetServerState = (cache: QueryClient): void => {
  const [config] = keyOf(configCall)
  cache.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== config })
  cache.getMutationCache().clear()
}

/**
 * Removes everything that this browser stores about a user: session, server state, saved sign-up and invitation, and
 * the verifier of a third-party sign-in. Also removes recent commands and pages, and resets the user in error reporting
 * and the messaging widget. The theme stays.
 */
export const forgetUser = (cache: QueryClient): void => {
  clearSession()
  forgetServerState(cache)
  forgetSignUp()
  takeInvitation()
  forgetThirdParty()
  resetFlags()
  clearRecent()
  useUi.setState({ lastWorkspace: null })
  setReportedUser(null)
  endMessenger()
}
