import type { KafkaSasl } from './options.ts'

/** How long before its expiry a token is renewed, ms. */
const earlyMs = 60_000
const timeoutMs = 10_000

/** Requests tokens with the client credentials grant (RFC 6749, 4.4), and caches one until it expires. */
export const createTokens = (
  given: Extract<KafkaSasl, { mechanism: 'OAUTHBEARER' }>,
  clock: () => number = Date.now,
): (() => Promise<string>) => {
  let known: { token: string; until: number } | undefined
  return async () => {
    if (known !== undefined && clock() < known.until) return known.token
    const response = await fetch(given.tokenUrl, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${encodeURIComponent(given.clientId)}:${encodeURIComponent(given.clientSecret)}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        ...(given.scope === undefined ? {} : { scope: given.scope }),
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const body: unknown = response.ok ? await response.json() : undefined
    const token = typeof body === 'object' && body !== null && 'access_token' in body ? body.access_token : undefined
    if (typeof token !== 'string')
      throw new Error(`The token address of KAFKA_SASL_TOKEN_URL answered ${response.status} without an access token`)
    const seconds = typeof body === 'object' && body !== null && 'expires_in' in body ? Number(body.expires_in) : 0
    known = { token, until: clock() + (Number.isFinite(seconds) ? seconds * 1000 : 0) - earlyMs }
    return token
  }
}
