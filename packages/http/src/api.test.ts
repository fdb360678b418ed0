import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorBody, methodList, methods, pageBuildHeader, type SourceWithSchema } from '@tributary/contract'
import { type Actor, type Metrics, noMetrics, notFound, setHeldWork, silentLogger } from '@tributary/kernel'
import fastifyFactory from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type AnyHandler, type ApiDeps, apiServerOptions, createApi, type Handlers } from './index.ts'
import { allowAll, handlersFor } from './testing/api-server.ts'

const actor: Actor = { userId: 'u', email: 'a@b.co', isPlatformAdmin: false, sessionId: 's', memberships: [] }
const time = '2026-01-02T03:04:05.678Z'
const source: SourceWithSchema = {
  name: 'workspaces/w/sources/s',
  title: 'Shop',
  app: {
    name: 'workspaces/w/sources/s/app',
    catalog_app: 'catalogSources/http',
    display_name: 'HTTP',
    docs_url: '',
    type: 3,
    extra: { app_icon: '' },
    settings: [],
  },
  target_product: 'CDP',
  enabled: true,
  enforcement: 'allow',
  schema_version: 1,
  create_time: time,
  update_time: time,
  has_received: false,
  last_event_time: null,
  schema: { schema: '{"events":{}}', version: 1, update_time: time },
}

type Given = Parameters<AnyHandler>[0]

