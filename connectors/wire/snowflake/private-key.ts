import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** A longer key would need seconds for each signature. */
const maxBits = 8192
const minBits = 2048

/** Returns the text of a PEM key with its line ends, which a field of one line removes. */
const withLines = (text: string): string => {
  const [, begin = '', body = '', end = ''] =
    /^(-----BEGIN [A-Z ]{1,40}-----)([A-Za-z0-9+/=\s]+)(-----END [A-Z ]{1,40}-----)$/.exec(text.trim()) ?? []
  if (begin === '') return text.trim()
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? []
  return [begin, ...lines, end, ''].join('\n')
}

const read = (text: string): KeyObject | undefined => {
  try {
    return createPrivateKey(withLines(text))
  } catch {
    // The error message could contain parts of the key.
    return undefined
  }
}

/**
 * Returns the key of a PEM text, or why it cannot be used. A key with a passphrase is not read: it names itself how long
 * its passphrase is hashed.
 */
export const privateKeyOf = (text: string): { key: KeyObject | undefined; problem: string | undefined } => {
  if (/^-----BEGIN ENCRYPTED PRIVATE KEY|\bENCRYPTED\b/.test(text.trim()))
    return { key: undefined, problem: 'Paste a key without a passphrase' }
  const key = read(text)
  if (key?.asymmetricKeyType !== 'rsa')
    return { key: undefined, problem: 'Paste an RSA key in PEM form, which begins with -----BEGIN PRIVATE KEY-----' }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
  return bits < minBits || bits > maxBits
    ? { key: undefined, problem: `Paste a key of ${minBits} to ${maxBits} bits` }
    : { key, problem: undefined }
}

/**
 * Returns the fingerprint of the key's public half, as `DESCRIBE USER` shows it in `RSA_PUBLIC_KEY_FP`
 * (docs.snowflake.com/en/user-guide/key-pair-auth).
 */
export const fingerprintOf = (key: KeyObject): string => {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return `SHA256:${createHash('sha256').update(spki).digest('base64')}`
}
