import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import {
  ConfigurationError,
  createEgressPolicy,
  createRequestClient,
  type DataSourceSession,
  DeliveryError,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { afterEach, expect, test, vi } from 'vitest'
import { digestReply } from '../../wire/redshift/digest.ts'
import { redshift } from './definition.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const int = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeInt32BE(value, at * 4)
  return bytes
}
const short = (value: number): Buffer => Buffer.from([value >> 8, value & 255])

/** Returns a message of the server (PostgreSQL, "Message Formats"): its kind, its length, and its content. */
const message = (kind: string, content: Buffer = Buffer.alloc(0), announced = content.length + 4): Buffer =>
  Buffer.concat([Buffer.from(kind), int(announced), content])
const ready = message('Z', Buffer.from('T'))
const signedIn = Buffer.concat([message('R', int(0)), message('K', int(7, 9)), ready])
const done = Buffer.concat([message('C', Buffer.from('DONE\0')), ready])
const prepared = Buffer.concat([message('1'), message('2')])
const error = (state: string, words: string): Buffer => message('E', Buffer.from(`SERROR\0C${state}\0M${words}\0\0`))
const columns = (...names: readonly string[]): Buffer =>
  message(
    'T',
    Buffer.concat([
      short(names.length),
      ...names.map((name) =>
        Buffer.concat([Buffer.from(`${name}\0`), int(0), short(0), int(25), short(0), int(-1), short(0)]),
      ),
    ]),
  )
const row = (...values: readonly string[]): Buffer =>
  message(
    'D',
    Buffer.concat([short(values.length), ...values.flatMap((value) => [int(value.length), Buffer.from(value)])]),
  )
const filler = Buffer.alloc(64 * 1024, 0x61)
const gigabytes = 2 ** 31 - 1
const emptyRows = Buffer.concat(Array.from({ length: 8000 }, () => row()))

/** What a server sends to a sign-in and to each statement; `rest` follows without end. */
type Script = {
  signIn?: Buffer
  answer?: (statement: string, fetches: number) => Buffer | undefined
  rest?: Buffer
}

