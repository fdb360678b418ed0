import { createHmac, timingSafeEqual } from 'node:crypto'

/**
 * Returns the signature token with which a user subscribes to the inbox of notifications. It stays the same as long as
 * the signing key.
 */
export const inboxToken = (key: Uint8Array, userId: string): string =>
  `${userId}.${createHmac('sha256', key).update(userId).digest('base64url')}`

/** Whether a text is the signature token of this user. */
export const isInboxToken = (key: Uint8Array, userId: string, text: string): boolean => {
  const [expected, given] = [Buffer.from(inboxToken(key, userId)), Buffer.from(text)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}
