import { createHash } from 'node:crypto'
import { isJsonObject } from '@tributary/kernel'
import type { DeliverContext } from '../../definition/definition.ts'
import { ConfigurationError, RetryableError } from '../../errors.ts'
import type { Lifetime } from '../../http/lifetime.ts'
import { parseRetryAfter, sendRequest } from '../../http/send-request.ts'
import { parsedAnswer } from '../answers/answer-value.ts'

/** A client of a token server (RFC 6749, 4.4). */
export type Client = {
  tokenUrl: string
  id: string
  secret: string
  authentication: 'basic' | 'body'
  scope: string
  /** Further members of the form. */
  parameters: Readonly<Record<string, string>>
}

type Token = { token: string; expireTime: number }

/** Tokens by the lifetime of their destination and their client. */
const tokens = new WeakMap<Lifetime, Map<string, Token>>()

/** A token is renewed this long before it expires, in ms, and is kept for five minutes if the server names no time. */
const marginMs = 30_000
const unknownLifeMs = 300_000

const keyOf = ({ tokenUrl, id, secret, scope, parameters }: Client): string =>
  createHash('sha256')
    .update(JSON.stringify([tokenUrl, id, secret, scope, parameters]))
    .digest('base64url')

const requestToken = async (client: Client, context: DeliverContext): Promise<Token> => {
  const { tokenUrl, id, secret, authentication, scope, parameters } = client
  const form = new URLSearchParams({
    ...parameters,
    grant_type: 'client_credentials',
    ...(scope === '' ? {} : { scope }),
  })
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'Tributary/1.0',
  }
  const encoded = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1)
  const pair = Buffer.from(`${encoded(id)}:${encoded(secret)}`).toString('base64')
  if (authentication === 'basic') headers.authorization = `Basic ${pair}`
  else {
    form.set('client_id', id)
    form.set('client_secret', secret)
  }
  // The exchange is not shown, because its answer is a secret.
  const { onExchange: _, ...unwatched } = context
  const { answer } = await sendRequest(
    unwatched,
    { method: 'POST', url: tokenUrl, headers, body: form.toString(), keepBytes: 64 * 1024 },
    { headers: ['authorization'], texts: [secret, encoded(secret), pair] },
  )
  const now = context.clock()
  const body = parsedAnswer(answer.body)
  const token = isJsonObject(body) ? body['access_token'] : undefined
  if (answer.status < 300 && typeof token === 'string' && /^[\x21-\x7e]{1,16384}$/.test(token)) {
    const seconds = Number(isJsonObject(body) ? body['expires_in'] : undefined)
    const life = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : unknownLifeMs
    return { token, expireTime: now + life }
  }
  if (answer.status === 408 || answer.status === 429 || answer.status >= 500) {
    const retryAfterMs = parseRetryAfter(answer.headers['retry-after'], now)
    throw new RetryableError(
      `The token URL responded with HTTP ${answer.status}`,
      retryAfterMs === undefined ? {} : { retryAfterMs },
    )
  }
  throw new ConfigurationError(`The token URL refuses the client (HTTP ${answer.status})`)
}

/**
 * Returns the token of a client, which is kept until shortly before it expires. `refused` is a token that got 401: it is
 * replaced. Throws ConfigurationError if the server refuses the client, RetryableError if it cannot answer now.
 */
export const clientToken = async (client: Client, context: DeliverContext, refused?: string): Promise<string> => {
  const known = tokens.get(context.lifetime) ?? new Map<string, Token>()
  tokens.set(context.lifetime, known)
  const key = keyOf(client)
  const kept = known.get(key)
  if (kept !== undefined && kept.token !== refused && kept.expireTime - marginMs > context.clock()) return kept.token
  const renewed = await requestToken(client, context)
  known.set(key, renewed)
  return renewed.token
}
