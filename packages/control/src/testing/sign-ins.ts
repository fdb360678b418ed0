import { createHash } from 'node:crypto'
import { newId, randomToken } from '@tributary/kernel'
import type { OpenIdProvider } from '@tributary/test-kit'
import type { OpenIdSettings } from '../openid/openid.ts'
import { type Harness, idIn, type Organization } from './control-harness.ts'

/** Returns the settings of the control plane for an OpenID provider. */
export const openIdSettings = (
  { issuer, clientId, clientSecret }: OpenIdProvider,
  timeoutMs?: number,
): OpenIdSettings => ({
  issuer,
  clientId,
  clientSecret,
  provider: 'openid',
  displayName: 'Example Login',
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
})

/** The address of the tested product in the browser. */
export const loopbackUrl = 'http://127.0.0.1:3000'
export const redirectUri = `${loopbackUrl}/auth/oauth-callback`

/** Makes the values that the browser keeps during a sign-in. */
export const beginSignIn = () => {
  // 42 bytes become a text of 56 characters.
  const verifier = randomToken(42)
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url'), state: randomToken(9) }
}

/** Requests the address of the provider's sign-in page. Leaves out undefined parameters. */
export const askForSignIn = (
  harness: Harness,
  begun: ReturnType<typeof beginSignIn>,
  changes: Record<string, string> = {},
) => {
  const { state, challenge } = begun
  const given = { provider: 'openid', mode: 'login', redirect_uri: redirectUri, state, code_challenge: challenge }
  return harness.call('', 'GET', `/users:oauthRedirects?${new URLSearchParams({ ...given, ...changes })}`)
}

/**
 * Signs a user in at the provider. Resolves to the body that the page at the return address then sends to the server.
 */
export const returnedSignIn = async (harness: Harness, provider: OpenIdProvider, email: string) => {
  const begun = beginSignIn()
  const { body } = await askForSignIn(harness, begun)
  const back = await provider.walk(String(body.google_redirect_url), email)
  return {
    provider: 'openid',
    code: back.get('code') ?? '',
    state: back.get('state') ?? '',
    code_verifier: begun.verifier,
    redirect_uri: redirectUri,
  }
}

/** Makes a body for `users:onboard` with a new address. */
export const onboardBody = (given: object = {}) => ({
  email: `${newId()}@acme.example`,
  first_name: 'Ada',
  last_name: 'Lovelace',
  organization_title: 'Acme Inc',
  setup_amount: '10.50',
  yearly_amount: '1200',
  ...given,
})

/** Makes a body for `:completeOnboarding`. */
export const completeBody = (onboarding_token: string, given: object = {}) => ({
  onboarding_token,
  first_name: 'Grace',
  last_name: 'Hopper',
  password: 'Correct-horse-2',
  organization_auto_join: false,
  ...given,
})

/**
 * Makes the path and body of a call that needs no session, or that platform admins make. The call succeeds for each
 * caller with permission.
 */
export const signInRequest = async (
  harness: Harness,
  { platformAdmin, workspaceId }: Organization,
  provider: OpenIdProvider,
  name: string,
): Promise<{ path: string; body?: unknown } | undefined> => {
  if (name === 'workspaces.actOnBehalf') return { path: '/workspaces:actOnBehalf', body: { workspaceId } }
  if (name === 'users.onboard') return { path: '/users:onboard', body: onboardBody() }
  if (name === 'users.oauthRedirects') {
    const { state, challenge } = beginSignIn()
    const query = new URLSearchParams({ redirect_uri: redirectUri, state, code_challenge: challenge })
    return { path: `/users:oauthRedirects?${query}` }
  }
  if (name === 'users.oauthLoginCallback' || name === 'users.oauthSignupCallback') {
    const { email } = platformAdmin
    provider.addUser({ email })
    return { path: `/${name.replace('.', ':')}`, body: await returnedSignIn(harness, provider, email) }
  }
  if (name === 'users.startOnboarding' || name === 'users.completeOnboarding') {
    const made = await platformAdmin.call('POST', '/users:onboard', onboardBody())
    const { user, onboarding_token } = made.body as { user: { name: string }; onboarding_token: string }
    return name === 'users.startOnboarding'
      ? { path: `/users/${idIn(user.name)}:startOnboarding?onboarding_token=${onboarding_token}` }
      : { path: `/users/${idIn(user.name)}:completeOnboarding`, body: completeBody(onboarding_token) }
  }
  return undefined
}
