import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevOutbox } from './mail/dev-outbox.ts'
import { createOperations } from './operations.ts'

const operations = createOperations({ parts: async () => ({}), metrics: async () => 'tributary_up 1\n', version: '1' })
const outbox = createDevOutbox({ newest: async () => [] })
const server = createServer((asked, answer) =>
  (asked.url === '/dev/outbox' ? outbox : operations).handle(asked, answer),
)
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => void server.close())

const statusOf = (path: string, headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

test.each(['/metrics', '/dev/outbox'])('%s is shown to this machine under its own names only', async (path) => {
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', `[::1]:${port}`, '127.0.0.53'])
    expect(await statusOf(path, { host }), host).toBe(200)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'x@localhost',
  ])
    expect(await statusOf(path, { host }), host).toBe(403)
  expect(await statusOf(path, { host: 'localhost', 'x-forwarded-for': '198.51.100.7' })).toBe(403)
})

test('health is shown under any name', async () => {
  expect(await statusOf('/health/live', { host: 'evil.example' })).toBe(200)
})
