import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import {
  ConfigurationError,
  createEgressPolicy,
  createRequestClient,
  DataQueryError,
  type DataRow,
  DeliveryError,
  RetryableError,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type SnowflakePeer,
  startSnowflake,
  type TestAnswer,
  testAccess,
} from '../../wire/snowflake/testing-snowflake.ts'
import { openSession } from './session.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const opener = (origin: string) => () => {
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  closing.push(() => client.close())
  const { signal } = new AbortController()
  const context = {
    settings: { ...testAccess, max_seconds: undefined },
    connect: client.connect,
    signal,
    statementMs: 5000,
  }
  return openSession(context, origin)
}

const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

/** Starts a server that responds to each request with a head, and then endlessly with `rest`. */
const startServer = async (head: string, rest?: string) => {
  const server = createServer((socket: Socket) => {
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
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return opener(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

const ok = (body: string): string =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
const open200 = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'
const empty = (status: string, more = ''): string => `HTTP/1.1 ${status}\r\n${more}content-length: 0\r\n\r\n`

test.each<[string, string, string | undefined, RegExp]>([
  [
    'a web page',
    ok('<!doctype html><title>Hello</title>'),
    undefined,
    /^The server does not respond as Snowflake does/,
  ],
  ['a refusal of something in front', empty('401 No'), undefined, /does not accept the account.* \(status 401\)$/],
  ['a page of a host without an account', empty('404 No'), undefined, /^There is no such Snowflake account/],
  [
    'a failure of something in front',
    empty('503 No', 'retry-after: 7\r\n'),
    undefined,
    /busy or unavailable: status 503/,
  ],
  [
    'a redirect',
    empty('302 Found', 'location: http://127.0.0.1:1/\r\n'),
    undefined,
    /^The server redirects \(status 302/,
  ],
  ['what is not HTTP', 'SSH-2.0-OpenSSH_9.7\r\n', undefined, /HTTP|HPE_|closed|reset/i],
  ['an answer without end', open200, 'x'.repeat(65_536), /not respond as Snowflake/],
  [
    'an announcement of 2 GB',
    'HTTP/1.1 200 OK\r\ncontent-length: 2147483648\r\n\r\n',
    'x'.repeat(65_536),
    /not respond as/,
  ],
  ['a head without end', 'HTTP/1.1 200 OK\r\n', `a: ${'x'.repeat(1000)}\r\n`, /HPE_HEADER_OVERFLOW|headers|HTTP/],
  ['notices without end', '', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000), /more than 8,388,608 bytes/],
  ['a handle that is a path', ok('{"statementHandle":"../../evil"}'), undefined, /not respond as Snowflake/],
  ['a handle that is no text', ok('{"statementHandle":{"a":1}}'), undefined, /not respond as Snowflake/],
  ['a list', ok('[1]'), undefined, /not respond as Snowflake/],
  [
    'a code that is an object',
    'HTTP/1.1 422 No\r\ncontent-length: 11\r\n\r\n{"code":{}}',
    undefined,
    /not respond as Snow/,
  ],
  ['nothing', '', undefined, /reset|closed|ECONNRESET/i],
])('a server that responds with %s is not accepted as Snowflake, and uses no memory', async (_, head, rest, words) => {
  const open = await startServer(head, rest)
  const error = await failure(open())
  expect(error).toBeInstanceOf(DeliveryError)
  expect((error as Error).message).toMatch(words)
})

const about: (string | null)[] = ['9.40.1', 'TRIBUTARY', 'READER', 'SMALL', 'COMPANY']
const engine = {
  count: () => Promise.resolve(1),
  run: ({ sql }: { sql: string }) =>
    Promise.resolve({
      columns: sql.startsWith('SELECT CURRENT')
        ? about.map((name) => ({ name: name ?? '', type: 'text' }))
        : [{ name: 'N', type: 'fixed', precision: 38, scale: 0 }],
      rows: sql.startsWith('SELECT CURRENT')
        ? [about]
        : sql.endsWith('LIMIT 0')
          ? []
          : Array.from({ length: 6 }, (_, at) => [String(at)]),
    }),
}

type Instead = (path: string, index: number) => TestAnswer | undefined
/** Starts a peer whose sign-in and description succeed, and that responds to each further GET with `instead`. */
const startPeer = async (instead: Instead, isRows = (path: string) => !path.includes('partition')) => {
  const peer: SnowflakePeer = await startSnowflake({ engine, partRows: 2 })
  closing.push(() => peer[Symbol.asyncDispose]() as Promise<void>)
  const session = await opener(peer.origin)()
  closing.push(() => session[Symbol.asyncDispose]() as Promise<void>)
  let index = 0
  peer.set({
    instead: ({ method, path }) =>
      method === 'GET' && peer.statements.at(-1)?.sql.includes('ROWS_OF_MODEL') === true && isRows(path)
        ? instead(path, index++)
        : undefined,
  })
  const read = async (): Promise<DataRow[]> => {
    const rows: DataRow[] = []
    for await (const batch of session.read({ schema: 'A', table: 'B' }, 10)) rows.push(...batch)
    return rows
  }
  return { peer, session, read }
}

const isPart = (path: string): boolean => path.includes('partition')
const numbers = ['0', '1', '2', '3', '4', '5'].map((n) => [n])
const json = (status: number, body: unknown, headers = {}): TestAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
const meta = (more: object = {}) => ({
  numRows: 1,
  rowType: [{ name: 'N', type: 'fixed' }],
  partitionInfo: [{ rowCount: 1 }],
  ...more,
})

describe('a result that is not what was asked for', () => {
  test.each<[string, TestAnswer, new (...given: never[]) => Error, RegExp]>([
    ['a web page', { status: 200, body: '<html>' }, ConfigurationError, /not respond as Snowflake/],
    ['nothing', { status: 200, body: '' }, ConfigurationError, /not respond as Snowflake/],
    ['rows without a description', json(200, { data: [['1']] }), ConfigurationError, /not respond as Snowflake/],
    ['a description without rows', json(200, { resultSetMetaData: meta() }), ConfigurationError, /not respond as Snow/],
    ['a message', json(200, { resultSetMetaData: meta(), data: 'done' }), ConfigurationError, /not respond as Snow/],
    ['other columns', json(200, { data: [['1', '2']], resultSetMetaData: meta() }), ConfigurationError, /not respond/],
    [
      'more columns than were described',
      json(200, {
        resultSetMetaData: meta({
          rowType: [
            { name: 'A', type: 'x' },
            { name: 'B', type: 'x' },
          ],
        }),
        data: [],
      }),
      ConfigurationError,
      /not respond as/,
    ],
    ['a number', json(200, { resultSetMetaData: meta(), data: [[1]] }), ConfigurationError, /not respond as Snowflake/],
    [
      'an object',
      json(200, { resultSetMetaData: meta(), data: [[{}]] }),
      ConfigurationError,
      /not respond as Snowflake/,
    ],
    [
      'rows that are no lists',
      json(200, { resultSetMetaData: meta(), data: ['1'] }),
      ConfigurationError,
      /not respond/,
    ],
    [
      'a broken end',
      { status: 200, body: '{"resultSetMetaData":{},"data":[["1"],["2' },
      ConfigurationError,
      /not resp/,
    ],
    [
      'too few rows',
      json(200, { resultSetMetaData: meta({ numRows: 3 }), data: [['1']] }),
      RetryableError,
      /before the/,
    ],
    [
      'too many rows',
      json(200, { resultSetMetaData: meta(), data: [['1'], ['2']] }),
      RetryableError,
      /before the last/,
    ],
    [
      'no number of rows',
      json(200, { resultSetMetaData: meta({ numRows: '1' }), data: [] }),
      ConfigurationError,
      /not r/,
    ],
    [
      'a row without end',
      { status: 200, body: `{"data":[["${'x'.repeat(17 * 1024 * 1024)}"]]}` },
      DataQueryError,
      /^The rows are too large: one has more than 16 MB$/,
    ],
    [
      'a description without end',
      { status: 200, body: `{"message":"${'x'.repeat(20 * 1024 * 1024)}"}` },
      ConfigurationError,
      /not respond as/,
    ],
    ['bytes that are not zipped', { status: 200, headers: { 'content-encoding': 'gzip' }, body: 'xx' }, Error, /./],
    [
      'a refusal',
      json(422, { code: '100038', message: "Numeric value 'a' is not recognized" }),
      DataQueryError,
      /^Numeric/,
    ],
    ['a refusal without words', json(422, { code: '100038' }), DataQueryError, /^status 422 \(100038\)$/],
    [
      'a suspended account',
      json(422, {
        code: '000666',
        message: 'SQL compilation error: Your account is suspended due to lack of payment method.',
      }),
      ConfigurationError,
      /^The account is suspended: SQL compilation error: Your account is suspended due to lack of payment method\. \(000666\)$/,
    ],
    [
      'a network policy',
      json(403, { code: '390422', message: 'not allowed' }),
      ConfigurationError,
      /^A network policy/,
    ],
  ])('%s is not treated as the complete result', async (_, answer, kind, words) => {
    const { read } = await startPeer(() => answer)
    const error = await failure(read())
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(kind)
  })

  test('a query with two columns of one name is refused', async () => {
    const peer = await startSnowflake({
      engine: {
        ...engine,
        run: async ({ sql }) =>
          sql.includes('CURRENT_')
            ? engine.run({ sql })
            : { columns: [1, 2].map(() => ({ name: 'A', type: 'text' })), rows: [] },
      },
    })
    closing.push(() => peer[Symbol.asyncDispose]() as Promise<void>)
    await using session = await opener(peer.origin)()
    expect(await failure(session.describe({ sql: 'select 1 as a, 2 as a' }))).toEqual(
      new DataQueryError('The column A comes up twice. Give each column a name of its own'),
    )
  })
})

describe('failures that pass', () => {
  test.each<[string, Instead]>([
    [
      'a rate limit',
      (_, index) => (index < 3 ? json(429, { code: '391908', message: 'Too many requests' }) : undefined),
    ],
    ['a failure of the service', (_, index) => (index < 3 ? { status: 503 } : undefined)],
  ])('%s while a query runs is waited for', async (_, instead) => {
    const { read } = await startPeer(instead)
    expect(await read()).toEqual(numbers)
  })

  test('a rate limit that stays fails with the time that the service names', async () => {
    const { read } = await startPeer(() =>
      json(429, { code: '391908', message: 'Too many requests' }, { 'retry-after': '0' }),
    )
    const error = await failure(read())
    expect(error).toBeInstanceOf(RetryableError)
    expect(error).toMatchObject({ retryAfterMs: 0, message: expect.stringContaining('Too many requests') })
  })

  test.each<[string, TestAnswer]>([
    ['with a failure', { status: 500 }],
    ['with a rate limit', { status: 429, headers: { 'retry-after': '0' } }],
    ['with a break after one row', { status: 200, headers: { 'content-length': '900' }, body: '{"data":[["2"],["3' }],
  ])('a part that responds %s is requested again, and each row arrives once', async (_, answer) => {
    const { read } = await startPeer((__, index) => (index === 0 ? answer : undefined), isPart)
    expect(await read()).toEqual(numbers)
  })

  test.each<[string, TestAnswer, RegExp]>([
    ['other columns', json(200, { data: [['2', '3']] }), /not respond as Snowflake/],
    ['fewer rows', json(200, { data: [['2']] }), /before the last row/],
    [
      'a bomb',
      { status: 200, headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(600 * 1024 * 1024, ' ')) },
      /not resp/,
    ],
  ])('a part with %s is not treated as complete', async (_, answer, words) => {
    const { read } = await startPeer((__, index) => (index === 0 ? answer : undefined), isPart)
    expect(((await failure(read())) as Error).message).toMatch(words)
  })

  test('a lost response to a statement does not run it twice', async () => {
    const { peer, session } = await startPeer(() => undefined)
    let isLost = false
    peer.set({
      after: ({ method, path }) => {
        if (method !== 'POST' || path.includes('cancel') || isLost) return false
        isLost = true
        return true
      },
    })
    expect(await session.describe({ schema: 'A', table: 'B' })).toEqual([{ name: 'N', type: 'numeric(38,0)' }])
    expect(peer.requests.filter((each) => each.includes('retry=true'))).toHaveLength(1)
    expect(peer.statements.filter(({ sql }) => sql.endsWith('LIMIT 0'))).toHaveLength(1)
  })
})
