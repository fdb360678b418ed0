import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { endSignIn, type OauthDeps } from './oauth-callback.ts'

/**
 * Starts a session for the user that the provider has confirmed. Throws 404 NO_ACCOUNT for a user without an account.
 */
export const oauthLoginCallback =
  (deps: OauthDeps): Handler<typeof methods.users.oauthLoginCallback> =>
  (call) =>
    endSignIn(deps, call, 'login')
