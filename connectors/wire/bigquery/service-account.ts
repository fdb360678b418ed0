import { createSign } from 'node:crypto'
import { ConfigurationError } from '@tributary/connector-kit'
import { isJsonObject, parseExactJson } from '@tributary/connector-kit/exact-json'

/** A service account: its email, its private key, and the ID of that key. */
export type ServiceAccount = { email: string; privateKey: string; keyId: string | undefined }

/** The text of the form for a setting that is no key file. */
export const keyProblem = 'Paste all that is in the JSON key file of a service account'

/**
 * Returns the service account of a key file (developers.google.com/identity/protocols/oauth2/service-account);
 * undefined for any other text. The addresses in the file are not read: tokens come from Google alone.
 */
export const accountIn = (key: string): ServiceAccount | undefined => {
  let parsed: unknown
  try {
    parsed = parseExactJson(key)
  } catch {
    return undefined
  }
  if (!isJsonObject(parsed)) return undefined
  const { type, client_email: email, private_key: privateKey, private_key_id: keyId } = parsed
  if (type !== 'service_account' || typeof email !== 'string' || typeof privateKey !== 'string') return undefined
  return { email, privateKey, keyId: typeof keyId === 'string' ? keyId : undefined }
}

/** Returns the service account of a key file. Throws ConfigurationError for any other text. */
export const accountOf = (key: string): ServiceAccount => {
  const account = accountIn(key)
  if (account === undefined) throw new ConfigurationError(`The service account key cannot be read. ${keyProblem}`)
  return account
}

/** How long a token is valid, in seconds: the longest that Google allows. */
const validSeconds = 3600

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Returns the signed assertion for a scope (developers.google.com/identity/protocols/oauth2/service-account, "Creating
 * a JWT"). `now` is epoch ms. Throws ConfigurationError for a private key that cannot be read.
 */
export const assertionOf = (
  { email, privateKey, keyId }: ServiceAccount,
  { scope, audience, now }: { scope: string; audience: string; now: number },
): string => {
  const issued = Math.floor(now / 1000)
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) }
  const claims = { iss: email, scope, aud: audience, iat: issued, exp: issued + validSeconds }
  const content = `${encoded(header)}.${encoded(claims)}`
  try {
    return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')}`
  } catch {
    // The error message could contain parts of the key.
    throw new ConfigurationError('The private key in the service account key cannot be read')
  }
}
