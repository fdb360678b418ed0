import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { DataQueryError, DeliveryError, RetryableError } from '@tributary/connector-kit'
import { startPeer } from '@tributary/connector-kit/testing'
import { afterEach, expect, test } from 'vitest'
import { databricksAccess } from '../../wire/databricks/testing-databricks.ts'
import { failure, rowsOf, sessionsAt } from './testing-session.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const secret = databricksAccess.client_secret
const ok = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
const open200 = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'

type Answer = { head: string /** A text after the head, which the server repeats endlessly. */; rest?: string }

/** Starts a server that gives the same answer to all requests. */
const startServer = async ({ head, rest }: Answer) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    const pour = (text: string): void => {
      if (!socket.writable) return
      if (socket.write(text)) setImmediate(pour, text)
      else socket.once('drain', () => pour(text))
    }
    socket.once('data', () => {
      socket.write(head)
      if (rest === undefined) socket.end()
      else pour(rest)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sessions = sessionsAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }, sessions.close)
  return sessions
}

test.each<[string, Answer, RegExp]>([
  ['a web page', { head: ok('<!doctype html><title>Hello</title>') }, /not respond as Databricks/],
  ['a list', { head: ok('[]') }, /not respond as Databricks/],
  ['null', { head: ok('null') }, /not respond as Databricks/],
  ['a token that is no text', { head: ok('{"access_token": {"a": 1}}') }, /not respond as Databricks/],
  ['a token with a line end', { head: ok('{"access_token": "a\\r\\nx: y"}') }, /not respond as Databricks/],
  ['a refusal of something in front', { head: 'HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n' }, /status 401/],
  ['a failure of something in front', { head: 'HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n' }, /status 503/],
  [
    'a redirect',
    { head: 'HTTP/1.1 302 Found\r\nlocation: https://example.com/login\r\ncontent-length: 0\r\n\r\n' },
    /^The server redirects \(status 302\)/,
  ],
  ['what is not HTTP', { head: 'SSH-2.0-OpenSSH_9.7\r\n' }, /not respond as Databricks/],
  ['an answer without end', { head: open200, rest: 'x'.repeat(65_536) }, /not respond as Databricks/],
  [
    'two gigabytes that are announced',
    { head: 'HTTP/1.1 200 OK\r\ncontent-length: 2147483648\r\n\r\n', rest: 'x'.repeat(65_536) },
    /not respond as Databricks/,
  ],
  [
    'a head without end',
    { head: 'HTTP/1.1 200 OK\r\n', rest: `a: ${'x'.repeat(1000)}\r\n` },
    /not respond as Databricks/,
  ],
  [
    'notices without end',
    { head: '', rest: 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000) },
    /more than 9,437,184 bytes/,
  ],
  ['nothing', { head: '' }, /reset|closed|ECONNRESET/i],
  [
    'the secret',
    { head: `HTTP/1.1 401 No\r\nconnection: close\r\n\r\n{"error":"x","error_description":"wrong: ${secret}"}` },
    /^Databricks does not accept the client ID and secret: wrong: \[redacted\]$/,
  ],
])('a server that responds with %s is not accepted as Databricks, and uses no memory', async (_, answer, words) => {
  const sessions = await startServer(answer)
  const error = await failure(sessions.open())
  expect(error).toBeInstanceOf(DeliveryError)
  expect((error as Error).message).toMatch(words)
  expect(String(error)).not.toContain(secret)
})

const succeeded = (rows: unknown, more: object = {}, result: object = {}): string =>
  JSON.stringify({
    statement_id: 'a',
    status: { state: 'SUCCEEDED' },
    manifest: { total_row_count: Array.isArray(rows) ? rows.length : 1, total_chunk_count: 1, ...more },
    result: { chunk_index: 0, data_array: rows, ...result },
  })
const columns = succeeded([['n', 'int', null]])

/**
 * Starts a server that signs in, describes one column `n`, and gives these texts to requests for the rows: the first to
 * the poll, the others to the chunks.
 */
const startRows = async (texts: readonly string[], described = columns) => {
  let statement = ''
  const peer = await startPeer(({ method, url, body }) => {
    const text = (value: string) => ({ status: 200, body: value })
    if (url === '/oidc/v1/token') return text('{"access_token":"oauth-token-1","expires_in":3600}')
    if (method === 'POST' && body !== '') statement = JSON.parse(body).statement
    if (method === 'POST') return text('{"statement_id":"a","status":{"state":"PENDING"}}')
    if (statement.startsWith('SELECT current_version')) return text(succeeded([['2026', 'me']]))
    if (statement.startsWith('DESCRIBE')) return text(described)
    const chunk = /\/chunks\/(\d+)$/.exec(url)?.[1] ?? '0'
    return text(texts[Number(chunk)] ?? texts.at(-1) ?? '')
  })
  const sessions = sessionsAt(peer.url.replace(/\/$/, ''))
  closing.push(peer.close, sessions.close)
  return { session: await sessions.open(), peer }
}

