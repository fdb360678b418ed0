import { hash } from 'node:crypto'
import { type Identifier, identifierKey } from './identifiers.ts'

/** Returns a UUID (version 8, RFC 9562) that is always the same for the same texts. */
export const derivedId = (...texts: string[]): string => {
  const bytes = hash('sha256', texts.join('\0'), 'buffer').subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Returns the ID of the profile that was created for an identifier, after a number of erasures in the workspace. */
export const profileIdOf = (workspaceId: string, identifier: Identifier, erasures: number): string =>
  derivedId(workspaceId, identifierKey(identifier), ...(erasures === 0 ? [] : [String(erasures)]))
