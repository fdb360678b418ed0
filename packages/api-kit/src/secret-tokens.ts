import { createHash, timingSafeEqual } from 'node:crypto'
import { badRequest, randomToken } from '@tributary/kernel'

/**
 * Returns the SHA-256 hash of a random secret. The hash is stored instead of the secret, and finds its row. Not for
 * secrets that users choose.
 */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** Creates a secret of 256 random bits, and its hash for storing. */
export const newToken = (): { token: string; hash: Buffer } => {
  const token = randomToken(32)
  return { token, hash: hashToken(token) }
}

/** Whether a hash was made from this secret. */
export const isToken = (token: string, hash: Uint8Array): boolean => timingSafeEqual(hashToken(token), hash)

/**
 * A new API key: 24 random bytes as 32 URL-safe characters after a prefix that names its kind, with its hash and hint
 * for storing.
 */
export const newKey = (word: string): { key: string; hash: Buffer; hint: string } => {
  const key = `${word}_${randomToken(24)}`
  return { key, hash: hashToken(key), hint: key.slice(-4) }
}

/**
 * Throws 400 for the field `title` if the maximum number of keys is reached. `texts` names the keys and their owner.
 */
export const requireRoomForKey = (count: number, most: number, texts: { of: string; called: string }): void => {
  if (count < most) return
  const text = `${texts.of} can have ${most} ${texts.called}. Revoke one first`
  throw badRequest('VALIDATION', `title: ${text}`, { title: text })
}
