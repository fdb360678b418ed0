import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer, type LookupFunction, type Socket } from 'node:net'
import {
  createEgressPolicy,
  createRequestClient,
  DataQueryError,
  DeliveryError,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { selfSigned } from '@tributary/connector-kit/testing'
import { silentLogger } from '@tributary/kernel'
import { afterEach, expect, test } from 'vitest'
import { clickhouse } from './definition.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const ok = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
const open200 = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'
const about = (end: string): Answer => ({ head: ok(`26.7.2.1\treader\t0\turl,numbers\n${end}`) })

type Answer = { head: string /** A text after the body, which the server repeats endlessly. */; rest?: string }

/** Every host name resolves to this machine. */
const lookup: LookupFunction = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

/** Opens sessions with these settings. */
const opener =
  (access: { host: string; port: number; tls: string }) =>
  (given: Record<string, unknown> = {}) => {
    const checked = validateSettings(clickhouse, { database: 'a', user: 'b', ...access, ...given })
    if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
    const egress = createEgressPolicy({ allow: ['127.0.0.0/8'] })
    const client = createRequestClient({ egress, logger: silentLogger, lookup })
    closing.push(() => client.close())
    const { signal } = new AbortController()
    return clickhouse.open({ settings: checked.settings, connect: client.connect, signal, statementMs: 5000 })
  }

/**
 * Starts a server that accepts the sign-in, and responds to each later statement with the result of `answerTo`, which
 * gets the end mark.
 */
const startServer = async (answerTo: (sql: string, end: string) => Answer) => {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    let received = ''
    const pour = (text: string): void => {
      if (!socket.writable) return
      if (socket.write(text)) setImmediate(pour, text)
      else socket.once('drain', () => pour(text))
    }
    socket.on('data', (chunk) => {
      received += String(chunk)
      const [head = '', body = ''] = received.split('\r\n\r\n')
      if (body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 1)) return
      received = ''
      const end = new URLSearchParams(head.split(/[ ?]/)[2]).get('format_custom_result_after_delimiter') ?? ''
      const { head: first, rest } = answerTo(body, end)
      socket.write(first)
      if (rest === undefined) socket.end()
      else pour(rest)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return opener({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, tls: 'off' })
}

const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

test.each<[string, Answer, RegExp]>([
  [
    'a web page',
    { head: ok('<!doctype html><title>Hello</title>') },
    /^The server does not respond as ClickHouse does$/,
  ],
  ['a refusal of something in front', { head: 'HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n' }, /status 401/],
  ['a failure of something in front', { head: 'HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n' }, /status 503/],
  ['what is not HTTP', { head: 'SSH-2.0-OpenSSH_9.7\r\n' }, /not respond as ClickHouse/],
  ['an answer without end', { head: open200, rest: 'x'.repeat(65_536) }, /not respond as ClickHouse/],
  [
    'a head without end',
    { head: 'HTTP/1.1 200 OK\r\n', rest: `a: ${'x'.repeat(1000)}\r\n` },
    /not respond as ClickHouse/,
  ],
  [
    'notices without end',
    { head: '', rest: 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000) },
    /more than 8,388,608 bytes/,
  ],
  ['nothing', { head: '' }, /reset|closed|ECONNRESET/i],
])('a server that responds with %s is not accepted as ClickHouse, and uses no memory', async (_, answer, words) => {
  const open = await startServer(() => answer)
  const error = await failure(open())
  expect(error).toBeInstanceOf(DeliveryError)
  expect((error as Error).message).toMatch(words)
})

const columns = (end: string): Answer => ({ head: ok(`n\tUInt8\t\t\t\t\t\n${end}`) })

test('a description with endless columns fails without using memory', async () => {
  const open = await startServer((sql, end) =>
    sql.startsWith('SELECT version()') ? about(end) : { head: open200, rest: 'n\tUInt8\t\t\t\t\t\n'.repeat(1000) },
  )
  await using session = await open()
  expect(await failure(session.describe({ schema: 'a', table: 'b' }))).toBeInstanceOf(DeliveryError)
})

test('over TLS, only a server with a certificate of the given authority is queried', async () => {
  const server = createSecureServer(selfSigned, (request, response) => {
    const end = new URL(request.url ?? '', 'https://a').searchParams.get('format_custom_result_after_delimiter') ?? ''
    response.end(`26.7.2.1\treader\t0\turl\n${end}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => server.close())
  const open = opener({ host: 'hooks.example.com', port: (server.address() as AddressInfo).port, tls: 'verify' })
  expect(await failure(open())).toBeInstanceOf(RetryableError)
  expect(await failure(open({ ca_certificate: selfSigned.cert, host: 'other.example.com' }))).toBeInstanceOf(
    RetryableError,
  )
  await using session = await open({ ca_certificate: selfSigned.cert })
  expect(await session.about()).toBe('Connected to ClickHouse 26.7.2.1 as reader.')
})

test.each<[string, (end: string) => Answer, new (...given: never[]) => Error, RegExp]>([
  ['without their end', () => ({ head: `${open200}1\n2\n` }), RetryableError, /before the last row/],
  ['broken off in a row', () => ({ head: `${open200}1\n2` }), RetryableError, /before the last row/],
  [
    'shorter than announced',
    (end) => ({ head: `HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n1\n${end}` }),
    RetryableError,
    /reset|closed|ECONNRESET/i,
  ],
  ['with the end of another answer', () => ({ head: `${open200}1\n${'a'.repeat(32)}` }), RetryableError, /before/],
  [
    'with an exception behind them',
    () => ({ head: `${open200}1\nCode: 395. DB::Exception: too bad (FUNCTION_THROW)\n` }),
    DataQueryError,
    /^too bad/,
  ],
  [
    'that take too long, as an older server says it',
    () => ({ head: `${open200}1\n2Code: 159. DB::Exception: Timeout exceeded (version 22.8.1)` }),
    DataQueryError,
    /^The query did not finish within 5 seconds$/,
  ],
  ['of which one has no end', () => ({ head: open200, rest: 'x'.repeat(65_536) }), DataQueryError, /^The rows are too/],
  ['with other columns', (end) => ({ head: ok(`1\t2\n${end}`) }), RetryableError, /before the last row/],
])('rows %s are not treated as the complete result', async (_, rows, kind, words) => {
  const open = await startServer((sql, end) =>
    sql.startsWith('SELECT version()') ? about(end) : sql.startsWith('DESCRIBE') ? columns(end) : rows(end),
  )
  await using session = await open()
  const reading = async (): Promise<void> => {
    for await (const batch of session.read({ schema: 'a', table: 'b' }, 10)) expect(batch.length).toBeGreaterThan(0)
  }
  const error = await failure(reading())
  expect(error).toBeInstanceOf(kind)
  expect((error as Error).message).toMatch(words)
})
