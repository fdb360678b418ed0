import { createHash } from 'node:crypto'
import { type Clock, cutText, isJsonObject } from '@tributary/kernel'
import type { DeliverContext, Settings } from '../definition/definition.ts'
import { ConfigurationError, RetryableError } from '../errors.ts'
import { cutToBytes, hideSecrets } from './redaction.ts'
import type { HttpAnswer, OutgoingRequest } from './request-client.ts'
import { parseRetryAfter } from './send-request.ts'

/** The registration of a destination at its authorization server (RFC 6749). Texts are '' until they are filled in. */
export type OAuth2Client = {
  /** The consent page, opened in the user's browser; it may have its own parameters. */
  authorizeUrl: string
  /** URL to which token requests are sent. */
  tokenUrl: string
  /** Origins to which requests with an access token are sent; '' for an origin that is not filled in. */
  tokensSentTo: readonly string[]
  clientId: string
  /** The client secret; '' for a public client. */
  clientSecret: string
  /** How the secret is sent (RFC 6749, 2.3.1): in the Authorization header or in the body. */
  clientAuthentication: 'basic' | 'body'
  scopes: readonly string[]
  extraAuthorizeParameters?: Readonly<Record<string, string>>
}

/** Tokens of a grant. Times are epoch ms. */
export type GrantTokens = {
  accessToken: string
  /** The refresh token. Undefined if the server sent none; the grant can then not be renewed. */
  refreshToken?: string | undefined
  issueTime: number
  /** The time when the access token expires. Undefined if the server did not send it. */
  expireTime?: number | undefined
}

/** The state of a destination's grant for delivery, without its tokens. */
export type GrantState = {
  /** ID of the grant; a new ID after each consent. */
  id: string
  status: 'connected' | 'expired'
  /** The `clientFingerprint` of the client for which the grant was issued. */
  issuedFor: string
  /** Why the grant expired. */
  error: string
}

/** Thrown if the authorization server reports that the grant is invalid (RFC 6749, 5.2: `invalid_grant`). */
export class GrantRefusedError extends ConfigurationError {
  override readonly name = 'GrantRefusedError'
}

/** The reason shown for a grant that ended without being removed in the product. */
export const revokedText = 'The connection was revoked: reconnect'

/**
 * Identifies the client and every URL to which its secret, its grant or its access tokens are sent. A grant is valid
 * only for those URLs, and is sent to no other URLs.
 */
export const clientFingerprint = ({
  tokenUrl,
  tokensSentTo,
  clientId,
}: Pick<OAuth2Client, 'tokenUrl' | 'tokensSentTo' | 'clientId'>): string =>
  createHash('sha256')
    .update(JSON.stringify([tokenUrl, clientId, tokensSentTo.toSorted()]))
    .digest('base64url')

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** Returns a message that names the settings without which a user cannot be asked for consent; '' if all are set. */
export const missingOfClient = (client: OAuth2Client): string =>
  list.format([
    ...(client.authorizeUrl === '' ? ['the authorize URL'] : []),
    ...(client.tokenUrl === '' ? ['the token URL'] : []),
    ...(client.clientId === '' ? ['the client ID'] : []),
  ])

/** Returns why nothing can be delivered with this grant, as a message; '' if it can be used. */
export const grantProblem = (client: OAuth2Client, grant: GrantState | undefined): string => {
  const missing = missingOfClient(client)
  if (missing !== '') return `Its settings are missing ${missing}`
  if (grant === undefined) return 'Not connected to an account. Connect it in its settings'
  if (grant.issuedFor !== clientFingerprint(client))
    return 'The access, token URL, client ID, or event URL changed after it was connected: reconnect'
  return grant.status === 'expired' ? grant.error || revokedText : ''
}

