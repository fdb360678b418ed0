import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { endSignIn, type OauthDeps } from './oauth-callback.ts'

/** Like the login callback, but creates an account for a new user; 403 if sign-up is off. */
export const oauthSignupCallback =
  (deps: OauthDeps): Handler<typeof methods.users.oauthSignupCallback> =>
  (call) =>
    endSignIn(deps, call, 'register')
