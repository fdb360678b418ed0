import type { LoginResponse } from '@tributary/contract'
import { useContext } from 'react'
import { useNavigate } from 'react-router'
import { justSignedIn } from '../../lib/arrival.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import { mayCompleteRegistration, takeLocation } from '../../lib/people/session.ts'
import { LoadCache } from '../../lib/queries/load-cache.ts'
import { notify } from '../../ui/overlays/toast.tsx'
import { signingIn } from './load-signing-in.ts'
import { forgetSignUp } from './saved-sign-up.ts'

/**
 * The steps after every login and sign-up, once the session is stored. It accepts a saved invitation, and goes to the
 * remembered page, or to the rest of the registration while the user has no name.
 */
export const useEnter = (): ((answer: LoginResponse) => Promise<void>) => {
  const navigate = useNavigate()
  const loadCache = useContext(LoadCache)
  return async ({ user }) => {
    forgetSignUp()
    const invitation = await (await signingIn()).welcome(await loadCache(), user)
    if (invitation !== undefined && 'joined' in invitation) notify('success', 'Organization joined')
    if (invitation !== undefined && 'refused' in invitation) {
      const { refused } = invitation
      notify('error', 'Could not accept the invitation', {
        ...(refused instanceof Error ? { description: refused.message } : {}),
        timeout: false,
      })
    }
    const incomplete = user.first_name === '' && mayCompleteRegistration()
    await (incomplete
      ? navigate(entryPaths.completeRegistration(), { replace: true })
      : navigate(takeLocation(), { replace: true, state: justSignedIn }))
  }
}
