import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/**
 * Encrypts values that must be readable again. The context, which says where the value is stored, is authenticated: a
 * box opens only with the same context.
 */
export type SecretBox = {
  seal(plain: string, context: string): Uint8Array
  /** Opens a box. Throws SecretBoxError if the box has another key or context, or if a byte of it was changed. */
  open(box: Uint8Array, context: string): string
}

/** Thrown for a box that cannot be opened. */
export class SecretBoxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SecretBoxError'
  }
}

const format = 1
const idLength = 8
const ivLength = 12
const tagLength = 16
const headLength = 1 + idLength
const bodyStart = headLength + ivLength + tagLength

const keyId = (key: Uint8Array): Buffer =>
  createHash('sha256').update('key id').update(key).digest().subarray(0, idLength)

/**
 * Creates a secret box with AES-256-GCM (NIST SP 800-38D) and a random 96-bit nonce. A box is: format (1 byte), key ID
 * (8), nonce (12), tag (16), ciphertext. Seals with `key`; opens with `key` or any of `previous`, so that keys can be
 * rotated. Keys have 32 bytes.
 */
export const createSecretBox = (key: Uint8Array, previous: readonly Uint8Array[] = []): SecretBox => {
  const keys = new Map<string, Uint8Array>()
  for (const each of [...previous, key]) {
    if (each.length !== 32) throw new SecretBoxError('a key of the secret box must have 32 bytes')
    keys.set(keyId(each).toString('hex'), each)
  }
  const ownId = keyId(key)
  return {
    seal(plain, context) {
      const iv = randomBytes(ivLength)
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagLength })
      cipher.setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(format), ownId, iv, cipher.getAuthTag(), body])
    },
    open(box, context) {
      const bytes = Buffer.from(box.buffer, box.byteOffset, box.byteLength)
      if (bytes.length < bodyStart || bytes[0] !== format) throw new SecretBoxError('this is not a sealed secret')
      const opener = keys.get(bytes.subarray(1, headLength).toString('hex'))
      if (opener === undefined) throw new SecretBoxError('it was sealed with another secret key')
      const decipher = createDecipheriv('aes-256-gcm', opener, bytes.subarray(headLength, headLength + ivLength), {
        authTagLength: tagLength,
      })
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(headLength + ivLength, bodyStart))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(bodyStart)), decipher.final()]).toString('utf8')
      } catch {
        throw new SecretBoxError('it was changed, or sealed for another place')
      }
    },
  }
}
