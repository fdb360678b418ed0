import { createHash, timingSafeEqual } from 'node:crypto'
import { randomToken } from '@tributary/kernel'

/** What is kept of a random secret, and what it is found by: its SHA-256. Not for what people choose. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** A secret of 256 random bits, and what is kept of it. */
export const newToken = (): { token: string; hash: Buffer } => {
  const token = randomToken(32)
  return { token, hash: hashToken(token) }
}

/** Whether it is the secret that this hash was made of. */
export const isToken = (token: string, hash: Uint8Array): boolean => timingSafeEqual(hashToken(token), hash)
