// @vitest-environment happy-dom
import { methods, roleInput, roles } from '@tributary/contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { roleIndex } from '../people/roles.ts'
import { clearSession, useSession } from '../people/session.ts'
import { call } from './client.ts'
import { ApiError } from './errors.ts'

let requests: { url: string; init: RequestInit }[]
let answer: () => Promise<Response>

beforeEach(() => {
  requests = []
  answer = () => Promise.resolve(Response.json({}))
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    requests.push({ url, init })
    return answer()
  })
  clearSession()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const logout = () => call(methods.users.logout, { body: {} })

test('every call goes to the same base URL, with credentials, and accepts JSON (API-01, API-03)', async () => {
  await logout()
  expect(requests).toEqual([
    {
      url: '/api/users:logout',
      init: {
        signal: expect.any(AbortSignal),
        method: 'POST',
        credentials: 'include',
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        body: '{}',
      },
    },
  ])
})

test("API-02: the session's access token is sent as a bearer token, and without a token no header is sent", async () => {
  await logout()
  useSession.setState({ accessToken: 'secret' })
  await logout()
  expect(requests.map(({ init }) => new Headers(init.headers).get('authorization'))).toEqual([null, 'Bearer secret'])
})

test('API-05: a call has no timeout: after an hour it still waits, and it accepts the response', async () => {
  vi.useFakeTimers()
  const late = Promise.withResolvers<Response>()
  answer = () => late.promise
  let settled = false
  const serve = globalThis.fetch
  vi.stubGlobal('fetch', (url: string, init: RequestInit) =>
    url === '/health/live' ? Promise.resolve(Response.json({ ok: true })) : serve(url, init),
  )
  const done = logout().finally(() => {
    settled = true
  })
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(settled).toBe(false)
  expect(requests[0]?.init.signal?.aborted).toBe(false)
  late.resolve(Response.json({}))
  expect(await done).toEqual({})
})

test.each(roles.map((role, index) => [role, index] as const))(
  'API-04: the role %s is sent as its index %i, and the server accepts both',
  (role, index) => {
    expect(roleIndex(role)).toBe(index)
    expect(roleInput.parse(index)).toBe(role)
    expect(roleInput.parse(role)).toBe(role)
  },
)

describe('a failed response', () => {
  const failure = () => logout().catch((error: unknown) => error)

  test('a failed response is an error with the status and the readable part of the body', async () => {
    answer = () => Promise.resolve(Response.json({ error: { code: 409, message: 'm' } }, { status: 409 }))
    expect(await failure()).toMatchObject({ status: 409, message: 'm', body: { code: 409, message: 'm' } })
    answer = () => Promise.resolve(new Response('<html>', { status: 502 }))
    expect(await failure()).toMatchObject({ status: 502, message: 'The server responded with status 502.', body: {} })
  })

  test('a failed response has status 0 if the server could not be reached', async () => {
    answer = () => Promise.reject(new TypeError('Failed to fetch'))
    const error = await failure()
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 0, message: expect.stringContaining('Could not reach') })
  })
})
