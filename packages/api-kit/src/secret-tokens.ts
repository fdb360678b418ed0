import { createHash, timingSafeEqual } from 'node:crypto'
import { badRequest, randomToken } from '@tributary/kernel'

/** The SHA-256 of a random secret, which is stored and by which the secret is found. Not for secrets that people choose. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** A secret of 256 random bits, and what is kept of it. */
export const newToken = (): { token: string; hash: Buffer } => {
  const token = randomToken(32)
  return { token, hash: hashToken(token) }
}

/** Whether it is the secret that this hash was made of. */
export const isToken = (token: string, hash: Uint8Array): boolean => timingSafeEqual(hashToken(token), hash)

/** A key for programs: 24 random bytes as 32 URL-safe characters behind a word that says what it is, and what is kept of it. */
export const newKey = (word: string): { key: string; hash: Buffer; hint: string } => {
  const key = `${word}_${randomToken(24)}`
  return { key, hash: hashToken(key), hint: key.slice(-4) }
}

/** Throws 400 below the title when there are as many keys as there can be: what they are called, of what. */
export const requireRoomForKey = (count: number, most: number, texts: { of: string; called: string }): void => {
  if (count < most) return
  const text = `${texts.of} can have ${most} ${texts.called}. Revoke one first`
  throw badRequest('VALIDATION', `title: ${text}`, { title: text })
}
