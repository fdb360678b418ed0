import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevOutbox } from '../mail/dev-outbox.ts'
import { createOperations } from '../operations/operations.ts'
import { createTokenCheck, loadMetricsToken } from './metrics-token.ts'

const token = 'a-token-of-some-length'
const operations = createOperations({
  parts: async () => ({}),
  metrics: async () => 'tributary_up 1\n',
  mayReadMetrics: createTokenCheck(token),
  version: '1',
})
const outbox = createDevOutbox({ newest: async () => [] }, createTokenCheck(token, { inAddress: true }))
const server = createServer((asked, answer) =>
  (asked.url?.startsWith('/dev/outbox') === true ? outbox : operations).handle(asked, answer),
)
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

const statusOf = (path: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })
const bearer = (text: string) => ({ authorization: `Bearer ${text}` })

test.each(['/metrics', '/dev/outbox'])('%s requires its token, even for requests from this machine', async (path) => {
  expect(await statusOf(path, bearer(token))).toBe(200)
  expect(await statusOf(path, { ...bearer(token), host: 'metrics.example', 'x-forwarded-for': '198.51.100.7' })).toBe(
    200,
  )
  // Requests like those of a proxy on the same machine, with and without a header that a proxy adds.
  for (const host of [`127.0.0.1:${port}`, 'localhost', `[::1]:${port}`, 'evil.example'])
    expect([host, await statusOf(path, { host })]).toEqual([host, 401])
  for (const name of ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'x-forwarded-host'])
    expect([name, await statusOf(path, { host: 'localhost', [name]: '127.0.0.1' })]).toEqual([name, 401])
  for (const wrong of ['', 'x', token.slice(1), `${token}x`, token.toUpperCase()])
    expect([wrong, await statusOf(path, bearer(wrong))]).toEqual([wrong, 401])
  expect(await statusOf(path, { authorization: `Basic ${btoa(`:${token}`)}` })).toBe(401)
})

test('only the outbox page accepts the token in the URL, since a scraper would log it', async () => {
  expect(await statusOf(`/dev/outbox?token=${token}`)).toBe(200)
  expect(await statusOf('/dev/outbox?token=')).toBe(401)
  expect(await statusOf(`/metrics?token=${token}`)).toBe(401)
})

test('health is served under any host name', async () => {
  expect(await statusOf('/health/live', { host: 'evil.example' })).toBe(200)
})

test('without a configured token, a long one is generated once, readable only for this account', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-metrics-'))
  const umask = process.umask(0o022)
  try {
    chmodSync(folder, 0o755)
    const made = await loadMetricsToken(folder, undefined)
    expect(made.length).toBeGreaterThanOrEqual(43)
    const file = join(folder, 'metrics.token')
    expect([readFileSync(file, 'utf8').trim(), statSync(file).mode & 0o777]).toEqual([made, 0o600])
    expect(await loadMetricsToken(folder, undefined)).toBe(made)
    expect(await loadMetricsToken(folder, 'configured-one-of-mine')).toBe('configured-one-of-mine')
  } finally {
    process.umask(umask)
    rmSync(folder, { recursive: true, force: true })
  }
})
