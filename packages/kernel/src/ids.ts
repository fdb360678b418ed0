import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/** Returns a time-ordered UUID (version 7), in lower case. It never contains ':', so it fits any resource name. */
export const newId = (): string => v7()

/**
 * Returns random URL-safe text for tokens and keys, from `bytes` random bytes. 32 bytes become 43 characters (256
 * bits).
 */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')
