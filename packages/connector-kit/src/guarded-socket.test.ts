import { once } from 'node:events'
import { type AddressInfo, createServer, type LookupFunction, type Server } from 'node:net'
import { silentLogger } from '@tributary/kernel'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createEgressPolicy } from './egress.ts'
import { ConfigurationError, EgressRefusedError, RetryableError } from './errors.ts'
import { createRequestClient, type RequestClient, type RequestClientOptions } from './request-client.ts'

let server: Server
let port: number
let connections = 0
const clients: RequestClient[] = []
beforeEach(async () => {
  connections = 0
  server = createServer((socket) => {
    connections++
    socket.pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
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

it('a socket to an allowed address carries bytes both ways, and ends with its client', async () => {
  const own = client()
  const socket = await own.connect({ host: '127.0.0.1', port })
  socket.write('hello')
  expect(String((await once(socket, 'data'))[0])).toBe('hello')
  const closed = once(socket, 'close')
  await own.close()
  await closed
})

it.each(['127.0.0.1', '::ffff:127.0.0.1', 'localhost', '127.1', '2130706433'])(
  'no socket is opened to %s when the policy refuses it',
  async (host) => {
    await expect(client({ egress: createEgressPolicy() }).connect({ host, port })).rejects.toThrow(EgressRefusedError)
    expect(connections).toBe(0)
  },
)

it('a name that resolves to a refused address is refused, and one that resolves to an allowed one is reached', async () => {
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
])('%j with port %i is an error of the set-up', async (host, wrongPort) => {
  await expect(client().connect({ host, port: wrongPort })).rejects.toThrow(ConfigurationError)
})

it('nobody listening, and no answer in time, are to be tried again', async () => {
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
