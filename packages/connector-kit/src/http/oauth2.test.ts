import { silentLogger } from '@tributary/kernel'
import { afterEach, describe, expect, it } from 'vitest'
import { ConfigurationError, RetryableError } from '../errors.ts'
import { type Peer, type PeerAnswer, startPeer } from '../testing/testing.ts'
import { createEgressPolicy } from './egress.ts'
import { callOnce } from './lifetime.ts'
import { consentAddress, exchangeCode, GrantRefusedError, type OAuth2Client, renewTokens, withGrant } from './oauth2.ts'
import { createRequestClient } from './request-client.ts'

const requestClient = createRequestClient({
  egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }),
  logger: silentLogger,
})
const deps = { request: requestClient.request, clock: () => 1_000_000 }
let peer: Peer
afterEach(() => peer?.close())

const server = async (answer: PeerAnswer, changes: Partial<OAuth2Client> = {}): Promise<OAuth2Client> => {
  peer = await startPeer(() => answer)
  return {
    authorizeUrl: 'https://login.example/authorize?access_type=offline&state=theirs',
    tokenUrl: peer.url,
    tokensSentTo: ['https://api.example'],
    clientId: 'client id',
    clientSecret: 's3cr3t/+',
    clientAuthentication: 'basic',
    scopes: ['a', 'b'],
    extraAuthorizeParameters: { audience: 'https://api.example' },
    ...changes,
  }
}
const json = (status: number, body: unknown): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const idToken = (claims: unknown): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`
const given = { code: 'c0de', codeVerifier: 'verifier', redirectUri: 'https://cdp.example/back' }
const sent = (): Record<string, string> => Object.fromEntries(new URLSearchParams(peer.requests[0]?.body))

it('the consent URL keeps its configured parameters, except that state and challenge are replaced', async () => {
  const client = await server({ status: 200 })
  const url = new URL(
    consentAddress(client, { redirectUri: given.redirectUri, state: 'ours', codeVerifier: 'verifier' }),
  )
  expect(Object.fromEntries(url.searchParams)).toEqual({
    access_type: 'offline',
    audience: 'https://api.example',
    response_type: 'code',
    client_id: 'client id',
    redirect_uri: given.redirectUri,
    scope: 'a b',
    state: 'ours',
    // RFC 7636, 4.2: base64url(sha256(verifier)).
    code_challenge: 'iMnq5o6zALKXGivsnlom_0F5_WYda32GHkxlV7mq7hQ',
    code_challenge_method: 'S256',
  })
})

describe('a token request', () => {
  it('a token request sends the secret in the header, both parts form-encoded (RFC 6749, 2.3.1)', async () => {
    const client = await server(json(200, { access_token: 'at', token_type: 'bearer', expires_in: 60 }))
    expect(await exchangeCode(client, given, deps)).toEqual({
      accessToken: 'at',
      refreshToken: undefined,
      issueTime: 1_000_000,
      expireTime: 1_060_000,
      account: '',
    })
    const pair = Buffer.from('client+id:s3cr3t%2F%2B').toString('base64')
    expect(peer.requests[0]?.headers).toMatchObject({ authorization: `Basic ${pair}`, accept: 'application/json' })
    expect(sent()).toEqual({
      grant_type: 'authorization_code',
      code: 'c0de',
      redirect_uri: given.redirectUri,
      code_verifier: 'verifier',
    })
  })

  it('a token request sends the secret in the body if configured, and only the client ID without a secret', async () => {
    const answer = json(200, { access_token: 'at' })
    await exchangeCode(await server(answer, { clientAuthentication: 'body' }), given, deps)
    expect(sent()).toMatchObject({ client_id: 'client id', client_secret: 's3cr3t/+' })
    expect(peer.requests[0]?.headers.authorization).toBeUndefined()
    await peer.close()
    await exchangeCode(await server(answer, { clientSecret: '' }), given, deps)
    expect(sent()).toMatchObject({ client_id: 'client id' })
    expect(sent()).not.toHaveProperty('client_secret')
  })

  it.each([
    ['in an answer of several kB', json(200, { access_token: 'x'.repeat(9000), expires_in: '60' })],
    ['in the form of the request', { status: 200, body: 'access_token=xxxx&token_type=bearer&expires_in=60' }],
  ])('a token request finds the token %s', async (_, answer) => {
    const tokens = await exchangeCode(await server(answer as PeerAnswer), given, deps)
    expect(tokens.accessToken).toMatch(/^x+$/)
    expect(tokens.expireTime).toBe(1_060_000)
  })

  it.each([
    [{ email: 'ada@example.com', name: 'Ada' }, 'ada@example.com'],
    [{ name: 'Ada\u0000 Lovelace' }, 'Ada Lovelace'],
    [{ sub: '17' }, ''],
  ])('a token request returns the account of an ID token: %j', async (claims, account) => {
    const client = await server(json(200, { access_token: 'at', id_token: idToken(claims) }))
    expect((await exchangeCode(client, given, deps)).account).toBe(account)
  })

  it('a token request keeps the refresh token if there is no new one, and otherwise uses the new one', async () => {
    const first = await renewTokens(await server(json(200, { access_token: 'a2' })), 'r1', deps)
    expect(first.refreshToken).toBe('r1')
    expect(sent()).toEqual({ grant_type: 'refresh_token', refresh_token: 'r1' })
    await peer.close()
    const second = await renewTokens(await server(json(200, { access_token: 'a3', refresh_token: 'r2' })), 'r1', deps)
    expect(second.refreshToken).toBe('r2')
  })
})

describe('a rejected token request', () => {
  it.each([
    ['invalid_grant with 400', json(400, { error: 'invalid_grant' }), GrantRefusedError],
    ['bad_refresh_token with 200', json(200, { error: 'bad_refresh_token' }), GrantRefusedError],
    ['invalid_client', json(401, { error: 'invalid_client' }), ConfigurationError],
    ['a page', { status: 404, body: '<html>' }, ConfigurationError],
    ['200 without a token', json(200, { ok: true }), ConfigurationError],
    ['a token that breaks a header', json(200, { access_token: 'a\r\nX: y' }), ConfigurationError],
    ['a token of another type', json(200, { access_token: 'a', token_type: 'mac' }), ConfigurationError],
    ['429', { status: 429, headers: { 'retry-after': '7' } }, RetryableError],
    ['503', { status: 503 }, RetryableError],
    ['no answer', 'reset', RetryableError],
  ])('a rejected token request: %s', async (_, answer, kind) => {
    const failure = await renewTokens(await server(answer as PeerAnswer), 'r1', deps).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(kind)
    if (kind !== GrantRefusedError) expect(failure).not.toBeInstanceOf(GrantRefusedError)
  })

  it('a rejected token request reports the reason without the secrets that were sent', async () => {
    const client = await server(
      json(400, { error: 'invalid_request', error_description: 'no s3cr3t/+ and no refresh-1 here' }),
    )
    await expect(renewTokens(client, 'refresh-1', deps)).rejects.toThrow(
      'The token URL refused: invalid_request: no [redacted] and no [redacted] here',
    )
  })
})

describe('a request with the token of a grant', () => {
  const call = (url: string, accessToken?: (refused?: string, again?: boolean) => Promise<string>) =>
    callOnce(
      {
        client: requestClient,
        settings: {},
        clock: Date.now,
        logger: silentLogger,
        signal: new AbortController().signal,
        ...(accessToken === undefined ? {} : { accessToken }),
      },
      (context) =>
        withGrant(context).request({
          method: 'POST',
          url,
          headers: { 'x-a': '1', Authorization: 'Basic x' },
          body: 'b',
        }),
    )

  it('a request with a grant has no other authorization, and its response never shows the token', async () => {
    peer = await startPeer(({ headers }) => ({ status: 200, body: `you sent ${headers.authorization}` }))
    const answer = await call(peer.url, async () => 'token-1')
    expect(peer.requests[0]?.headers).toMatchObject({ authorization: 'Bearer token-1', 'x-a': '1' })
    expect(answer.body).toBe('you sent Bearer [redacted]')
  })

  it('a request with a grant is sent again once after 401; another 401 reports the grant as ended', async () => {
    peer = await startPeer(() => ({ status: 401 }))
    const asked: unknown[] = []
    const accessToken = async (refused?: string, again?: boolean): Promise<string> => {
      asked.push(again === true ? [refused, again] : refused)
      if (asked.length === 3) throw new ConfigurationError('over')
      return `token-${asked.length}`
    }
    await expect(call(peer.url, accessToken)).rejects.toThrow('over')
    expect(asked).toEqual([undefined, 'token-1', ['token-2', true]])
    expect(peer.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
  })

  it('a request without a required grant is a configuration error', async () => {
    await expect(call('http://127.0.0.1:1/')).rejects.toThrow(ConfigurationError)
  })
})
