import { createHash } from 'node:crypto'
import { email as emailAddress, firstName, lastName } from '@tributary/contract'
import { AppError, type Clock, type Logger, unauthorized } from '@tributary/kernel'
import * as client from 'openid-client'
import type { z } from 'zod'
import { asProviderFailure, ProviderTooSlow, problemOf } from './failures.ts'

/** An OpenID provider and what this product is registered as there. */
export type OpenIdSettings = {
  /** https, or http on the loopback address. */
  issuer: string
  /** The name of the provider in calls of the web application. */
  provider: string
  displayName: string
  clientId: string
  /** Undefined for a public client. */
  clientSecret: string | undefined
  /** Timeout of each call to the provider, ms; 10 s by default. */
  timeoutMs?: number
}

/** The identity of a user at the provider. Names are empty when the provider gives none. */
export type OpenIdIdentity = {
  issuer: string
  subject: string
  email: string
  /** Whether the provider vouches for the address. */
  emailVerified: boolean
  firstName: string
  lastName: string
}

/** The part of a sign-in that the browser begins and ends with. */
export type SignInRequest = { redirectUri: string; state: string; codeChallenge: string }
/**
 * The data that the browser returns with. `issuer` is the `iss` of the return address (RFC 9207), if it was passed on.
 */
export type SignInResult = {
  redirectUri: string
  state: string
  codeVerifier: string
  code: string
  issuer: string | undefined
}

export type OpenId = {
  settings: OpenIdSettings
  /** The address of the provider's sign-in page. Throws 502 or 503 if the provider cannot be reached. */
  signInUrl(request: SignInRequest): Promise<string>
  /**
   * Exchanges the code and returns its user. Throws 401 when the provider or a check refuses it, 502 or 503 when the provider
   * does not answer as it should or in time.
   */
  identify(result: SignInResult): Promise<OpenIdIdentity>
}

const hour = 3_600_000

/**
 * Binds the provider's response to one sign-in without storing anything. Only a caller with the verifier, the state and
 * the return address of the start can complete it.
 */
const nonceOf = ({ codeChallenge, state, redirectUri }: SignInRequest): string =>
  createHash('sha256')
    .update(JSON.stringify(['nonce', codeChallenge, state, redirectUri]))
    .digest('base64url')

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** A name as accounts can hold it: a longer one is cut, an invalid one is left out. */
const nameOf = (schema: z.ZodType<string>, value: unknown): string => {
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(typeof value === 'string' ? value.trim() : '')) {
    if (kept.length + segment.length > 15) break
    kept += segment
  }
  return schema.safeParse(kept).data ?? ''
}

/** How the client sends its secret: the basic scheme, also if the provider lists no schemes (Discovery 1.0, 3). */
const authenticate =
  (secret: string): client.ClientAuth =>
  (server, ...rest) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const scheme = supported.includes('client_secret_basic') ? client.ClientSecretBasic : client.ClientSecretPost
    scheme(secret)(server, ...rest)
  }

const discover = (settings: OpenIdSettings, timeoutMs: number): Promise<client.Configuration> => {
  const { issuer, clientId, clientSecret } = settings
  const insecure = new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : []
  return client.discovery(
    new URL(issuer),
    clientId,
    undefined,
    clientSecret === undefined ? client.None() : authenticate(clientSecret),
    { execute: [...insecure, client.enableNonRepudiationChecks], timeout: timeoutMs / 1000 },
  )
}

/**
 * The provider's configuration, which is requested on first use and once an hour. The previous one is used while the
 * request fails.
 */
const createDescription = (settings: OpenIdSettings, timeoutMs: number, clock: Clock) => {
  let kept: { configuration: client.Configuration; until: number } | undefined
  let running: Promise<client.Configuration> | undefined
  const ask = async (): Promise<client.Configuration> => {
    try {
      const configuration = await discover(settings, timeoutMs)
      kept = { configuration, until: clock() + hour }
      return configuration
    } finally {
      running = undefined
    }
  }
  return async (): Promise<client.Configuration> => {
    if (kept !== undefined && kept.until > clock()) return kept.configuration
    running ??= ask()
    const old = kept?.configuration
    return old === undefined ? await running : await running.catch(() => old)
  }
}

type Claims = { sub: string; [claim: string]: unknown }

/** The provider's claims about the user, from the ID token, or else from its userinfo endpoint. */
const claimsOf = async (
  configuration: client.Configuration,
  tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>,
): Promise<Claims> => {
  const claims = tokens.claims()
  if (claims === undefined) throw new client.ClientError('the answer has no ID token')
  if (claims.email !== undefined || configuration.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)) }
}

const identityOf = (issuer: string, displayName: string, claims: Claims): OpenIdIdentity => {
  const address = emailAddress.safeParse(claims.email)
  if (!address.success)
    throw unauthorized(`${displayName} did not share your email address. Allow it there and try again`, 'NO_EMAIL')
  return {
    issuer,
    subject: claims.sub,
    email: address.data,
    emailVerified: claims.email_verified === true,
    firstName: nameOf(firstName, claims.given_name),
    lastName: nameOf(lastName, claims.family_name),
  }
}

/** Signs people in at one OpenID provider: authorization code with PKCE (RFC 7636), nothing kept between the calls. */
export const createOpenId = (settings: OpenIdSettings, { clock, logger }: { clock: Clock; logger: Logger }): OpenId => {
  const timeoutMs = settings.timeoutMs ?? 10_000
  // One request ends before the whole call does, so that the next call does not wait for it too.
  const describe = createDescription(settings, timeoutMs * 0.9, clock)

  /** Runs one call's requests to the provider within the time limit; failures become ours. */
  const asking = async <T>(work: () => Promise<T>): Promise<T> => {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new ProviderTooSlow()), timeoutMs)
    try {
      return await Promise.race([work(), late.promise])
    } catch (error) {
      if (error instanceof AppError) throw error
      const failure = asProviderFailure(error, settings.displayName)
      logger.warn({ issuer: settings.issuer, ...problemOf(error) }, 'third-party sign-in failed')
      throw failure
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    settings,
    signInUrl: (request) =>
      asking(async () => {
        const url = client.buildAuthorizationUrl(await describe(), {
          redirect_uri: request.redirectUri,
          scope: 'openid email profile',
          state: request.state,
          nonce: nonceOf(request),
          code_challenge: request.codeChallenge,
          code_challenge_method: 'S256',
          // Without this, Google signs in the only known account without asking.
          ...(settings.provider === 'google' ? { prompt: 'select_account' } : {}),
        })
        return url.href
      }),
    identify: (result) =>
      asking(async () => {
        const configuration = await describe()
        const { issuer } = configuration.serverMetadata()
        const { redirectUri, state, code, codeVerifier } = result
        const returned = new URL(redirectUri)
        // There is one provider only, so that a missing `iss` cannot mix two up.
        returned.search = new URLSearchParams({ code, state, iss: result.issuer ?? issuer }).toString()
        const tokens = await client.authorizationCodeGrant(configuration, returned, {
          pkceCodeVerifier: codeVerifier,
          expectedState: state,
          expectedNonce: nonceOf({ codeChallenge: challengeOf(codeVerifier), state, redirectUri }),
          idTokenExpected: true,
        })
        return identityOf(issuer, settings.displayName, await claimsOf(configuration, tokens))
      }),
  }
}