const next = { next_chunk_index: 1 }

test.each<[string, string[], abstract new (...given: never[]) => Error, RegExp]>([
  ['of which some are missing', [succeeded([['1']], { total_row_count: 2 })], RetryableError, /before the last row/],
  ['that are truncated', [succeeded([['1']], { truncated: true })], RetryableError, /before the last row/],
  ['with other columns', [succeeded([['1', '2']])], RetryableError, /other rows/],
  ['with other columns in one row', [succeeded([['1'], []])], RetryableError, /other rows/],
  ['that are numbers', [succeeded([[1]])], DeliveryError, /not respond as Databricks/],
  ['that are objects', [succeeded([{ n: '1' }])], DeliveryError, /not respond as Databricks/],
  ['that are lists', [succeeded([[['1']]])], DeliveryError, /not respond as Databricks/],
  ['that are a text', [succeeded('rows')], RetryableError, /before the last row/],
  ['broken off', [succeeded([['1'], ['2']]).slice(0, -30)], DeliveryError, /not respond as Databricks/],
  ['more than were asked for', [succeeded(Array.from({ length: 11 }, () => ['1']))], RetryableError, /other rows/],
  [
    'with other columns in a later chunk',
    [
      succeeded([['1']], { total_row_count: 2, total_chunk_count: 2 }, next),
      JSON.stringify({ chunk_index: 1, data_array: [['1', '2']] }),
    ],
    RetryableError,
    /other rows/,
  ],
  [
    'without their last chunk',
    [succeeded([['1']], { total_row_count: 2, total_chunk_count: 2 }, next), JSON.stringify({ chunk_index: 1 })],
    RetryableError,
    /other rows/,
  ],
  [
    'in chunks that go back',
    [
      succeeded([['1']], { total_row_count: 9, total_chunk_count: 9 }, next),
      JSON.stringify({ chunk_index: 1, data_array: [['1']], ...next }),
    ],
    RetryableError,
    /other rows/,
  ],
  [
    'in more chunks than announced',
    [succeeded([['1']], { total_row_count: 2, total_chunk_count: 1 }, next)],
    RetryableError,
    /other rows/,
  ],
  [
    'in links',
    [succeeded(null, {}, { data_array: undefined, external_links: [{ external_link: 'http://127.0.0.1:1/' }] })],
    RetryableError,
    /before the last row/,
  ],
  [
    'of a state that does not exist',
    [JSON.stringify({ statement_id: 'a', status: { state: 'GONE' } })],
    DeliveryError,
    /not respond as Databricks/,
  ],
  ['of no state', ['{}'], DeliveryError, /not respond as Databricks/],
])('rows %s are not treated as the complete result', async (_, texts, kind, words) => {
  const { session } = await startRows(texts)
  const error = await failure(rowsOf(session, { schema: 'a', table: 'b' }, 10))
  expect(error).toBeInstanceOf(kind)
  expect((error as Error).message).toMatch(words)
})

test('a row with the words of an answer in it is only a row', async () => {
  const value = '"data_array":[["x"]], "truncated": true }]} \\" \u0000 ü\u{1f600}'
  const { session } = await startRows([succeeded([[value], [null]])])
  expect(await rowsOf(session, { schema: 'a', table: 'b' }, 10)).toEqual([[value], [null]])
})

test('a query with two columns of one name is refused', async () => {
  const { session } = await startRows(
    [],
    succeeded([
      ['a', 'int', null],
      ['A', 'int', null],
    ]),
  )
  const error = await failure(session.describe({ schema: 'a', table: 'b' }))
  expect(error).toBeInstanceOf(DataQueryError)
  expect((error as Error).message).toMatch(/^The column A comes up twice/)
})

test('a chain of chunks without end stops at the number of rows that were asked for', async () => {
  const chunk = (at: number): string =>
    JSON.stringify({ chunk_index: at, data_array: [['1']], next_chunk_index: at + 1 })
  const endless = Array.from({ length: 50 }, (_, at) => chunk(at))
  const { session, peer } = await startRows([
    succeeded([['1']], { total_row_count: undefined, total_chunk_count: undefined }, next),
    ...endless.slice(1),
  ])
  expect(await failure(rowsOf(session, { schema: 'a', table: 'b' }, 10))).toBeInstanceOf(RetryableError)
  expect(peer.requests.filter(({ url }) => url.includes('chunks')).length).toBe(10)
})
