import { methods } from '@tributary/contract'
import { withoutEnd } from '@tributary/kernel/text-ends'
import { call } from '../../lib/api/client.ts'
import { storagePrefix } from '../../lib/browser/storage-prefix.ts'
import { entryPaths } from '../../lib/entry-paths.ts'
import type { ThirdPartyPayload } from '../../lib/people/ways-in.ts'

/** The purpose of a third-party sign-in: logging in or signing up. */
export type Mode = 'login' | 'register'

const verifierKey = `${storagePrefix}-sign-in-verifier`
const stateKey = `${storagePrefix}-sign-in-state`

const base64url = (bytes: Uint8Array): string =>
  withoutEnd(btoa(String.fromCharCode(...bytes)), '=')
    .replaceAll('+', '-')
    .replaceAll('/', '_')

/** A random sign-in verifier: 56 characters that RFC 7636 allows. */
export const newVerifier = (): string => base64url(crypto.getRandomValues(new Uint8Array(42)))

/** The challenge of a verifier: base64url of its SHA-256. Throws if the browser has no cryptography (plain http). */
export const challengeOf = async (verifier: string): Promise<string> => {
  // Undefined on insecure pages, although its type says otherwise.
  const subtle = crypto.subtle as SubtleCrypto | undefined
  if (subtle === undefined) throw new Error('Third-party sign-in requires HTTPS.')
  return base64url(new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

/** The state that is passed through the redirect: base64url of {provider, mode, random}. */
export const encodeState = ({ provider, mode }: { provider: string; mode: Mode }): string =>
  base64url(
    new TextEncoder().encode(
      JSON.stringify({ provider, mode, random: base64url(crypto.getRandomValues(new Uint8Array(16))) }),
    ),
  )

/** Parses a state. Returns undefined if the text is not a state of this product. */
export const decodeState = (state: string): { provider: string; mode: Mode } | undefined => {
  try {
    const bytes = Uint8Array.from(atob(state.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0))
    const { provider, mode } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>
    if (typeof provider === 'string' && (mode === 'login' || mode === 'register')) return { provider, mode }
  } catch {
    // The state is not from this product.
  }
  return undefined
}

const redirectUri = (): string => `${window.location.origin}${entryPaths.oauthCallback()}`

/** Saves verifier and state in this browser and opens the provider's sign-in page. Throws the errors of the call. */
export const leaveForProvider = async (provider: string, mode: Mode): Promise<void> => {
  const verifier = newVerifier()
  const state = encodeState({ provider, mode })
  const challenge = await challengeOf(verifier)
  localStorage.setItem(verifierKey, verifier)
  localStorage.setItem(stateKey, state)
  const { google_redirect_url } = await call(methods.users.oauthRedirects, {
    query: { provider, mode, redirect_uri: redirectUri(), state, code_challenge: challenge },
  })
  window.location.assign(google_redirect_url)
}

/** Removes what the browser stores about an unfinished third-party sign-in. */
export const forgetThirdParty = (): void => {
  localStorage.removeItem(verifierKey)
  localStorage.removeItem(stateKey)
}

/** The result of a return from the provider. If it is a problem, `mode` is set only if the state was readable. */
export type Return = { mode: Mode; payload: ThirdPartyPayload } | { mode: Mode; problem: string }

/** Handles a return from the provider, once: the state must be the saved one, and the verifier must still exist. */
export const takeReturn = (query: URLSearchParams): Return => {
  const verifier = localStorage.getItem(verifierKey)
  const expected = localStorage.getItem(stateKey)
  forgetThirdParty()
  const state = query.get('state') ?? ''
  const carried = decodeState(state)
  const mode = carried?.mode ?? 'login'
  if (carried === undefined || verifier === null || state !== expected)
    return { mode, problem: 'This sign-in was started in another browser, or was used already. Start again.' }
  if (query.get('error') === 'access_denied') return { mode, problem: 'The sign-in was canceled.' }
  const code = query.get('code') ?? ''
  if (query.has('error') || code === '')
    return { mode, problem: query.get('error_description') ?? 'The provider did not complete the sign-in. Try again.' }
  return {
    mode,
    payload: { provider: carried.provider, code, state, code_verifier: verifier, redirect_uri: redirectUri() },
  }
}