/** Returns the URL of the consent page, with an S256 PKCE challenge (RFC 7636, 4.3). */
export const consentAddress = (
  client: OAuth2Client,
  ask: { redirectUri: string; state: string; codeVerifier: string },
): string => {
  const url = new URL(client.authorizeUrl)
  const parameters: Record<string, string> = {
    ...client.extraAuthorizeParameters,
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: ask.redirectUri,
    ...(client.scopes.length === 0 ? {} : { scope: client.scopes.join(' ') }),
    state: ask.state,
    code_challenge: createHash('sha256').update(ask.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/** Form-encodes the client ID or the secret before both are joined (RFC 6749 §2.3.1). */
const formEncoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)

/** Maximum bytes of a token response: ID tokens and access tokens of some servers have several kB. */
const tokenAnswerBytes = 64 * 1024

const textIn = (record: unknown, name: string): string => {
  const value = isJsonObject(record) ? record[name] : undefined
  return typeof value === 'string' ? value : ''
}
/**
 * Returns a token if it can be sent in a header (RFC 6750, 2.1, and the wider alphabets of some servers). A token with
 * a line end is never returned.
 */
const tokenIn = (record: unknown, name: string): string => {
  const value = textIn(record, name)
  return /^[\x21-\x7e]{1,16384}$/.test(value) ? value : ''
}
/** Returns `expires_in` in seconds; some servers send it as text. */
const lifetimeIn = (record: unknown): number | undefined => {
  const seconds = isJsonObject(record) ? Number(record.expires_in) : Number.NaN
  return Number.isFinite(seconds) && seconds > 0 && seconds < 1e10 ? seconds : undefined
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    // Some servers respond form-encoded, like the request.
    return body.includes('=') ? Object.fromEntries(new URLSearchParams(body)) : undefined
  }
}

/**
 * Returns the account in an ID token; '' if there is none. The token came directly from the token URL, so its signature
 * needs no check (OpenID Connect Core 1.0, 3.1.3.7, 6), and the account is only displayed.
 */
const accountOf = (idToken: string | undefined): string => {
  try {
    const payload: unknown = JSON.parse(Buffer.from(idToken?.split('.')[1] ?? '', 'base64url').toString())
    const text = textIn(payload, 'email') || textIn(payload, 'preferred_username') || textIn(payload, 'name')
    return cutText(text.replaceAll(/\p{Cc}/gu, ''), 200)
  } catch {
    return ''
  }
}

const describe = (answer: HttpAnswer, body: unknown, secrets: readonly string[]): string => {
  const [error, description] = [textIn(body, 'error'), textIn(body, 'error_description')]
  if (error === '') return `HTTP ${answer.status}`
  return cutToBytes(hideSecrets(description === '' ? error : `${error}: ${description}`, secrets), 300)
}

export type TokenDeps = { request: (request: OutgoingRequest) => Promise<HttpAnswer>; clock: Clock }

const askForTokens = async (
  client: OAuth2Client,
  form: Record<string, string>,
  { request, clock }: TokenDeps,
): Promise<GrantTokens & { account: string }> => {
  const { clientId, clientSecret, clientAuthentication } = client
  const body = new URLSearchParams(form)
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'Tributary/1.0',
  }
  if (clientSecret !== '' && clientAuthentication === 'basic') {
    const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  } else {
    body.set('client_id', clientId)
    if (clientSecret !== '') body.set('client_secret', clientSecret)
  }
  const answer = await request({
    method: 'POST',
    url: client.tokenUrl,
    headers,
    body: body.toString(),
    keepBytes: tokenAnswerBytes,
  })
  const tokenAnswer = parsed(answer.body)
  const now = clock()
  const error = textIn(tokenAnswer, 'error')
  // Some servers report an error with status 200.
  const refused = answer.status < 200 || answer.status > 299 || error !== ''
  const accessToken = tokenIn(tokenAnswer, 'access_token')
  if (!refused && accessToken !== '') {
    const type = textIn(tokenAnswer, 'token_type')
    if (type !== '' && type.toLowerCase() !== 'bearer')
      throw new ConfigurationError('The token URL returned a token that is not a Bearer token')
    const seconds = lifetimeIn(tokenAnswer)
    return {
      accessToken,
      refreshToken: tokenIn(tokenAnswer, 'refresh_token') || undefined,
      issueTime: now,
      expireTime: seconds === undefined ? undefined : now + seconds * 1000,
      account: accountOf(textIn(tokenAnswer, 'id_token')),
    }
  }
  const secrets = [clientSecret, ...Object.values(form)]
  if (answer.status === 408 || answer.status === 429 || answer.status >= 500) {
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now)
    const options = retryAfterMs === undefined ? {} : { retryAfterMs }
    throw new RetryableError(`The token URL responded with HTTP ${answer.status}`, options)
  }
  // Some servers do not follow RFC 6749, 5.2, and use other codes for `invalid_grant`.
  if (error === 'invalid_grant' || error === 'bad_refresh_token' || error === 'bad_verification_code')
    throw new GrantRefusedError(describe(answer, tokenAnswer, secrets))
  throw new ConfigurationError(
    refused
      ? `The token URL refused: ${describe(answer, tokenAnswer, secrets)}`
      : 'The token URL did not return a token',
  )
}

/**
 * Exchanges the returned code for tokens (RFC 6749, 4.1.3), and returns them with their account.
 *
 * @throws GrantRefusedError if the code is invalid, ConfigurationError, RetryableError
 */
export const exchangeCode = (
  client: OAuth2Client,
  given: { code: string; codeVerifier: string; redirectUri: string },
  deps: TokenDeps,
): Promise<GrantTokens & { account: string }> =>
  askForTokens(
    client,
    {
      grant_type: 'authorization_code',
      code: given.code,
      redirect_uri: given.redirectUri,
      code_verifier: given.codeVerifier,
    },
    deps,
  )

/**
 * Exchanges a refresh token for new tokens (RFC 6749, 6). The server may have invalidated the old refresh token: store
 * the new tokens before they are used.
 *
 * @throws GrantRefusedError if the grant has ended, ConfigurationError, RetryableError
 */
export const renewTokens = async (
  client: OAuth2Client,
  refreshToken: string,
  deps: TokenDeps,
): Promise<GrantTokens> => {
  const { account: _, ...tokens } = await askForTokens(
    client,
    { grant_type: 'refresh_token', refresh_token: refreshToken },
    deps,
  )
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
}

/**
 * Returns the context with requests that carry the token of the destination's grant (RFC 6750, 2.1) after `prefix`,
 * instead of any other Authorization. After a 401, a request is sent once more with a renewed token; after another 401, the grant
 * counts as expired and the request rejects with ConfigurationError. No response shows the token.
 */
export const withGrant = <S extends Settings>(context: DeliverContext<S>, prefix = 'Bearer '): DeliverContext<S> => ({
  ...context,
  request: async (request) => {
    const { accessToken } = context
    if (accessToken === undefined)
      throw new ConfigurationError('Not connected to an account. Connect it in its settings')
    const others = Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'authorization')
    const send = async (token: string): Promise<HttpAnswer> => {
      const headers = { ...Object.fromEntries(others), authorization: `${prefix}${token}` }
      const answer = await context.request({ ...request, headers })
      return { ...answer, body: hideSecrets(answer.body, [token]) }
    }
    const first = await accessToken()
    const answer = await send(first)
    if (answer.status !== 401) return answer
    const renewed = await accessToken(first)
    const again = await send(renewed)
    if (again.status !== 401) return again
    await accessToken(renewed, true)
    // A user has reconnected the destination meanwhile.
    throw new RetryableError('Reconnected: retrying')
  },
})
