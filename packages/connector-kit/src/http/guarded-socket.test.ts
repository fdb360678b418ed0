import { once } from 'node:events'
import { type AddressInfo, createServer, type LookupFunction, type Server } from 'node:net'
import { silentLogger } from '@tributary/kernel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ConfigurationError, EgressRefusedError, RetryableError } from '../errors.ts'
import { createEgressPolicy } from './egress.ts'
import { createRequestClient, type RequestClient, type RequestClientOptions } from './request-client.ts'

let server: Server
let port: number
let connections = 0
const clients: RequestClient[] = []
const closing: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  connections = 0
  server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await Promise.all(closing.splice(0).map((close) => close()))
  await new Promise((resolve) => server.close(resolve))
})

const client = (options: Partial<RequestClientOptions> = {}): RequestClient => {
  const egress = createEgressPolicy({ allow: ['127.0.0.0/8'] })
  const made = createRequestClient({ egress, logger: silentLogger, ...options })
  clients.push(made)
  return made
}
const resolveTo =
  (address: string): LookupFunction =>
  (_host, _options, callback) =>
    callback(null, [{ address, family: 4 }])

it('a socket to an allowed address transfers bytes both ways, and ends with its client', async () => {
  const own = client()
  const socket = await own.connect({ host: '127.0.0.1', port })
  socket.write('hello')
  expect(String((await once(socket, 'data'))[0])).toBe('hello')
  const closed = once(socket, 'close')
  await own.close()
  await closed
})

it.each(['127.0.0.1', '::ffff:127.0.0.1', 'localhost', '127.1', '2130706433'])(
  'no socket is opened to %s if the policy blocks it',
  async (host) => {
    await expect(client({ egress: createEgressPolicy() }).connect({ host, port })).rejects.toThrow(EgressRefusedError)
    expect(connections).toBe(0)
  },
)

it('a socket to a name that resolves to a blocked address is rejected; one to an allowed address is connected', async () => {
  await expect(client({ lookup: resolveTo('10.0.0.1') }).connect({ host: 'db.example', port })).rejects.toThrow(
    'The address of db.example is not public',
  )
  const socket = await client({ lookup: resolveTo('127.0.0.1') }).connect({ host: 'db.example', port })
  expect(socket.remoteAddress).toBe('127.0.0.1')
})

it.each([
  ['/var/run/postgresql/.s.PGSQL.5432', 5432],
  ['', 5432],
  ['a host', 5432],
  ['127.0.0.1', 0],
  ['127.0.0.1', 70_000],
])('a socket to %j with port %i is a configuration error', async (host, wrongPort) => {
  await expect(client().connect({ host, port: wrongPort })).rejects.toThrow(ConfigurationError)
})

it('a port without a listener and a late response are retryable errors', async () => {
  await new Promise((resolve) => server.close(resolve))
  await expect(client().connect({ host: '127.0.0.1', port })).rejects.toThrow('Connection refused (ECONNREFUSED)')
  const never: LookupFunction = () => {}
  const late = client({ lookup: never }).connect({ host: 'db.example', port, timeoutMs: 20 })
  await expect(late).rejects.toThrow(new RetryableError('No connection within 20 ms'))
  const abort = new AbortController()
  const interrupted = client({ lookup: never }).connect({ host: 'db.example', port, signal: abort.signal })
  abort.abort()
  await expect(interrupted).rejects.toThrow('Interrupted')
})

/**
 * Starts a peer that sends `bytes` bytes; `Infinity` means without end. `cutOff` resolves to the number of bytes sent
 * before the connection was closed.
 */
const talker = async (bytes: number): Promise<{ port: number; cutOff: Promise<number> }> => {
  let taken: (bytes: number) => void
  const cutOff = new Promise<number>((resolve) => {
    taken = resolve
  })
  const piece = Buffer.alloc(64 * 1024)
  const talking = createServer((socket) => {
    let left = bytes
    const more = (): void => {
      while (left > 0) {
        const next = piece.subarray(0, Math.min(left, piece.length))
        left -= next.length
        if (!socket.write(next)) return
      }
    }
    socket.on('drain', more)
    socket.on('error', () => {})
    socket.on('close', () => taken(socket.bytesWritten))
    more()
  })
  talking.listen(0, '127.0.0.1')
  await once(talking, 'listening')
  closing.push(() => new Promise((resolve) => talking.close(resolve)))
  return { port: (talking.address() as AddressInfo).port, cutOff }
}

it('a peer that sends endlessly is disconnected at the maximum response size, with an error that says so', async () => {
  const own = await talker(Number.POSITIVE_INFINITY)
  const socket = await client({ answerBytes: 1_000_000 }).connect({ host: '127.0.0.1', port: own.port })
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  const [error] = await once(socket, 'error').catch((failure: unknown) => [failure])
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toMatchObject({
    message: '127.0.0.1 answered with more than 1,000,000 bytes; the connection was ended',
  })
  await own.cutOff
  expect(received).toBeLessThanOrEqual(1_000_000)
  expect(socket.bytesRead).toBeLessThan(1_000_000 + 128 * 1024)
})

it("unread bytes stay in the peer's connection, and do not end it", async () => {
  const own = await talker(Number.POSITIVE_INFINITY)
  const socket = await client({ answerBytes: 1_000_000 }).connect({ host: '127.0.0.1', port: own.port })
  expect(socket.bytesRead).toBeLessThan(512 * 1024)
  socket.destroy()
  await own.cutOff
})

it('each response may have the maximum size, if `renew` was called', async () => {
  const socket = await client({ answerBytes: 100_000 }).connect({ host: '127.0.0.1', port })
  for (let answer = 0; answer < 5; answer++) {
    socket.renew()
    socket.write(Buffer.alloc(90_000))
    for (let got = 0; got < 90_000; ) got += ((await once(socket, 'data')) as [Buffer])[0].length
  }
  expect(socket.bytesRead).toBe(450_000)
  socket.write(Buffer.alloc(90_000))
  await expect(once(socket, 'end')).rejects.toThrow('answered with more than 100,000 bytes')
})

it('data that a peer sent before it closed is read completely', async () => {
  const own = await talker(300_000)
  const socket = await client().connect({ host: '127.0.0.1', port: own.port })
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received === 300_000) socket.end()
  })
  await once(socket, 'close')
  expect(received).toBe(300_000)
})
