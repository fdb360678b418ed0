import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startOpenIdProvider } from './openid-provider.ts'

test("the provider signs in the chosen user, returns the user's claims, and rejects any other redirect URI", async () => {
  await using provider = await startOpenIdProvider({ users: [{ email: 'ada@example.com', givenName: 'Ada' }] })
  const verifier = randomBytes(32).toString('base64url')
  const authorize = (redirect_uri: string): string =>
    `${provider.issuer}/auth?${new URLSearchParams({
      client_id: provider.clientId,
      response_type: 'code',
      scope: 'openid email profile',
      redirect_uri,
      state: 's',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })}`
  const back = 'http://127.0.0.1:4321/auth/oauth-callback'
  const returned = await provider.walk(authorize(back), 'ada@example.com')
  expect([returned.get('state'), returned.get('iss')]).toEqual(['s', provider.issuer])
  const answer = await fetch(`${provider.issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${provider.clientId}:${provider.clientSecret}`)}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: returned.get('code') ?? '',
      redirect_uri: back,
      code_verifier: verifier,
    }),
  })
  const { access_token } = (await answer.json()) as { access_token: string }
  const claims = await fetch(`${provider.issuer}/me`, { headers: { authorization: `Bearer ${access_token}` } })
  expect(await claims.json()).toMatchObject({ email: 'ada@example.com', email_verified: true, given_name: 'Ada' })

  expect((await provider.walk(authorize(back), 'nobody@example.com')).get('error')).toBe('access_denied')
  await expect(provider.walk(authorize('http://127.0.0.1:4321/elsewhere'), 'ada@example.com')).rejects.toThrow('400')
})
