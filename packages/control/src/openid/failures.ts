import { AppError, unauthorized } from '@tributary/kernel'
import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'

/**
 * Error codes of the client for responses that are well-formed but wrong: another nonce, issuer, audience, key,
 * signature.
 */
const refusals = new Set([
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_KEY_SELECTION_FAILED',
])

/** The provider has not done its part in time. */
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

/** The part of a failed exchange that is logged: messages and codes, never request or response, which hold tokens. */
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

/** The error for a caller about a failed exchange with a sign-in provider; the cause itself only goes to the log. */
export const asProviderFailure = (error: unknown, displayName: string): AppError => {
  // The error of fetch if nothing can be reached. Errors of the client itself have a code.
  if (error instanceof TypeError && !('code' in error)) return notReached(displayName)
  if (error instanceof ProviderTooSlow) return notReached(displayName)
  // The token was good a moment ago: providers revoke it when the same code comes again (RFC 6749, section 4.1.2).
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
