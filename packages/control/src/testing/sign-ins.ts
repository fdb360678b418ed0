import { createHash } from 'node:crypto'
import { newId, randomToken } from '@tributary/kernel'
import type { OpenIdProvider } from '@tributary/test-kit'
import type { OpenIdSettings } from '../openid/openid.ts'
import { type Harness, idIn, type Organization } from './control-harness.ts'

/** The settings of a provider for the control plane. */
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

/** The product of the tests as the browser sees it. */
export const loopbackUrl = 'http://127.0.0.1:3000'
export const redirectUri = `${loopbackUrl}/auth/oauth-callback`

/** The values that the browser keeps during a sign-in. */
export const beginSignIn = () => {
  // 42 bytes are 56 characters.
  const verifier = randomToken(42)
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url'), state: randomToken(9) }
}

/** Asks for the provider's sign-in page; undefined parts are left out. */
export const askForSignIn = (
  harness: Harness,
  begun: ReturnType<typeof beginSignIn>,
  changes: Record<string, string> = {},
) => {
  const { state, challenge } = begun
  const given = { provider: 'openid', mode: 'login', redirect_uri: redirectUri, state, code_challenge: challenge }
  return harness.call('', 'GET', `/users:oauthRedirects?${new URLSearchParams({ ...given, ...changes })}`)
}

/** The body with which the page that the provider returns to calls the server, once the user has signed in there. */
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

/** A body for `users:onboard` with an address of its own. */
export const onboardBody = (given: object = {}) => ({
  email: `${newId()}@acme.example`,
  first_name: 'Ada',
  last_name: 'Lovelace',
  organization_title: 'Acme Inc',
  setup_amount: '10.50',
  yearly_amount: '1200',
  ...given,
})

/** A body for `:completeOnboarding`. */
export const completeBody = (onboarding_token: string, given: object = {}) => ({
  onboarding_token,
  first_name: 'Grace',
  last_name: 'Hopper',
  password: 'Correct-horse-2',
  organization_auto_join: false,
  ...given,
})

/** Path and body of a call without a session, or by staff, that succeeds for each caller that may make it. */
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