const start = async (
  own: Record<string, AnyHandler> = {},
  options: Partial<
    Pick<ApiDeps, 'authorize' | 'readYourWrites' | 'logger' | 'metrics' | 'maxInFlight' | 'pageBuild'>
  > = {},
) => {
  const app = fastifyFactory(apiServerOptions)
  await createApi({
    fastify: app,
    handlers: handlersFor(own),
    authenticate: async (token) =>
      token === 'good' ? { actor } : { failure: token === 'old' ? ('expired' as const) : ('unknown' as const) },
    authorize: options.authorize ?? allowAll,
    ...(options.readYourWrites === undefined ? {} : { readYourWrites: options.readYourWrites }),
    logger: options.logger ?? silentLogger,
    metrics: options.metrics ?? noMetrics,
    docsAssetsDir: dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json'))),
    ...(options.maxInFlight === undefined ? {} : { maxInFlight: options.maxInFlight }),
    pageBuild: options.pageBuild,
  })
  onTestFinished(() => app.close())
  const call = async (
    verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: unknown,
    token = 'good',
  ) => {
    const answer = await app.inject({
      method: verb,
      url: `/api${url}`,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }
  return { app, call }
}

describe('routes', () => {
  test('every method of the contract is reached only by its own path', async () => {
    const { call } = await start()
    for (const method of methodList) {
      const path = method.path.replace(/\{(\w+)\}/g, 'id-1')
      const answer = await call(method.verb, path, method.request === undefined ? undefined : {})
      if (answer.status === 400) expect(answer.body.reason).toBe('VALIDATION')
      else expect(answer.body).toMatchObject({ reason: 'REACHED', message: method.name })
    }
  })

  test.each([
    ['GET', '/nothing'],
    ['GET', ''],
    ['GET', '/'],
    ['GET', '/docs/package.json'],
    ['PATCH', '/workspaces/w/sources'],
    ['POST', '/workspaces/w/sources/s:explode'],
    ['POST', '/users:unknown'],
    ['GET', '/workspaces/w:x'],
  ] as const)('the unknown route %s %s returns 404 with the error body', async (verb, url) => {
    const { call } = await start()
    const answer = await call(verb, url)
    expect(answer.status).toBe(404)
    expect(errorBody.parse(answer.body)).toMatchObject({ code: 404 })
  })

  test.each(['good', ''])('the body of a request to an unknown path is not read: 404 (token %j)', async (token) => {
    const { call } = await start()
    for (const body of [{ a: 1 }, '{broken'])
      expect(await call('POST', '/workspaces/w/nothing', body, token)).toMatchObject({
        status: 404,
        body: { reason: 'NO_SUCH_CALL' },
      })
  })

  test('an ID with impossible characters returns 404', async () => {
    const { call } = await start()
    expect((await call('GET', '/workspaces/%2e%2e%2fx')).body).toMatchObject({ code: 404 })
    expect((await call('GET', "/workspaces/a'b")).body).toMatchObject({ code: 404, reason: 'NOT_FOUND' })
  })

  test('a URL that cannot be decoded returns the error body', async () => {
    const { app } = await start()
    const answer = await app.inject({ method: 'GET', url: '/api/workspaces/%zz' })
    expect(answer.statusCode).toBe(400)
    expect(errorBody.parse(answer.json()).code).toBe(400)
  })

  test('the API does not start if a method has no handler', async () => {
    const app = fastifyFactory()
    onTestFinished(() => app.close())
    const handlers = { ...handlersFor({}), realtime: {} } as Handlers
    const deps = {
      fastify: app,
      handlers,
      authenticate: async () => ({ actor }),
      authorize: allowAll,
      logger: silentLogger,
      metrics: noMetrics,
    }
    await expect(createApi(deps)).rejects.toThrow('realtime.getConfig has no handler')
  })
})

describe('sessions', () => {
  test.each([
    ['', 'UNAUTHORIZED', /access token is missing/],
    ['old', 'TOKEN_EXPIRED', /expired/],
    ['forged', 'UNAUTHORIZED', /invalid auth userInfo/],
    ['not a token', 'UNAUTHORIZED', /access token is missing/],
  ])('token %j returns 401 %s', async (token, reason, message) => {
    const { call } = await start()
    const answer = await call('GET', '/users/u', undefined, token)
    expect(answer.status).toBe(401)
    expect(errorBody.parse(answer.body).reason).toBe(reason)
    expect(answer.body.message).toMatch(message)
  })

  test('only public methods are reached without a session', async () => {
    const { call } = await start()
    for (const method of methodList) {
      const answer = await call(method.verb, method.path.replace(/\{(\w+)\}/g, 'x'), method.request && {}, '')
      expect([method.name, answer.status === 401]).toEqual([method.name, method.access.scope !== 'anybody'])
    }
  })

  test("a call's session is checked before its input", async () => {
    const { call } = await start()
    expect((await call('POST', '/organizations', {}, '')).status).toBe(401)
  })
})

describe('the access check', () => {
  test('the access check runs after the input check and before the handler, and its result is passed to the handler', async () => {
    const steps: unknown[] = []
    const { call } = await start(
      {
        'sources.create': async ({ workspace }) => {
          steps.push(workspace)
          return source
        },
      },
      {
        authorize: async ({ access }, { userId } = actor, { workspace = '' }) => {
          steps.push([access, userId, workspace])
          if (workspace === 'foreign') throw notFound('workspace not found')
          return { workspace: { id: workspace, organizationId: 'o', roles: [] } }
        },
      },
    )
    const body = { title: 'Shop', app: { name: 'catalogSources/http' } }
    expect((await call('POST', '/workspaces/foreign/sources', {})).status).toBe(400)
    expect((await call('POST', '/workspaces/w/sources', body, 'forged')).status).toBe(401)
    expect(steps).toEqual([])
    const { access } = methods.sources.create
    expect((await call('POST', '/workspaces/foreign/sources', body)).body.message).toBe('workspace not found')
    expect(steps.splice(0)).toEqual([[access, 'u', 'foreign']])
    expect((await call('POST', '/workspaces/w/sources', body)).status).toBe(200)
    expect(steps).toEqual([[access, 'u', 'w'], { id: 'w', organizationId: 'o', roles: [] }])
  })
})

describe('a response', () => {
  test('a response waits for the cache followers after a change; not after a rejected change or a read', async () => {
    const steps: unknown[] = []
    const { call } = await start(
      {
        'sources.update': async ({ params }) => {
          if (params.source === 'gone') throw notFound('source not found')
          steps.push('changed')
          return source
        },
        'sources.get': async () => source,
      },
      { readYourWrites: async (followers) => void steps.push(followers) },
    )
    expect((await call('PATCH', '/workspaces/w/sources/gone', { title: 'Shop' })).status).toBe(404)
    expect((await call('GET', '/workspaces/w/sources/s')).status).toBe(200)
    expect(steps).toEqual([])
    expect((await call('PATCH', '/workspaces/w/sources/s', { title: 'Shop' })).status).toBe(200)
    expect(steps).toEqual(['changed', methods.sources.update.followedBy])
  })
})

describe('input', () => {
  test('an invalid body returns each wrong field once, with a hint', async () => {
    const { call } = await start()
    const answer = await call('POST', '/organizations', { title: 'abc', industry: 'x' })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      reason: 'VALIDATION',
      metadata: {
        title: 'Please provide a name that is 4 characters or more',
        industry: 'Choose an industry',
        workspace_title: 'Required',
      },
    })
  })

  test.each([
    ['{"title":', 400, 'MALFORMED_JSON'],
    ['{"__proto__":{"x":1},"title":"Shop"}', 400, 'MALFORMED_JSON'],
    ['[]', 400, 'VALIDATION'],
    ['null', 400, 'VALIDATION'],
    [`{"title":"${'x'.repeat(1_100_000)}"}`, 413, 'BODY_TOO_LARGE'],
  ])('the body %s returns %i %s', async (body, status, reason) => {
    const { call } = await start()
    const answer = await call('POST', '/organizations', body)
    expect([answer.status, errorBody.parse(answer.body).reason]).toEqual([status, reason])
  })

  test('a form is refused with 415', async () => {
    const { app } = await start()
    const answer = await app.inject({
      method: 'POST',
      url: '/api/users:login',
      headers: { 'content-type': 'text/plain' },
      payload: '{}',
    })
    expect([answer.statusCode, errorBody.parse(answer.json()).reason]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  test('defaults are filled in, and an empty body is treated as an empty object', async () => {
    const seen: Given[] = []
    const keep: AnyHandler = async (given) => {
      seen.push(given)
      return {}
    }
    const { call } = await start({ 'users.logout': keep })
    expect((await call('POST', '/users:logout', {})).status).toBe(200)
    expect((await call('POST', '/users:logout')).status).toBe(200)
    expect(seen.map((given) => given.body)).toEqual([{}, {}])
    expect(seen[0]?.actor).toBe(actor)
  })

  test.each([
    ['POST', '/users:sendOtp', { email: 'a@b.co', action: 'login', acton: 'login' }, 'acton', 'action'],
    ['PATCH', '/workspaces/w?update_mask=title', { title: 'New', tilte: 'x' }, 'tilte', 'title'],
    ['GET', '/workspaces/w/sources?target_produkt=CDP', undefined, 'target_produkt', 'target_product'],
    ['PATCH', '/workspaces/w?updatemask=title', { title: 'New' }, 'updatemask', 'update_mask'],
  ] as const)(
    '%s %s with an unknown field returns 400 with that field and the nearest known one',
    async (verb, url, body, key, known) => {
      const { call } = await start()
      const answer = await call(verb, url, body)
      expect(answer.body).toMatchObject({
        code: 400,
        reason: 'VALIDATION',
        message: expect.stringContaining(`"${key}"`),
        metadata: { [key]: expect.stringContaining(`"${known}"`) },
      })
    },
  )

  test('an unknown field is reported together with errors of known fields', async () => {
    const { call } = await start()
    const answer = await call('POST', '/users:sendOtp', { mail: 'a@b.co', action: 'login' })
    expect(Object.keys(answer.body.metadata)).toEqual(['mail', 'email'])
  })

  test('unknown fields from a page of another build are ignored, and those from a page of this build are rejected', async () => {
    const { app } = await start({}, { pageBuild: 'this' })
    const send = async (build: string, query = '') =>
      (
        await app.inject({
          method: 'POST',
          url: `/api/users:sendOtp${query}`,
          headers: { [pageBuildHeader]: build },
          payload: { email: 'a@b.co', action: 'login', next: { version: 1 } },
        })
      ).json()
    expect(await send('other', '?since=2')).toMatchObject({ reason: 'REACHED' })
    expect(await send('this')).toMatchObject({ reason: 'VALIDATION', metadata: { next: expect.anything() } })
  })

  test.each(['-1', 'x'])('page_size=%s returns 400', async (size) => {
    const { call } = await start()
    const answer = await call('GET', `/workspaces/w/sources?page_size=${size}`)
    expect(answer.body).toMatchObject({ code: 400, metadata: { page_size: expect.any(String) } })
  })
})

describe('update_mask', () => {
  const patch = async (query: string, body: unknown) => {
    const seen: Given[] = []
    const { call } = await start({
      'sources.update': async (given) => {
        seen.push(given)
        return source
      },
    })
    const answer = await call('PATCH', `/workspaces/w/sources/s${query}`, body)
    return { status: answer.status, metadata: answer.body.metadata, body: seen[0]?.body }
  }
  const full = { title: 'New', enabled: false, name: 'ignored', app: {} }
  const all = { title: 'New', enabled: false, enforcement: 'block', schema: '{}' }

  test.each([
    ['', { title: 'New' }, { title: 'New' }],
    ['', full, { title: 'New', enabled: false }],
    ['?update_mask=', full, { title: 'New', enabled: false }],
    ['?update_mask=title', full, { title: 'New' }],
    ['?update_mask=title,enabled', full, { title: 'New', enabled: false }],
    ['?update_mask=title,name', full, { title: 'New' }],
    ['?update_mask=*', { ...all, name: 'ignored', app: {} }, all],
    ['?update_mask=*', { ...all, propertyId: '/user' }, { ...all, propertyId: '/user' }],
    ['?update_mask=schema', { ...all, schema_version: 4 }, { schema: '{}', schema_version: 4 }],
    ['?update_mask=schema', { ...all, propertyId: '/user' }, { schema: '{}', propertyId: '/user' }],
    ['?update_mask=title', { ...all, propertyId: '/user', schema_version: 4 }, { title: 'New' }],
    ['?update_mask=schema,propertyId', { ...all, propertyId: '/user' }, { schema: '{}', propertyId: '/user' }],
    ['', { ...all, schema_change: 'imported' }, { ...all, schema_change: 'imported' }],
    ['?update_mask=title', { title: 'New', enabled: 'broken' }, { title: 'New' }],
  ])('with the query %s, the body %j changes %j', async (query, body, expected) => {
    const { status, body: seen } = await patch(query, body)
    expect([status, seen]).toEqual([200, expected])
  })

  test.each([
    ['?update_mask=colour', full, 'update_mask'],
    ['?update_mask=title.x', full, 'update_mask'],
    ['?update_mask=title', { enabled: true }, 'title'],
    ['?update_mask=*', { title: 'New' }, 'enabled'],
    ['?update_mask=title', { title: '' }, 'title'],
    ['?update_mask=a&update_mask=b', full, 'update_mask'],
  ])('with the query %s, the body %j returns 400 and names the field', async (query, body, field) => {
    const answer = await patch(query, body)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.metadata)).toContain(field)
  })
})

describe('output', () => {
  test('a response is reduced to the fields of the contract', async () => {
    const { call } = await start({ 'sources.get': async () => ({ ...source, secret: 'x' }) })
    const answer = await call('GET', '/workspaces/w/sources/s')
    expect(answer.body).toEqual(source)
  })

  test('a response that breaks the contract is a fault: it is logged, and the response does not contain its text', async () => {
    const logged: object[] = []
    const logger = { ...silentLogger, error: (fields: object) => void logged.push(fields) }
    const { call } = await start({ 'sources.get': async () => ({ ...source, title: 5 }) }, { logger })
    const answer = await call('GET', '/workspaces/w/sources/s')
    expect(answer.body).toMatchObject({ code: 500, reason: 'INTERNAL', metadata: { error_id: expect.any(String) } })
    expect(logged).toMatchObject([{ errorId: answer.body.metadata.error_id }])
  })

  test('a response of a fault never contains the text of the error', async () => {
    const { call } = await start({ 'sources.get': async () => Promise.reject(new Error('password=hunter2')) })
    const answer = await call('GET', '/workspaces/w/sources/s')
    expect(answer.status).toBe(500)
    expect(JSON.stringify(answer.body)).not.toContain('hunter2')
  })

  test('a response cannot be cached, sniffed, or read by other origins', async () => {
    const { call } = await start({ 'sources.get': async () => source })
    for (const url of ['/workspaces/w/sources/s', '/users/u', '/nothing']) {
      const { headers } = await call('GET', url)
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      })
      expect(headers).not.toHaveProperty('access-control-allow-origin')
    }
  })
})

