import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** Signs and verifies for one application, with its public key and its secret. */
export type Signer = {
  /** Returns the `auth` of a channel subscription. `channelData` is for presence channels. */
  channel(socketId: string, channel: string, channelData?: string): string
  /** Returns the `auth` of a subscription with masked values. */
  maskedChannel(socketId: string, channel: string): string
  /** Returns the `auth` of a sign-in. */
  user(socketId: string, userData: string): string
  /** Returns the signature of an HTTP API call. */
  call(text: string): string
}

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')

export const createSigner = (key: string, secret: string): Signer => ({
  channel: (socketId, channel, channelData) =>
    `${key}:${hmac(secret, `${socketId}:${channel}${channelData === undefined ? '' : `:${channelData}`}`)}`,
  maskedChannel: (socketId, channel) => `${key}:${hmac(secret, `${socketId}::masked::${channel}`)}`,
  user: (socketId, userData) => `${key}:${hmac(secret, `${socketId}::user::${userData}`)}`,
  call: (text) => hmac(secret, text),
})

/** Whether two texts are equal. Compares them in constant time. */
export const sameText = (a: string, b: string): boolean => {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

const toleranceSeconds = 600

/**
 * Returns why a call of the server-to-server API is rejected; undefined if it is valid. `now` is epoch ms; the
 * timestamp of a call may differ by ten minutes. The signature covers the method, the path, and the sorted query
 * without the signature. The query contains the MD5 of the body, which `bodyProblem` compares after the body was read.
 */
export const callProblem = (
  signer: Signer,
  key: string,
  call: { method: string; path: string; query: URLSearchParams },
  now: number,
): string | undefined => {
  const { query } = call
  if (query.get('auth_key') !== key) return 'The auth_key is not known'
  if (query.get('auth_version') !== '1.0') return 'The auth_version must be 1.0'
  const time = Number(query.get('auth_timestamp'))
  if (!(Math.abs(now / 1000 - time) <= toleranceSeconds)) return 'The auth_timestamp is not within ten minutes of now'
  const signed = [...query]
    .filter(([name]) => name !== 'auth_signature')
    .map(([name, value]) => `${name.toLowerCase()}=${value}`)
    .toSorted()
    .join('&')
  const expected = signer.call(`${call.method}\n${call.path}\n${signed}`)
  return sameText(expected, query.get('auth_signature') ?? '') ? undefined : 'The auth_signature does not match'
}

/** Returns why a body does not match the signed query of its call; undefined if it does. */
export const bodyProblem = (query: URLSearchParams, body: Buffer): string | undefined =>
  body.length > 0 && query.get('body_md5') !== createHash('md5').update(body).digest('hex')
    ? 'The body_md5 does not match'
    : undefined
