import { hkdfSync, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretBox, type SecretBox } from '@tributary/kernel'
import { createPrivateFile, movePrivateFile, readPrivateFile, writePrivateFile } from './private-file.ts'

/** Suffix of the file with a key that a rotation has created and that is not in use yet. */
type Pending = '' | '.next'

const fileOf = (dataDir: string, pending: Pending = ''): string => join(dataDir, `secret.key${pending}`)

/** A new secret: 256 random bits as text. */
export const newSecretKey = (): string => randomBytes(32).toString('base64url')

/**
 * Reads the key in the data folder, or the new key of a running or interrupted rotation; undefined if there is none.
 */
export const readKeyFile = (dataDir: string, pending: Pending = ''): Promise<string | undefined> =>
  readPrivateFile(fileOf(dataDir, pending))

/** Writes a key that is not used yet. It is on disk when the promise resolves. */
export const writeNextKey = (dataDir: string, key: string): Promise<void> =>
  writePrivateFile(fileOf(dataDir, '.next'), key)

/** Replaces the current key by the new one, atomically. */
export const takeNextKey = (dataDir: string): Promise<void> =>
  movePrivateFile(fileOf(dataDir, '.next'), fileOf(dataDir))

/** Removes the key of a rotation that failed. */
export const dropNextKey = async (dataDir: string): Promise<void> => {
  await rm(fileOf(dataDir, '.next'), { force: true })
}

/**
 * The product's secret key: the configured one, or `secret.key` of the data folder. That file is created atomically at
 * the first start, with mode 0600.
 */
export const loadSecretKey = async (dataDir: string, configured: string | undefined): Promise<string> => {
  if (configured !== undefined) return configured
  const existing = await readKeyFile(dataDir)
  if (existing !== undefined) return existing
  const made = newSecretKey()
  await createPrivateFile(fileOf(dataDir), made)
  return made
}

/** Derives a key for one purpose from the secret (HKDF-SHA256, RFC 5869). A derived key does not reveal any other. */
export const deriveKey = (secret: string, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes))

/** Encrypts write keys and credentials of destinations for storage. */
export const createProductSecretBox = (secret: string): SecretBox => createSecretBox(deriveKey(secret, 'credentials'))