test('a held call, which blocked the thread, is rejected with the reason; other calls of its method are not', async () => {
  onTestFinished(() => setHeldWork(new Map()))
  const list = '/workspaces/w/sources'
  const { call } = await start()
  setHeldWork(new Map([[`call sources.list /api${list}?page_size=7 0 u`, 'It blocked the thread main twice']]))
  expect(await call('GET', `${list}?page_size=7`)).toMatchObject({
    status: 422,
    body: { reason: 'HELD', message: 'It blocked the thread main twice' },
  })
  expect((await call('GET', `${list}?page_size=8`)).body.reason).toBe('REACHED')
  expect((await call('GET', list)).body.reason).toBe('REACHED')
})

test('calls beyond a share get 429 with Retry-After, and their slot becomes free again', async () => {
  const gate = Promise.withResolvers<void>()
  const { call } = await start({ 'sources.get': () => gate.promise.then(() => source) }, { maxInFlight: 4 })
  const first = call('GET', '/workspaces/w/sources/s')
  const second = await call('GET', '/workspaces/w/sources/s')
  expect(second.body).toMatchObject({ code: 429, reason: 'RATE_LIMITED' })
  expect(second.headers['retry-after']).toBe('1')
  gate.resolve()
  expect((await first).status).toBe(200)
  expect((await call('GET', '/workspaces/w/sources/s')).status).toBe(200)
})

