import { hkdfSync, randomBytes } from 'node:crypto'
import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretBox, type SecretBox } from '@tributary/kernel'

/**
 * The product's secret: the configured one, else `secret.key` of the data folder, made at the first start (0600, written
 * whole or not at all).
 */
export const loadSecretKey = async (dataDir: string, configured: string | undefined): Promise<string> => {
  if (configured !== undefined) return configured
  const file = join(dataDir, 'secret.key')
  const existing = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (existing.trim() !== '') return existing.trim()
  const made = randomBytes(32).toString('base64url')
  const handle = await open(`${file}.new`, 'w', 0o600)
  await handle.writeFile(`${made}\n`)
  await handle.sync()
  await handle.close()
  await rename(`${file}.new`, file)
  return made
}

/** A key for one purpose, derived from the secret (HKDF-SHA256, RFC 5869): knowing one does not give another. */
export const deriveKey = (secret: string, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes))

/** Seals write keys and credentials of destinations at rest. */
export const createProductSecretBox = (secret: string): SecretBox => createSecretBox(deriveKey(secret, 'credentials'))
