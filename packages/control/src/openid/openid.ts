import { createHash } from 'node:crypto'
import { email as emailAddress, firstName, lastName } from '@tributary/contract'
import { AppError, type Clock, type Logger, unauthorized } from '@tributary/kernel'
import * as client from 'openid-client'
import type { z } from 'zod'
import { asProviderFailure, ProviderTooSlow, problemOf } from './failures.ts'

/** The settings of an OpenID provider and of this product's registration there. */
export type OpenIdSettings = {
  /** The address of the provider: https, or http on the loopback address. */
  issuer: string
  /** The name of the provider in calls of the web application. */
  provider: string
  displayName: string
  clientId: string
  /** The secret of this product at the provider; undefined for a public client. */
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

/** The values that the browser creates for a sign-in and keeps until it returns. */
export type SignInRequest = { redirectUri: string; state: string; codeChallenge: string }
/**
 * The values that the browser sends when it returns from the provider. `issuer` is the `iss` of the return address (RFC
 * 9207), if the browser sent it.
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
  /** Returns the address of the provider's sign-in page. Throws 502 or 503 if the provider cannot be reached. */
  signInUrl(request: SignInRequest): Promise<string>
  /**
   * Exchanges the code for the identity of the user. Throws 401 if the provider or a check refuses the code. Throws 502
   * or 503 if the provider responds incorrectly or too late.
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

/** Reads a name that an account can have. Cuts a name that is too long, and returns '' for an invalid one. */
const nameOf = (schema: z.ZodType<string>, value: unknown): string => {
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(typeof value === 'string' ? value.trim() : '')) {
    if (kept.length + segment.length > 15) break
    kept += segment
  }
  return schema.safeParse(kept).data ?? ''
}

/** Sends the client secret with the basic scheme, also if the provider lists no schemes (Discovery 1.0, 3). */
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
 * Reads the configuration of the provider on first use and then once an hour. While a request fails, the previous
 * configuration is used.
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

/**
 * Returns the claims of the provider about the user, from the ID token. If the token has no address, adds those of the
 * userinfo endpoint.
 */
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

/**
 * Signs people in at one OpenID provider, with the authorization code flow and PKCE (RFC 7636). Stores nothing between
 * the calls.
 */
export const createOpenId = (settings: OpenIdSettings, { clock, logger }: { clock: Clock; logger: Logger }): OpenId => {
  const timeoutMs = settings.timeoutMs ?? 10_000
  // This timeout is shorter than that of the whole call, so that the next call does not wait for the same request.
  const describe = createDescription(settings, timeoutMs * 0.9, clock)

  /**
   * Runs the requests of one call to the provider within the time limit. Logs failures and converts them to API errors.
   */
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
          // Otherwise, Google signs in the only known account without asking the user.
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
        // There is only one provider, so a response without `iss` cannot come from another one.
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
