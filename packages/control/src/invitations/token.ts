import { createHash, timingSafeEqual } from 'node:crypto'
import { randomToken } from '@tributary/kernel'

/** How long an invitation or an invitation link works, in ms. */
export const invitationLifeMs = 7 * 24 * 3_600_000

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** The secret of an invitation's link, 256 random bits, and what is kept of it: its SHA-256. */
export const newInvitationToken = (): { token: string; hash: Buffer } => {
  const token = randomToken(32)
  return { token, hash: hashOf(token) }
}

/** Whether it is the token that this hash was made of. */
export const isInvitationToken = (token: string, hash: Uint8Array): boolean => timingSafeEqual(hashOf(token), hash)
