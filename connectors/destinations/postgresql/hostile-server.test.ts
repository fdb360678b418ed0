import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import {
  ConfigurationError,
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  validateSettings,
} from '@tributary/connector-kit'
import { selfSigned } from '@tributary/connector-kit/testing'
import { silentLogger } from '@tributary/kernel'
import { afterEach, expect, test } from 'vitest'
import { postgresql } from './definition.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/**
 * Returns a message of the server (PostgreSQL, "Message Formats"): its kind, its length with these four bytes, its
 * content.
 */
const message = (kind: string, content: Buffer, announced = content.length + 4): Buffer => {
  const head = Buffer.alloc(5)
  head.write(kind, 'latin1')
  head.writeUInt32BE(announced, 1)
  return Buffer.concat([head, content])
}
const signedIn = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))])
const filler = Buffer.alloc(64 * 1024, 0x61)
/** As many rows without columns as fit into the bytes. No other response takes more memory per byte. */
const emptyRows = Buffer.concat(Array.from({ length: 8000 }, () => message('D', Buffer.alloc(2))))
const notices = Buffer.concat(Array.from({ length: 5000 }, () => message('N', Buffer.from('Mhello\0\0'))))
const noRows = message('T', Buffer.alloc(2))
const gigabytes = 2 ** 31 - 1

/** Starts a server that accepts any user, and responds to the second query with `head` and then endless `rest`. */
const startServer = async (head: Buffer, rest: Buffer, after: 'questions' | 'start', tls: boolean) => {
  let sent = 0
  const talk = (socket: Socket, first: Buffer): void => {
    const answer = (): void => {
      while (socket.writable) if (!socket.write(rest)) return
    }
    socket.on('drain', answer)
    const flood = (): void => {
      socket.write(head)
      answer()
    }
    if (after === 'start') return flood()
    expect(first.length).toBeGreaterThan(8)
    socket.write(signedIn)
    socket.once('data', flood)
  }
  const server: Server = createServer(async (raw) => {
    raw.on('error', () => {})
    raw.on('close', () => {
      sent = Math.max(sent, raw.bytesWritten)
    })
    let socket: Socket = raw
    if (tls) {
      await once(raw, 'data')
      raw.write('S')
      socket = new TLSSocket(raw, { isServer: true, ...selfSigned })
      socket.on('error', () => {})
    }
    socket.once('data', (first: Buffer) => talk(socket, first))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return { port: (server.address() as AddressInfo).port, sent: () => sent }
}

const contextOf = (port: number, tls: boolean): DeliverContext => {
  const given = {
    host: tls ? 'hooks.example.com' : '127.0.0.1',
    port,
    database: 'd',
    user: 'u',
    password: 'p',
    schema: 's',
    tls: tls ? 'verify' : 'off',
    ...(tls ? { ca_certificate: selfSigned.cert } : {}),
  }
  const checked = validateSettings(postgresql, given)
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({
    egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }),
    logger: silentLogger,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  const lifetime = createLifetime()
  closing.push(async () => {
    await lifetime.end()
    await client.close()
  })
  return {
    settings: checked.settings,
    request: client.request,
    connect: client.connect,
    lifetime,
    clock: Date.now,
    logger: silentLogger,
    signal: new AbortController().signal,
  }
}

const mebibyte = 1024 * 1024
const inMemory = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test.each<[string, Buffer, Buffer, 'questions' | 'start', boolean]>([
  ['announces a row of 2 GB', message('D', Buffer.alloc(0), gigabytes), filler, 'questions', false],
  ['announces a row of 2 GB within TLS', message('D', Buffer.alloc(0), gigabytes), filler, 'questions', true],
  ['announces an error of 2 GB', message('E', Buffer.alloc(0), gigabytes), filler, 'questions', false],
  ['sends rows without end', noRows, emptyRows, 'questions', false],
  ['sends rows without end within TLS', noRows, emptyRows, 'questions', true],
  ['sends notices without end', Buffer.alloc(0), notices, 'questions', false],
  ['announces 2 GB instead of letting in', message('R', Buffer.alloc(0), gigabytes), filler, 'start', false],
])('a server that %s is disconnected after 1 MB, and the set-up error says so', async (_, head, rest, after, tls) => {
  const server = await startServer(head, rest, after, tls)
  const before = inMemory()
  const event = {
    eventId: 'e',
    messageId: 'm',
    type: 'track',
    event: 'x',
    json: '{"type":"track"}',
    action: 'write_events',
  }
  const failure: unknown = await postgresql
    .deliver([{ ...event, type: 'track' }], contextOf(server.port, tls))
    .catch((error: unknown) => error)
  expect(inMemory() - before).toBeLessThan(100 * mebibyte)
  expect(failure).toBeInstanceOf(ConfigurationError)
  expect((failure as Error).message).toMatch(/ answered with more than 1,048,576 bytes; the connection was ended$/)
  await expect.poll(server.sent).toBeGreaterThan(0)
  // Further bytes remain in the buffers of the two sockets.
  expect(server.sent()).toBeLessThan(20 * mebibyte)
  const tried = await postgresql.testConnection?.(contextOf(server.port, tls))
  expect(tried).toMatchObject({
    ok: false,
    message: expect.stringContaining('answered with more than 1,048,576 bytes'),
  })
})
