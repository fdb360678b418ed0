import { AppError, unauthorized } from '@tributary/kernel'
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'

/**
 * Error codes of the OpenID client for responses that are well-formed but wrong: unexpected nonce, issuer, audience,
 * key, or signature.
 */
const refusals = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_KEY_SELECTION_FAILED',
])

/** The error if the provider takes too long. */
export class ProviderTooSlow extends Error {
  constructor() {
    super('the sign-in provider took too long')
    this.name = 'ProviderTooSlow'
  }
}

const notReached = (displayName: string): AppError =>
  new AppError(
    503,
    'PROVIDER_UNAVAILABLE',
    `${displayName} does not respond. Try again in a moment, or sign in another way`,
    {
      retry_after: '10',
    },
  )

const notUnderstood = (displayName: string): AppError =>
  new AppError(
    502,
    'PROVIDER_UNAVAILABLE',
    `${displayName} returned an invalid response. Try again later, or sign in another way`,
  )

/**
 * Returns the log fields about a failed exchange: messages and codes. Never includes the request or response, because
 * they contain tokens.
 */
export const problemOf = (error: unknown): Record<string, string> => {
  if (!(error instanceof Error)) return { problem: 'unknown' }
  const { cause } = error
  return {
    problem: error.message,
    ...('code' in error ? { problemCode: String(error.code) } : {}),
    ...(error instanceof ResponseBodyError ? { answered: `${error.status} ${error.error}` } : {}),
    ...(error instanceof WWWAuthenticateChallengeError
      ? { answered: `${error.status} ${error.cause.map(({ parameters }) => parameters.error ?? '').join(' ')}` }
      : {}),
    ...(cause instanceof Error ? { because: cause.message } : {}),
  }
}

/** Returns the API error for a failed exchange with a sign-in provider. The cause itself goes only to the log. */
export const asProviderFailure = (error: unknown, displayName: string): AppError => {
  // `fetch` throws this error if the provider cannot be reached. Errors of the OpenID client have a code.
  if (error instanceof TypeError && !('code' in error)) return notReached(displayName)
  if (error instanceof ProviderTooSlow) return notReached(displayName)
  // The token was valid a moment ago. Providers revoke it if the same code is used again (RFC 6749, section 4.1.2).
  if (
    error instanceof WWWAuthenticateChallengeError &&
    error.cause.some(({ parameters }) => parameters.error === 'invalid_token')
  )
    return unauthorized(`${displayName} did not confirm the sign-in. Start again`, 'PROVIDER_REFUSED')
  if (error instanceof ResponseBodyError) {
    if (error.error === 'invalid_grant')
      return unauthorized(`${displayName} did not confirm the sign-in. Start again`, 'PROVIDER_REFUSED')
    return error.status >= 500 ? notReached(displayName) : notUnderstood(displayName)
  }
  if (error instanceof ClientError) {
    if (error.code === 'OAUTH_TIMEOUT' || error.code === 'OAUTH_ABORT') return notReached(displayName)
    if (error.code !== undefined && refusals.has(error.code))
      return unauthorized(
        `The response from ${displayName} does not match this sign-in. Start again`,
        'PROVIDER_REFUSED',
      )
  }
  return notUnderstood(displayName)
}
