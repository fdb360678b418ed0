// @vitest-environment happy-dom
import { createRequire } from 'node:module'
import type Pusher from 'pusher-js'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { useSession } from '../people/session.ts'
import { connectionStates } from './realtime.ts'
import { connectRealtime, realtimeTimes } from './realtime-client.ts'

// The file that browsers load. The types of the package do not declare it.
const Client: typeof Pusher = createRequire(import.meta.url)('pusher-js/dist/web/pusher.js')

/** A fake socket: the test sends the messages of the gateway. */
class ScriptedSocket {
  readonly startedAt = Date.now()
  readonly sent: string[] = []
  onopen?: () => void
  onmessage?: (message: { data: string }) => void
  onclose?: (closing: { code: number; reason: string; wasClean: boolean }) => void
  closed = false
  readonly url: string
  constructor(url: string) {
    this.url = url
    sockets.push(this)
  }
  send(text: string): void {
    this.sent.push(text)
  }
  close(): void {
    this.closed = true
  }
  receive(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }
  /** Sends the greeting of the gateway, which establishes the connection. */
  greet(): void {
    this.onopen?.()
    this.receive({
      event: 'pusher:connection_established',
      data: JSON.stringify({ socket_id: `1.${sockets.length}`, activity_timeout: 120 }),
    })
  }
  end(code: number): void {
    this.onclose?.({ code, reason: '', wasClean: true })
  }
}

/** A request to the gateway that never gets a response. */
class SilentRequest {
  open(): void {}
  setRequestHeader(): void {}
  send(body?: string): void {
    asked.push(body ?? '')
  }
}

