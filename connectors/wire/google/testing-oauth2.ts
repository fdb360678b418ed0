import type { PeerAnswer } from '@tributary/connector-kit/testing'

/** The OAuth client of the tests, and the code that Google returns to it. */
export const client = { client_id: '0123.apps.googleusercontent.com', client_secret: 'GOCSPX-0123456789' }
export const code = '4/0AeaYSHcode-0123456789'
const refreshToken = '1//0refresh-0123456789'

const answerOf = (status: number, body: object): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * Creates a stand-in for the token endpoint that follows Google's page
 * (developers.google.com/identity/protocols/oauth2/web-server, "Exchange authorization code for refresh and access
 * tokens", and errors of "Refreshing an access token"). A code is valid once, with the client, the verifier and the
 * redirect URI of its request. The response to the code includes a refresh token, which stays valid. Each `accessToken`
 * is valid for `seconds`.
 */
export const createGoogleTokens = (accessToken: string, seconds = 3599) => {
  const used = new Set<string>()
  const answer = ({ method, path, text }: { method: string; path: string; text: string }): PeerAnswer => {
    if (method !== 'POST' || path !== '/token') return { status: 404 }
    const form = new URLSearchParams(text)
    if (form.get('client_id') !== client.client_id || form.get('client_secret') !== client.client_secret)
      return answerOf(401, { error: 'invalid_client', error_description: 'The OAuth client was not found.' })
    const token = { access_token: accessToken, expires_in: seconds, token_type: 'Bearer' }
    const given = form.get('code') ?? ''
    if (form.get('grant_type') === 'refresh_token')
      return form.get('refresh_token') === refreshToken
        ? answerOf(200, token)
        : answerOf(400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' })
    if (given !== code || used.has(given) || !form.get('code_verifier') || !form.get('redirect_uri'))
      return answerOf(400, { error: 'invalid_grant', error_description: 'Malformed auth code.' })
    used.add(given)
    const id_token = `${part({ alg: 'none' })}.${part({ email: 'ads@example.com' })}.`
    return answerOf(200, { ...token, refresh_token: refreshToken, id_token })
  }
  return { answer }
}