test('a client that disconnects aborts its call, which is not counted as a fault of the server', async () => {
  const began = Promise.withResolvers<AbortSignal>()
  const logged: object[] = []
  const counted: unknown[] = []
  const ended = Promise.withResolvers<void>()
  const metrics: Metrics = {
    ...noMetrics,
    count(name, _, labels) {
      if (name !== 'api_errors') return
      counted.push(labels)
      ended.resolve()
    },
  }
  const { app } = await start(
    {
      'sources.get': async ({ signal }) => {
        began.resolve(signal)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        throw signal.reason
      },
    },
    { metrics, logger: { ...silentLogger, error: (fields: object) => void logged.push(fields) } },
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const socket = connect(address.port, '127.0.0.1')
  socket.write('GET /api/workspaces/w/sources/s HTTP/1.1\r\nhost: x\r\nauthorization: Bearer good\r\n\r\n')
  const signal = await began.promise
  const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  socket.destroy()
  await aborted
  await ended.promise
  expect(counted).toEqual([{ code: '499' }])
  expect(logged).toEqual([])
})

describe('the API description', () => {
  test('the API description lists every method with its schemas and errors', async () => {
    const { call } = await start()
    const { body } = await call('GET', '/openapi.json', undefined, '')
    expect(body.openapi).toBe('3.1.0')
    for (const method of methodList) {
      const operation = body.paths[method.path][method.verb.toLowerCase()]
      expect(operation.operationId).toBe(method.name)
      const { $ref } = operation.responses['200'].content['application/json'].schema
      const { type, oneOf } = body.components.schemas[$ref.replace('#/components/schemas/', '')]
      expect(type === 'object' || oneOf.length > 1).toBe(true)
      expect(operation.responses['401'] !== undefined || method.access.scope === 'anybody').toBeTruthy()
      expect(operation.requestBody !== undefined).toBe(method.request !== undefined)
    }
  })

  test('the API description has a page that works without inline scripts and other origins', async () => {
    const { app } = await start()
    const page = await app.inject('/api/docs')
    expect(page.headers['content-security-policy']).toMatch(/script-src 'self';/)
    expect(page.body).not.toMatch(/<script>|https?:\/\/|onload=/)
    const loaded = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '')
    expect(loaded).toHaveLength(4)
    for (const path of loaded) {
      const answer = await app.inject(`/api/${path}`)
      expect([path, answer.statusCode]).toEqual([path, 200])
      expect(answer.body.length).toBeGreaterThan(50)
    }
    const dist = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
    const bundle = await app.inject('/api/docs/swagger-ui-bundle.js')
    expect(bundle.rawPayload.equals(await readFile(`${dist}/swagger-ui-bundle.js`))).toBe(true)
  })
})

test.each([
  ['ampersands', '&'.repeat(200_000)],
  ['question marks', '?'.repeat(200_000)],
  ['halves of keys', '&api'.repeat(50_000)],
  ['keys without an end', `&${'api_'.repeat(50_000)}`],
])('a URL of 200,000 characters is searched for API keys in linear time: %s', async (_what, query) => {
  const { app } = await start()
  const before = process.threadCpuUsage()
  const { statusCode } = await app.inject({ method: 'GET', url: `/api/workspaces?${query}` })
  const { user } = process.threadCpuUsage(before)
  expect(statusCode).toBe(401)
  // The search took 25 s when it began again at each ampersand.
  expect(user / 1000).toBeLessThan(2000)
})

test('an API key in a URL is rejected at any position in the query', async () => {
  const { app } = await start()
  const key = `api_${'a'.repeat(32)}`
  for (const query of [`key=${key}`, `a=1&b=${key}#x`, `&&&${key}`, `a?${key}&c`]) {
    const { statusCode, body } = await app.inject({ method: 'GET', url: `/api/workspaces?${query}` })
    expect([query, statusCode]).toEqual([query, 400])
    expect(body).toMatch(/key/i)
  }
})
