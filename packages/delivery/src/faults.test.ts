import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, LookupFunction, Socket } from 'node:net'
import { createServer, type Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { type Peer, type PeerAnswer, selfSigned, startPeer } from '@tributary/connector-kit/testing'
import { webhook } from '@tributary/connectors/destinations/webhook'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WorkerSnapshot } from './destination/destination-worker.ts'
import { createFixture, distinct, expectedIds, type Fixture, messageIds, sortedIds } from './testing.ts'

const { database, store } = await createTestStores()
let fixture: Fixture
let stack: AsyncDisposableStack

/** Resolves names to the address that their owner chose, as for a malicious domain. */
const lookup: LookupFunction = (host, _options, callback) => {
  const address = host === 'inside.example.com' ? '169.254.169.254' : '127.0.0.1'
  callback(null, [{ address, family: 4 }])
}

beforeEach(async () => {
  stack = new AsyncDisposableStack()
  const stores = { db: database.db, eventStore: store }
  fixture = await createFixture({ ...stores, connector: webhook, timeoutMs: 800, lookup })
})
afterEach(async () => {
  await fixture.close()
  await stack.disposeAsync()
  await database.db.deleteFrom('parked_deliveries').execute()
  await store.command('truncate table deliveries')
})

const worker = (id: string): WorkerSnapshot | undefined =>
  fixture.delivery.state().workers.find((candidate) => candidate.destinationId === id)
const parked = () => database.db.selectFrom('parked_deliveries').selectAll().execute()
const peerOf = async (answer: () => PeerAnswer | Promise<PeerAnswer> = () => ({ status: 200 })): Promise<Peer> =>
  stack.adopt(await startPeer(answer), (peer) => peer.close())

