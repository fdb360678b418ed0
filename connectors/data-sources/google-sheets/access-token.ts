import { createSign } from 'node:crypto'
import { ConfigurationError, cutText, RetryableError } from '@tributary/connector-kit'
import { textOfResponse, type WayOut, withResponse } from '../../wire/files/download.ts'
import type { ServiceAccount } from './settings.ts'

const scope = 'https://www.googleapis.com/auth/spreadsheets.readonly'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const validSeconds = 3600
const answerBytes = 64 * 1024

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Returns the signed assertion of the account (developers.google.com/identity/protocols/oauth2/service-account). */
const assertionOf = ({ email, privateKey }: ServiceAccount, audience: string, now: number): string => {
  const issued = Math.floor(now / 1000)
  const claims = { iss: email, scope, aud: audience, iat: issued, exp: issued + validSeconds }
  const content = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`
  try {
    return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey, 'base64url')}`
  } catch {
    // The error message could contain parts of the key.
    throw new ConfigurationError('The private key in the service account key cannot be read')
  }
}

const memberOf = (text: string, name: string): string | undefined => {
  try {
    const value = (JSON.parse(text) as Record<string, unknown> | null)?.[name]
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Gets a token that can read spreadsheets that are shared with the account. Rejects with a DeliveryError that names the
 * reason.
 */
export const fetchAccessToken = async (account: ServiceAccount, tokenUrl: string, wayOut: WayOut): Promise<string> => {
  const assertion = assertionOf(account, tokenUrl, Date.now())
  const body = new URLSearchParams({ grant_type: grant, assertion }).toString()
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Tributary/1.0',
  }
  return await withResponse({ url: tokenUrl, headers, body }, answerBytes, wayOut, async (response) => {
    const { statusCode: status = 0 } = response
    const text = (await textOfResponse(response, answerBytes)) ?? ''
    const token = memberOf(text, 'access_token')
    if (status === 200 && token !== undefined) return token
    if (status === 429 || status >= 500) throw new RetryableError(`Google responded with status ${status}`)
    const words = memberOf(text, 'error_description') ?? memberOf(text, 'error') ?? `status ${status}`
    throw new ConfigurationError(
      `Google does not accept the service account key: ${cutText(words, 300).toWellFormed()}`,
    )
  })
}