let asked: string[] = []
let sockets: ScriptedSocket[] = []
let clients: Pusher[] = []
beforeEach(() => {
  vi.useFakeTimers()
  sockets = []
  asked = []
  vi.stubGlobal('WebSocket', ScriptedSocket)
  vi.stubGlobal('XMLHttpRequest', SilentRequest)
  localStorage.clear()
})
afterEach(() => {
  for (const client of clients) client.disconnect()
  clients = []
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Creates a client as the page does, and records every state of its connection. */
const connect = (): { client: Pusher; states: string[] } => {
  const client = connectRealtime(Client, 'the-key', 'the-token')
  clients.push(client)
  const states = [client.connection.state]
  client.connection.bind('state_change', ({ current }: { current: string }) => states.push(current))
  return { client, states }
}

const last = (): ScriptedSocket => {
  const socket = sockets.at(-1)
  if (socket === undefined) throw new Error('nothing has connected')
  return socket
}

/** Creates a client with an established connection. */
const connected = () => {
  const made = connect()
  vi.advanceTimersByTime(0)
  last().greet()
  expect(made.client.connection.state).toBe('connected')
  return { ...made, socket: last() }
}

/**
 * Returns the time in ms until the client opens its next socket, and the URL of that socket; undefined if this takes
 * more than ten minutes.
 */
const nextSocket = (): { after: number; url: string } | undefined => {
  const before = sockets.length
  const start = Date.now()
  while (sockets.length === before && Date.now() - start < 600_000) vi.advanceTimersByTime(1)
  const socket = sockets[before]
  return socket && { after: socket.startedAt - start, url: socket.url }
}

test('OBS-08, AMB-70: the inbox channel is subscribed with the signature token of the session', () => {
  useSession.setState({ courierToken: 'u1.signature' })
  connected()
  expect(asked.map((body) => new URLSearchParams(body).get('courier_token'))).toEqual(['u1.signature'])
})

test('RT-04: the states of a connection are initialized, connecting, connected, unavailable, failed and disconnected', () => {
  const { client, states } = connected()
  last().end(1006)
  vi.advanceTimersByTime(11_000)
  client.disconnect()
  expect(states).toEqual(['connecting', 'connected', 'connecting', 'unavailable', 'disconnected'])
  vi.stubGlobal('WebSocket', undefined)
  expect(connect().states).toEqual(['failed'])
  expect([...connectionStates].toSorted()).toEqual([...new Set(['initialized', ...states, 'failed'])].toSorted())
})

test.each([
  ['a user', { user_id: 'u1' }],
  ['no user', {}],
])('RT-05: a received event has its name, channel, decoded data, and %s', (_, user) => {
  const { client, socket } = connected()
  const messages: unknown[] = []
  client.connection.bind('message', (event: unknown) => messages.push(event))
  const sent = { event: 'events', channel: 'private-sources-1', ...user }
  socket.receive({ ...sent, data: '{"events":[{"title":"Ünï"}],"skipped":3}' })
  socket.receive({ ...sent, data: 'plain text' })
  expect(messages).toEqual([
    { ...sent, data: { events: [{ title: 'Ünï' }], skipped: 3 } },
    { ...sent, data: 'plain text' },
  ])
})

test('after 120 s of silence the gateway gets a ping, and 30 s without a response later the client reconnects (RT-10, RT-11)', () => {
  expect(realtimeTimes).toMatchObject({ activityTimeout: 120_000, pongTimeout: 30_000 })
  const { socket, states } = connected()
  const pings = () => socket.sent.filter((text) => text.includes('pusher:ping')).length
  // Each send and each close takes effect one millisecond later.
  vi.advanceTimersByTime(120_000)
  expect(pings()).toBe(0)
  vi.advanceTimersByTime(1)
  expect(pings()).toBe(1)
  vi.advanceTimersByTime(29_998)
  socket.receive({ event: 'pusher:pong', data: '{}' })
  vi.advanceTimersByTime(120_001)
  expect([pings(), states.at(-1)]).toEqual([2, 'connected'])
  expect(nextSocket()?.after).toBe(29_999 + 1)
  expect([socket.closed, states.at(-1)]).toEqual([true, 'connecting'])
})

test('RT-12: a connection that takes 10 s to connect becomes unavailable', () => {
  expect(realtimeTimes.unavailableTimeout).toBe(10_000)
  const { client } = connect()
  vi.advanceTimersByTime(9999)
  expect(client.connection.state).toBe('connecting')
  vi.advanceTimersByTime(1)
  expect(client.connection.state).toBe('unavailable')
})

test("RT-13: the socket's URL is the page's own origin with the key, and names protocol 7", () => {
  connect()
  const { origin, pathname, searchParams } = new URL(last().url)
  expect(origin).toBe(window.location.origin.replace(/^http/, 'ws'))
  expect([pathname, searchParams.get('protocol')]).toEqual(['/app/the-key', '7'])
})

test('a broken connection is reopened after one second (RT-14)', () => {
  connected()
  last().end(1006)
  expect(nextSocket()?.after).toBe(1000)
})

test('RT-15: a connection attempt has 15 s, then twice as long each time, and never more than 60 s', () => {
  connect()
  vi.advanceTimersByTime(300_000)
  const starts = sockets.filter(({ url }) => url.startsWith('ws:')).map(({ startedAt }) => startedAt)
  const pauses = starts.slice(1).map((start, index) => start - (starts[index] ?? 0))
  expect(pauses).toEqual([15_000, 30_000, 60_000, 60_000, 60_000, 60_000])
})

const remembered = 'pusherTransportNonTLS'

test('RT-16: the last working transport is stored with its time', () => {
  connected()
  expect(JSON.parse(localStorage.getItem(remembered) ?? '{}')).toMatchObject({ transport: 'ws', timestamp: Date.now() })
})

test.each([
  ['is tried by itself for 1800000 ms', 1_800_000, 1200],
  ['is forgotten a millisecond later', 1_800_001, 15_000],
])('RT-16: the transport that worked last %s', (_, age, second) => {
  localStorage.setItem(remembered, JSON.stringify({ timestamp: Date.now() - age, transport: 'ws', latency: 100 }))
  connect()
  const start = Date.now()
  vi.advanceTimersByTime(20_000)
  const starts = sockets.filter(({ url }) => url.startsWith('ws:')).map(({ startedAt }) => startedAt - start)
  expect(starts.slice(0, 2)).toEqual([0, second])
})

test('after a close with 4000, the client reconnects immediately over TLS (RT-17)', () => {
  connected()
  last().end(4000)
  expect(nextSocket()).toMatchObject({ after: 0, url: expect.stringMatching(/^wss:/) })
})

test.each([
  ['RT-18', 4001, 'refused', undefined],
  ['RT-18', 4099, 'refused', undefined],
  ['RT-19', 4100, 'tried again after a second', 1000],
  ['RT-19', 4199, 'tried again after a second', 1000],
  ['RT-20', 4200, 'tried again at once', 0],
  ['RT-20', 4299, 'tried again at once', 0],
  ['RT-20', 1002, 'tried again after a second', 1000],
  ['RT-20', 1004, 'tried again after a second', 1000],
  ['RT-20', 1001, 'tried again after a second', 1000],
  ['RT-20', 3999, 'tried again after a second', 1000],
  ['RT-20', 4300, 'refused', undefined],
])('%s: a connection that is closed with %i is %s', (_id, code, _what, after) => {
  const { client } = connected()
  last().end(code)
  expect(nextSocket()?.after).toBe(after)
  expect(client.connection.state).toBe(after === undefined ? 'disconnected' : 'connecting')
})

test('after a deliberate close, the client does not reconnect (RT-20)', () => {
  const { client } = connected()
  client.disconnect()
  last().end(1000)
  expect(nextSocket()).toBeUndefined()
})