/** Starts a peer on a plain socket, and returns its port. */
const socketPeer = async (serve: (socket: Socket) => void): Promise<number> => {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

const overTls = async (host: string): Promise<string> => {
  const server = createTlsServer(selfSigned, (_request, response) => response.end('ok'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stack.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  return `https://${host}:${(server.address() as AddressInfo).port}/`
}

const page = '<!doctype html><html><body><h1>We are down for maintenance</h1></body></html>'

describe('a fault of a destination is shown as a readable reason, and its events are held until it is fixed', () => {
  it.each<[string, string, () => string | Promise<string>]>([
    [
      'nobody listens',
      'Connection refused (ECONNREFUSED)',
      async () => {
        const peer = await startPeer()
        await peer.close()
        return peer.url
      },
    ],
    [
      'an error page of HTML',
      'HTTP 503',
      async () => (await peerOf(() => ({ status: 503, headers: { 'content-type': 'text/html' }, body: page }))).url,
    ],
    ['no answer', 'No response within 800 ms', async () => (await peerOf(() => 'hang')).url],
    [
      'an answer that dribbles',
      'No response within 800 ms',
      async () => {
        const port = await socketPeer((socket) => {
          socket.resume().write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
          const drip = setInterval(() => socket.write('a'), 20)
          socket.on('close', () => clearInterval(drip))
        })
        return `http://127.0.0.1:${port}/`
      },
    ],
    [
      'something that is not HTTP',
      'The server does not respond with HTTP (HTTPParserError)',
      async () => {
        const port = await socketPeer((socket) => socket.resume().write('220 mail.example.com ESMTP\r\n'))
        return `http://127.0.0.1:${port}/`
      },
    ],
    [
      'connections that are reset',
      'Connection reset by the server (ECONNRESET)',
      async () => `http://127.0.0.1:${await socketPeer((socket) => socket.resetAndDestroy())}/`,
    ],
    [
      'a certificate that nobody vouches for',
      'The certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT)',
      () => overTls('hooks.example.com'),
    ],
    ['an address inside the network, as a number', 'The address of 10.0.0.1 is not public', () => 'http://10.0.0.1/'],
    [
      'an address inside the network, by its name',
      'The address of inside.example.com is not public',
      () => 'http://inside.example.com/latest/meta-data/',
    ],
  ])('for %s, the shown reason is "%s"', async (_, words, broken) => {
    const settings = { url: await broken() }
    const id = fixture.destination(settings)
    await fixture.append([id], 12, 2)
    await eventually('the circuit breaks', () => worker(id)?.state === 'broken')
    expect(worker(id)?.reason).toContain(words)
    const rows = await eventually('attempts are written', async () => {
      const found = await fixture.attempts()
      return found.length > 0 && found
    })
    for (const row of rows) expect(row).toMatchObject({ status: 'retry', reason: expect.stringContaining(words) })
    expect((await parked()).every((row) => row.state === 'waiting')).toBe(true)

    const healthy = await peerOf()
    fixture.change(id, { settings: { url: healthy.url } })
    await healthy.until(() => distinct(healthy) === 12)
    await fixture.delivery.idle()
    expect(sortedIds(healthy)).toEqual(expectedIds(0, 12))
    expect(await parked()).toHaveLength(0)
  })
})

describe('a response of a destination', () => {
  it('a response with a redirect is final, and is followed neither to internal nor to external addresses', async () => {
    const secret = await peerOf()
    const peer = await peerOf(() => ({ status: 307, headers: { location: secret.url }, body: 'over there' }))
    const id = fixture.destination({ url: peer.url })
    await fixture.append([id], 3)
    await fixture.delivery.idle()
    expect(secret.requests).toHaveLength(0)
    const rows = await parked()
    expect(rows).toHaveLength(3)
    for (const row of rows) expect(row).toMatchObject({ state: 'dead', last_status: 307, last_reason: 'HTTP 307' })
    expect(rows[0]?.response).toContain('over there')
  })

  it('a huge response is read only up to its limit, and decides the outcome', async () => {
    const peer = await peerOf(() => ({ status: 200, body: 'x'.repeat(2 * 1024 * 1024) }))
    const refusing = await peerOf(() => ({ status: 422, body: 'y'.repeat(2 * 1024 * 1024) }))
    const ids = [peer, refusing].map((each) => fixture.destination({ url: each.url }))
    await fixture.append(ids, 3)
    await fixture.delivery.idle()
    expect(messageIds(peer)).toHaveLength(3)
    const rows = await parked()
    expect(rows).toHaveLength(3)
    for (const row of rows) expect(Buffer.byteLength(row.response)).toBeLessThanOrEqual(4096)
  })
})

it('a destination that is down, then slow, then healthy gets everything, and nothing twice that it accepted', async () => {
  let mood: 'down' | 'slow' | 'well' = 'down'
  const taken: string[] = []
  const peer = stack.adopt(
    await startPeer(async ({ body }) => {
      if (mood === 'down') return 'reset'
      if (mood === 'slow') await pause(100)
      taken.push(...JSON.parse(body).map((event: { messageId: string }) => event.messageId))
      return { status: 200 }
    }),
    (made) => made.close(),
  )
  const id = fixture.destination({ url: peer.url, batching: true, batch_size: 10, batch_wait_ms: 20 })
  await fixture.append([id], 100, 4)
  await eventually('the circuit breaks', () => worker(id)?.state === 'broken')
  await fixture.append([id], 100, 4)
  mood = 'slow'
  await eventually('it takes some', () => taken.length >= 50)
  fixture.change(id, { enabled: false })
  await eventually('it is paused', () => worker(id)?.state === 'paused' && worker(id)?.inFlight === 0)
  await fixture.append([id], 100, 4)
  mood = 'well'
  fixture.change(id, { enabled: true })
  await eventually('it has all', () => taken.length >= 300)
  await fixture.delivery.idle()
  expect(taken.toSorted()).toEqual(expectedIds(0, 300).toSorted())
  expect(await parked()).toHaveLength(0)
})
