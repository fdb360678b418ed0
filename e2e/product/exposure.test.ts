import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  adminCredentials,
  commandEnvironment,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  processFamily,
  readMetrics,
  startProduct,
} from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { post, storedEvents, track } from './calls.ts'

const root = new URL('../..', import.meta.url).pathname

let product: Product
let workspace: string
/** Servers at addresses that no destination may use, and the number of connections to them. */
let trap: { port: number; visits: number; servers: Server[] }

beforeAll(async () => {
  trap = { port: 0, visits: 0, servers: [] }
  for (const host of ['127.0.0.1', '::1']) {
    const server = createServer((socket) => {
      trap.visits += 1
      socket.destroy()
    })
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(trap.port, host, () => resolve(true))
    })
    if (!listening) continue
    trap.servers.push(server)
    const address = server.address()
    if (typeof address === 'object' && address !== null) trap.port = address.port
  }
  product = await startProduct({ env: { TRIBUTARY_EGRESS_ALLOW: '' } })
  await product.api.login(adminCredentials)
  workspace = (await createWorkspace(product.api)).workspace
})
afterAll(async () => {
  await product?.[Symbol.asyncDispose]()
  for (const server of trap.servers) server.close()
})

test('no destination reaches this machine or a private network, in any notation of the address, and the log has the reason', async () => {
  const { source, key } = await createSource(product.api, workspace, 'Guarded')
  const { port } = trap
  const urls = [
    `http://127.0.0.1:${port}/`,
    `http://127.1:${port}/`,
    `http://2130706433:${port}/`,
    `http://0x7f.0.0.1:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://localhost:${port}/`,
    `http://localhost.:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::ffff:7f00:1]:${port}/`,
    `http://[64:ff9b::7f00:1]:${port}/`,
    `http://[2002:7f00:1::]:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1/',
    'http://192.168.0.1/',
    'http://100.64.0.1/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
  ]
  const destinations: string[] = []
  for (const [index, url] of urls.entries())
    destinations.push(await createWebhook(product.api, workspace, source, { url }, `Guarded ${index}`))
  expect((await post(product, '/v1/track', key, track('guarded-1'))).status).toBe(200)
  const outcomes = await Promise.all(
    destinations.map((destination, index) =>
      eventually(`an attempt for ${urls[index]}`, async () => {
        const { deliveries } = await product.api.ok('GET', `/${destination}/deliveries`)
        const [attempt] = deliveries as { reason: string; http_status: number; status: string }[]
        return attempt !== undefined && { url: urls[index], ...attempt }
      }),
    ),
  )
  const passed = outcomes.filter(
    ({ reason, http_status }) =>
      http_status !== 0 || !/not public\. .* TRIBUTARY_EGRESS_ALLOW|does not exist/.test(reason),
  )
  expect(passed).toEqual([])
  expect(trap.visits).toBe(0)
  // No event is lost: the events wait until the address is allowed.
  const { waiting } = await product.api.ok('GET', `/${destinations[0]}/deliveries`)
  expect(waiting).toMatchObject({ event_count: 1 })
})

describe('the other served files and pages', () => {
  test.each([
    ['/health/live', 200, /application\/json/, /"ok":true/],
    ['/health/ready', 200, /application\/json/, /"relational":\{"ok":true\}/],
    ['/health', 200, /application\/json/, /"ok":true/],
    ['/version', 200, /application\/json/, /"version":"\d+\.\d+\.\d+"/],
    ['/robots.txt', 200, /text\/plain/, /Disallow: \//],
    ['/docs/webhook', 200, /text\/html/, /X-Tributary-Signature/],
    ['/api/nothing', 404, /application\/json/, /NO_SUCH_CALL/],
    ['/assets/nothing.js', 404, /text\/plain/, /Not found/],
    ['/nothing', 404, /text\/html/, /<title>/],
    ['/auth/login', 200, /text\/html/, /<title>/],
  ])('the path %s has the expected status, type, and content', async (path, status, type, body) => {
    const answer = await fetch(`${product.url}${path}`)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toMatch(type)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await answer.text()).toMatch(body)
  })

  test.each(['GET', 'POST'])('%s of an unknown path of collection returns 404', async (method) => {
    expect((await fetch(`${product.url}/v1/nothing`, { method })).status).toBe(404)
  })

  test('the outbox of unsent mail is not shown outside of development', async () => {
    expect(await (await fetch(`${product.url}/dev/outbox`)).text()).not.toContain('<h1>Outbox</h1>')
  })

  test('/metrics requires its token, even from this machine, and each of its lines is well-formed', async () => {
    expect((await fetch(`${product.url}/metrics`)).status).toBe(401)
    const answer = await readMetrics(product.url)
    expect(answer.headers.get('content-type')).toMatch(/text\/plain; version=0\.0\.4/)
    const text = await answer.text()
    const line =
      /^(#.*|[a-zA-Z_:][a-zA-Z0-9_:]*(\{[a-zA-Z0-9_]+="[^"\n]*"(,[a-zA-Z0-9_]+="[^"\n]*")*\})? -?[\d.eE+-]+|.* (NaN|Nan|[+-]Inf))?$/
    expect(text.split('\n').filter((each) => !line.test(each))).toEqual([])
    for (const name of ['collect_requests_total', 'collect_accepted_bytes_total', 'pipeline_rows_stored_total'])
      await eventually(name, async () => (await (await readMetrics(product.url)).text()).includes(`tributary_${name}`))
    expect(text).not.toMatch(/_total_total|_milliseconds/)
    expect(text).toMatch(/tributary_supervisor_child_ready\{child="postgres"\} 1/)
  })

  test('the page and every response of the API have a strict policy, without CORS for other origins', async () => {
    const page = await fetch(`${product.url}/`)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/default-src 'self'/)
    expect(policy).toMatch(/frame-ancestors 'none'/)
    expect(/script-src[^;]*/.exec(policy)?.[0]).not.toMatch(/unsafe|\*|http/)
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    for (const [method, path] of [
      ['GET', '/api/openapi.json'],
      ['GET', '/api/workspaces'],
      ['OPTIONS', '/api/users:login'],
      ['POST', '/api/users:login'],
      ['GET', '/'],
      ['GET', '/health/ready'],
    ] as const) {
      const answer = await fetch(`${product.url}${path}`, {
        method,
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      })
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    }
    const collected = await fetch(`${product.url}/v1/t`, {
      method: 'OPTIONS',
      headers: { origin: 'https://shop.example' },
    })
    expect([collected.status, collected.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://shop.example',
    ])
  })

  test.each([
    ['GET', '/api/nothing', 404],
    ['GET', '/api', 404],
    ['DELETE', '/api/users:login', 404],
    ['GET', '/api/workspaces/%E0%A4%A/sources', 400],
    ['GET', '/api/workspaces', 401],
    ['GET', '/v1/nothing', 404],
    ['GET', '/v1/track', 405],
  ])('%s %s is refused with code, reason, message, and metadata', async (method, path, status) => {
    const answer = await fetch(`${product.url}${path}`, { method })
    const body = (await answer.json()) as Record<string, unknown>
    expect([answer.status, body.code]).toEqual([status, status])
    expect(Object.keys(body).toSorted()).toEqual(['code', 'message', 'metadata', 'reason'])
  })

  test('HEAD responds like GET without a body', async () => {
    for (const path of ['/', '/api/openapi.json', '/health/live']) {
      const answer = await fetch(`${product.url}${path}`, { method: 'HEAD' })
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, ''])
    }
  })

  test('a request that is not HTTP is refused with code, reason, message, and metadata', async () => {
    const text = await new Promise<string>((resolve) => {
      let read = ''
      const socket = connect(Number(new URL(product.url).port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'))
      socket.on('data', (chunk) => {
        read += chunk.toString()
      })
      socket.on('close', () => resolve(read))
    })
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(JSON.parse(text.slice(text.indexOf('\r\n\r\n')))).toMatchObject({ code: 400, reason: 'MALFORMED_REQUEST' })
  })
})

type OpenApi = { openapi: string; info: { title: string; version: string }; paths: Record<string, unknown> }

test('the API description is OpenAPI 3.1, and its page loads only from this server', async () => {
  const document = (await (await fetch(`${product.url}/api/openapi.json`)).json()) as OpenApi
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info.version).toMatch(/^\d/)
  expect(Object.keys(document.paths).length).toBeGreaterThan(30)
  const page = await fetch(`${product.url}/api/docs`)
  expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/)
  const html = await page.text()
  const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '')
  for (const link of links) {
    const asset = await fetch(new URL(link, `${product.url}/api/docs`))
    expect([link, asset.status, new URL(asset.url).origin]).toEqual([link, 200, product.url])
  }
})

test("no process of the product has the first administrator's password in its environment", async () => {
  const family = processFamily(product.pid)
  expect(family.length).toBeGreaterThan(1)
  for (const pid of family) {
    // A backend of PostgreSQL can have ended meanwhile.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    // PostgreSQL overwrites its environment with the titles of its processes.
    if (pid === product.pid) expect(environment).toContain('PATH=')
    expect(environment).not.toContain(adminCredentials.password)
    expect(environment).not.toContain('TRIBUTARY_ADMIN_PASSWORD=')
  }
})

test('the demo sends the requested events to a running product, into a new workspace', async () => {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      join(root, 'scripts/demo.ts'),
      '--url',
      product.url,
      '--events',
      '5',
      '--rate',
      '50',
    ],
    {
      env: {
        ...commandEnvironment,
        TRIBUTARY_ADMIN_EMAIL: adminCredentials.email,
        TRIBUTARY_ADMIN_PASSWORD: adminCredentials.password,
      },
    },
  )
  expect(stdout).toContain('Sent 5 events')
  const source = /(workspaces\/\S+\/sources\/\S+)/.exec(stdout)?.[1] ?? ''
  await eventually('stored', async () => (await storedEvents(product, source, '&status=accepted')).length === 5)
})
