import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Actor, AppError, flagDefaults, flagKeys, silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFlags, trustedContext } from './flags.ts'

const member: Actor = {
  userId: 'u1',
  email: 'a@example.com',
  isPlatformAdmin: false,
  sessionId: 's1',
  memberships: [{ organizationId: 'o1', role: 'ORG_GUEST' }],
}

let base: string
const server = createServer()
beforeAll(async () => {
  const flags = await createFlags({
    values: { ...flagDefaults, signals: true },
    authenticate: async (token) => {
      if (token === 'away') throw new AppError(503, 'UNAVAILABLE', 'The database is busy')
      return token === 'good' ? { actor: member } : { failure: 'expired' }
    },
    logger: silentLogger,
  })
  server.on('request', (request, response) => {
    if (flags.handles((request.url ?? '').split('?')[0] ?? '')) flags.handle(request, response)
    else response.writeHead(418).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const ask = (key: string, options: { token?: string; body?: string; headers?: Record<string, string> } = {}) =>
  fetch(`${base}/ofrep/v1/evaluate/flags${key}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    },
    body: options.body ?? '{}',
  })

test('while sessions cannot be looked up, a request with a token gets 503, which is not reported as a fault', async () => {
  const answer = await ask('', { token: 'away' })
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { errorCode: 'GENERAL', errorDetails: 'The database is busy' },
  ])
})

test('all flags are evaluated in one request, each with its value, variant and reason', async () => {
  const answer = await ask('')
  expect(answer.status).toBe(200)
  const { flags } = await answer.json()
  expect(flags.map(({ key }: { key: string }) => key)).toEqual(flagKeys)
  expect(flags).toContainEqual({ key: 'signals', value: true, variant: 'on', reason: 'STATIC' })
  expect(flags).toContainEqual({ key: 'sign-up-enabled', value: true, variant: 'on', reason: 'STATIC' })
})

test('an unchanged response is not sent again to a client with its ETag', async () => {
  const etag = (await ask('')).headers.get('etag') ?? ''
  expect(etag).not.toBe('')
  const again = await ask('', { headers: { 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
})

test('a single flag is evaluated by its key, and an unknown key gets 404', async () => {
  expect(await (await ask('/custom-domain')).json()).toMatchObject({ key: 'custom-domain', value: true })
  const unknown = await ask('/no-such-flag')
  expect(unknown.status).toBe(404)
  expect(await unknown.json()).toMatchObject({ key: 'no-such-flag', errorCode: 'FLAG_NOT_FOUND' })
})

test('with a session, flags are evaluated for any context, and an expired token is rejected', async () => {
  const body = JSON.stringify({
    context: { targetingKey: 'users/x', user: 'users/x', organization: 'organizations/o2', workspace: 'workspaces/w' },
  })
  expect((await ask('', { token: 'good', body })).status).toBe(200)
  expect((await ask('', { token: 'old', body })).status).toBe(401)
})

test.each([
  ['no JSON', '{', 400, 'PARSE_ERROR'],
  ['no object', '[]', 400, 'INVALID_CONTEXT'],
  ['a context of the wrong kind', '{"context":{"user":7}}', 400, 'INVALID_CONTEXT'],
  ['too much', JSON.stringify({ context: { other: 'x'.repeat(20_000) } }), 413, 'INVALID_CONTEXT'],
])('a flags request with %s is rejected with an error code of the protocol', async (_, body, status, errorCode) => {
  const answer = await ask('', { body })
  expect(answer.status).toBe(status)
  expect(await answer.json()).toMatchObject({ errorCode })
})

test('other methods get 405, and other paths are left to other handlers', async () => {
  expect((await fetch(`${base}/ofrep/v1/evaluate/flags`)).status).toBe(405)
  expect((await fetch(`${base}/ofrep/v1/evaluate/flagsx`, { method: 'POST' })).status).toBe(418)
})

test("a context is reduced to the session's user, and to an organization that the user can see", () => {
  const claimed = { user: 'users/x', organization: 'organizations/o2', workspace: 'workspaces/w' }
  expect(trustedContext(claimed, member)).toEqual({ user: 'users/u1' })
  expect(trustedContext({ ...claimed, organization: 'organizations/o1' }, member)).toEqual({
    user: 'users/u1',
    organization: 'organizations/o1',
    workspace: 'workspaces/w',
  })
})
