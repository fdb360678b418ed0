import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

/** A time-ordered UUID (version 7), lower case. It never contains ':' and so fits any resource name. */
export const newId = (): string => v7()

/** `bytes` of randomness as URL-safe text, for tokens and keys. 32 bytes give 43 characters (256 bits). */
export const randomToken = (bytes = 32): string => randomBytes(bytes).toString('base64url')
