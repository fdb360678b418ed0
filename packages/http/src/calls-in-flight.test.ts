import { type Actor, noMetrics, silentLogger } from '@tributary/kernel'
import fastifyFactory from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apiServerOptions, createApi } from './index.ts'
import { handlersFor } from './testing/api-server.ts'

const actorOf = (userId: string): Actor => ({
  userId,
  email: `${userId}@b.co`,
  isPlatformAdmin: false,
  sessionId: 's',
  memberships: [],
})

/**
 * Starts an API whose calls to a destination, to a source, and to the sign-in hang until the test ends. The
 * organization is part of the workspace ID.
 */
const start = async (maxInFlight: number) => {
  const ended = Promise.withResolvers<never>()
  let hanging = 0
  const hang = (): Promise<never> => {
    hanging += 1
    return ended.promise
  }
  const app = fastifyFactory(apiServerOptions)
  await createApi({
    fastify: app,
    handlers: handlersFor({ 'destinations.testConnection': hang, 'sources.get': hang, 'users.login': hang }),
    authenticate: async (token) => ({ actor: actorOf(token) }),
    authorize: async (_, __, { workspace = '' }) => ({
      workspace: { id: workspace, organizationId: workspace.split('-')[0] ?? '', roles: [] },
    }),
    clientIp: (request) => String(request.headers['x-address']),
    logger: silentLogger,
    metrics: noMetrics,
    maxInFlight,
  })
  onTestFinished(async () => {
    ended.reject(new Error('the test has ended'))
    await app.close()
  })
  const ask = (verb: 'GET' | 'POST', url: string, headers: Record<string, string>) =>
    app.inject({
      method: verb,
      url: `/api${url}`,
      headers: { 'x-address': headers.authorization ?? '', ...headers },
      ...(verb === 'POST' ? { payload: {} } : {}),
    })
  return {
    /** Starts `count` hanging calls. Resolves with the responses when each call hangs or has a response. */
    async flood(count: number, call: (index: number) => ReturnType<typeof ask>) {
      const before = hanging
      const answers: { status: number; reason: string; retryAfter: unknown }[] = []
      for (let index = 0; index < count; index += 1)
        void call(index).then(
          (answer) =>
            answers.push({
              status: answer.statusCode,
              reason: answer.json().reason,
              retryAfter: answer.headers['retry-after'],
            }),
          () => {},
        )
      await expect.poll(() => hanging - before + answers.length).toBe(count)
      return answers
    },
    test: (user: string, workspace: string) =>
      ask('POST', `/workspaces/${workspace}/destinations/d:testConnection`, { authorization: `Bearer ${user}` }),
    get: (user: string, workspace: string) =>
      ask('GET', `/workspaces/${workspace}/sources/s`, { authorization: `Bearer ${user}` }),
    list: (user: string, workspace: string) =>
      ask('GET', `/workspaces/${workspace}/destinations`, { authorization: `Bearer ${user}` }),
    login: (address: string) =>
      app.inject({
        method: 'POST',
        url: '/api/users:login',
        headers: { 'x-address': address },
        payload: { email: 'a@b.co', password: 'password-1' },
      }),
  }
}

/** The response that shows that the handler of the list of destinations was reached. */
const reached = { code: 409, reason: 'REACHED' }

describe('calls that hang', () => {
  test('605 hanging calls of one user do not affect another tenant, and the user gets 429', async () => {
    const { flood, test: tryConnection, list } = await start(500)
    const answers = await flood(605, () => tryConnection('mallory', 'evil-1'))
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 429, reason: 'RATE_LIMITED', retryAfter: '1' })]),
    )
    for (let index = 0; index < 30; index += 1) expect((await list('ann', 'good-1')).json()).toMatchObject(reached)
  })

  test('hanging calls of ten users of one organization leave half of all slots to others', async () => {
    const { flood, get, list } = await start(50)
    const answers = await flood(100, (index) => get(`user${index % 10}`, `evil-${index % 7}`))
    expect(answers.length).toBeGreaterThanOrEqual(75)
    expect((await list('ann', 'good-1')).json()).toMatchObject(reached)
  })

  test('hanging calls without a session from one network do not block sign-ins from other networks, also with IPv6', async () => {
    const { flood, login, list } = await start(50)
    const answers = await flood(70, (index) => login(`2001:db8:1:2::${index.toString(16)}`))
    expect(answers.every(({ status }) => status === 429)).toBe(true)
    expect(await flood(1, () => login('198.51.100.7'))).toEqual([])
    expect((await list('ann', 'good-1')).json()).toMatchObject(reached)
  })

  test('hanging calls of one method, by many users and organizations, leave slots for other methods', async () => {
    const { flood, get, list } = await start(50)
    const answers = await flood(90, (index) => get(`user${index}`, `org${index}-1`))
    expect(answers.every(({ status, reason }) => status === 503 && reason === 'OVERLOADED')).toBe(true)
    expect((await list('ann', 'good-1')).json()).toMatchObject(reached)
  })
})