const startServer = async ({ signIn = signedIn, answer, rest }: Script) => {
  const received: Buffer[] = []
  let sent = 0
  let fetches = 0
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.on('close', () => {
      sent = Math.max(sent, socket.bytesWritten)
    })
    const flood = (): void => {
      while (rest !== undefined && socket.writable) if (!socket.write(rest)) return
    }
    let started = false
    socket.on('data', (data: Buffer) => {
      received.push(data)
      if (!started) {
        started = true
        socket.write(signIn)
        if (signIn === signedIn || rest === undefined) return
      } else {
        const text = data.toString('latin1')
        if (text.includes('fetch forward')) fetches++
        const given = answer?.(text, fetches)
        socket.write(given ?? (text.startsWith('Q') ? done : Buffer.concat([prepared, message('n'), done])))
        if (given === undefined || rest === undefined) return
      }
      socket.on('drain', flood)
      flood()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return { port: (server.address() as AddressInfo).port, sent: () => sent, received }
}

const openAt = async (port: number): Promise<DataSourceSession> => {
  const given = { host: '127.0.0.1', port, database: 'd', user: 'u', password: 'secret-word', tls: 'off' }
  const checked = validateSettings(redshift, given)
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  closing.push(() => client.close())
  const { signal } = new AbortController()
  return await redshift.open({ settings: checked.settings, connect: client.connect, signal, statementMs: 5000 })
}

const readAll = async (port: number): Promise<unknown[]> => {
  const session = await openAt(port)
  const rows: unknown[] = []
  for await (const batch of session.read({ sql: 'select 1' }, 2000)) rows.push(...batch)
  return rows
}

const mebibyte = 1024 * 1024
const inMemory = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const onFetch =
  (bytes: Buffer) =>
  (statement: string): Buffer | undefined =>
    statement.includes('fetch forward') ? bytes : undefined
const page = (...parts: readonly Buffer[]): Buffer => Buffer.concat([prepared, ...parts, done])

test.each<[string, Script, RegExp]>([
  ['announces a row of 2 GB', { answer: onFetch(message('D', Buffer.alloc(0), gigabytes)), rest: filler }, /too large/],
  ['announces an error of 2 GB', { answer: onFetch(message('E', Buffer.alloc(0), gigabytes)), rest: filler }, /large/],
  ['sends rows without end', { answer: onFetch(columns()), rest: emptyRows }, /too large/],
  [
    'announces 2 GB instead of letting in',
    { signIn: message('R', int(0), gigabytes), rest: filler },
    /more than 8,388/,
  ],
  [
    'sends notices without end instead of letting in',
    { signIn: Buffer.alloc(0), rest: message('N', Buffer.from('Mhello\0\0')) },
    /more than 8,388,608 bytes/,
  ],
  ['answers with a page of HTML', { signIn: Buffer.from('HTTP/1.1 200 OK\r\n\r\n<html>') }, /./],
  [
    'answers with a redirect',
    { signIn: Buffer.from('HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n'), rest: filler },
    /./,
  ],
  ['asks for an unknown kind of sign-in', { signIn: message('R', int(99)) }, /does not respond as a database/],
  ['asks for a digest without its parts', { signIn: message('R', int(13, 0, 900)) }, /does not respond as a database/],
  ['asks for an unknown digest', { signIn: message('R', int(13, 7, 0, 0)) }, /does not respond as a database/],
  [
    'sends columns of a wrong form',
    { answer: onFetch(Buffer.concat([prepared, message('T', short(900)), done])) },
    /./,
  ],
  [
    'changes its columns from page to page',
    {
      answer: (statement, fetches) => {
        if (!statement.includes('fetch forward')) return undefined
        const rows = Array.from({ length: fetches === 1 ? 20 : 1 }, () => row('1'))
        return page(columns(fetches === 1 ? 'a' : 'b'), ...rows)
      },
    },
    /the columns of the rows changed/,
  ],
  [
    'sends rows with fewer values than columns',
    { answer: onFetch(page(columns('a', 'b'), row('1'))) },
    /columns of the/,
  ],
  ['sends rows with more values than columns', { answer: onFetch(page(columns('a'), row('1', '2'))) }, /./],
])('a server that %s is left with a readable message', async (_, script, words) => {
  const said = vi.spyOn(console, 'error')
  const server = await startServer(script)
  const before = inMemory()
  const failure: unknown = await readAll(server.port).catch((problem: unknown) => problem)
  expect(failure).toBeInstanceOf(Error)
  expect((failure as Error).message).toMatch(words)
  expect((failure as Error).message).not.toContain('secret-word')
  expect(inMemory() - before).toBeLessThan(150 * mebibyte)
  // Further bytes remain in the buffers of the two sockets.
  expect(server.sent()).toBeLessThan(40 * mebibyte)
  expect(said).not.toHaveBeenCalled()
})

test.each([
  ['a wrong password', '28000', 'password authentication failed for user "u"', ConfigurationError, /^Wrong user or/],
  ['an expired password', '28000', 'password authentication failed for user "u"', ConfigurationError, /^Wrong user or/],
  ['a refused user', '28000', 'no pg_hba.conf entry for host "::1"', ConfigurationError, /^The server does not allow/],
  ['no free connection', '53300', 'connection limit "500" exceeded', RetryableError, /^The server has no connections/],
  ['a restart', '57P03', 'the database system is starting up', RetryableError, /starting up/],
  ['a missing database', '3D000', 'database "d" does not exist', ConfigurationError, /^The database does not exist/],
])('a sign-in that ends with %s has a readable message', async (_, state, words, kind, expected) => {
  const server = await startServer({ signIn: error(state, words) })
  const failure: unknown = await openAt(server.port).catch((problem: unknown) => problem)
  expect(failure).toBeInstanceOf(kind)
  expect((failure as Error).message).toMatch(expected)
})

test.each([
  ['a rule', '57014', 'Query (1) cancelled by WLM abort action of Query Monitoring Rule "r"', /^A rule of the cluster/],
  ['the time limit', '57014', `Query (1) cancelled on user's request`, /^The query did not finish within 5 seconds$/],
  ['a lake without access', 'XX000', 'Spectrum Scan Error', /^Spectrum Scan Error \(XX000\)$/],
  ['a large cursor', 'XX000', 'exceeded the maximum result set size', /^exceeded the maximum result set size/],
])('a query that fails because of %s has the words of Redshift', async (_, state, words, expected) => {
  const server = await startServer({ answer: onFetch(Buffer.concat([error(state, words), ready])) })
  const failure: unknown = await readAll(server.port).catch((problem: unknown) => problem)
  expect(failure).not.toBeInstanceOf(DeliveryError)
  expect((failure as Error).message).toMatch(expected)
})

test('a password that is stored as SHA-256 signs in with a digest, and never goes over the wire', async () => {
  const salt = Buffer.from('salt-of-user')
  const nonce = Buffer.from('nonce-of-server')
  const request = Buffer.concat([int(13, 0, salt.length), salt, int(nonce.length), nonce])
  const server = await startServer({
    signIn: message('R', request),
    answer: (statement) => (statement.startsWith('d') ? signedIn : undefined),
  })
  const session = await openAt(server.port)
  await session[Symbol.asyncDispose]()
  const answer = server.received[1] ?? Buffer.alloc(0)
  const clientNonce = answer.subarray(-13)
  expect(answer).toEqual(digestReply('secret-word', () => Number(clientNonce.toString()))(request))
  expect(Buffer.concat(server.received).includes('secret-word')).toBe(false)
})

test('a request to sign in that arrives in parts is put together', async () => {
  const request = Buffer.concat([int(13, 0, 1), Buffer.from('s'), int(1), Buffer.from('n')])
  const whole = message('R', request)
  let socket: Socket | undefined
  const server = createServer((client) => {
    socket = client
    client.on('error', () => {})
    client.once('data', () => {
      client.write(whole.subarray(0, 3))
      client.once('data', () => void client.write(signedIn))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  const opened = openAt((server.address() as AddressInfo).port)
  await expect.poll(() => socket?.bytesWritten).toBe(3)
  socket?.write(whole.subarray(3))
  socket?.on('data', (data: Buffer) => void (data.toString('latin1').startsWith('Q') ? socket?.write(done) : undefined))
  const session = await opened
  await session[Symbol.asyncDispose]()
})
