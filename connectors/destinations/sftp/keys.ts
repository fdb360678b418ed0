import { createHash } from 'node:crypto'
import ssh2 from 'ssh2'

/** Returns the fingerprint of a server's public key in the form of OpenSSH (`ssh-keygen -l`). */
export const fingerprintOf = (key: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(key).digest('base64').replace('=', '')}`

/** Returns the fingerprints of a text, which blanks or commas separate; undefined if one has another form. */
export const fingerprintsOf = (text: string): string[] | undefined => {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '')
  const fingerprints = parts.map((part) => /^(SHA256:[A-Za-z0-9+/]{43})=?$/.exec(part)?.[1])
  const valid = fingerprints.filter((each) => each !== undefined)
  return valid.length === parts.length && valid.length > 0 ? valid : undefined
}

/** Returns the text of a private key with its line ends, which a field of one line removes. */
const withLines = (text: string): string => {
  const [, begin = '', body = '', end = ''] =
    /^(-----BEGIN [A-Z ]{1,40}-----)([A-Za-z0-9+/=\s]+)(-----END [A-Z ]{1,40}-----)$/.exec(text.trim()) ?? []
  if (begin === '') return text.trim()
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? []
  return [begin, ...lines, end, ''].join('\n')
}

/**
 * Returns the text of a private key in a form that the client reads, and why it cannot read it. A key with a passphrase
 * is not read: it names itself how long its passphrase is hashed.
 */
export const privateKeyOf = (text: string): { key: string; problem: string | undefined } => {
  const key = withLines(text)
  const parsed: unknown = ssh2.utils.parseKey(key)
  if (!(parsed instanceof Error)) return { key, problem: undefined }
  if (/encrypted/i.test(parsed.message)) return { key, problem: 'Paste a key without a passphrase' }
  return {
    key,
    problem: 'Paste a private key in the form of OpenSSH, or a PEM key that begins with BEGIN RSA or BEGIN EC',
  }
}
