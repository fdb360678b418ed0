import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { endSignIn, type OauthDeps } from './oauth-callback.ts'

/** Starts a session like the login callback, but creates an account for a new user. Throws 403 if sign-up is off. */
export const oauthSignupCallback =
  (deps: OauthDeps): Handler<typeof methods.users.oauthSignupCallback> =>
  (call) =>
    endSignIn(deps, call, 'register')
