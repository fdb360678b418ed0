import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import PusherServer from 'pusher'
import type pusherModule from 'pusher-js'
import type { Channel, PresenceChannel } from 'pusher-js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { textOf } from './connection.ts'
import { appId, key, type RunningRealtime, secret, startRealtime } from './testing/server.ts'

// The CommonJS package exports the class itself, which its types do not declare.
const PusherClient: typeof pusherModule.default = createRequire(import.meta.url)('pusher-js')
type PusherClient = InstanceType<typeof PusherClient>

let running: RunningRealtime
let clients: PusherClient[] = []
beforeEach(async () => {
  running = await startRealtime()
})
afterEach(async () => {
  for (const client of clients) client.disconnect()
  clients = []
  await running.stop()
})

const connectAs = (token: string, port = running.port): PusherClient => {
  const origin = `http://127.0.0.1:${port}`
  const headers = { Authorization: `Bearer ${token}` }
  const client = new PusherClient(key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
    enableStats: false,
    channelAuthorization: { endpoint: `${origin}/pusher/auth`, transport: 'ajax', headers },
    userAuthentication: { endpoint: `${origin}/pusher/user-auth`, transport: 'ajax', headers },
  })
  clients.push(client)
  return client
}

const backend = (more: Partial<PusherServer.Options> = {}): PusherServer =>
  new PusherServer({
    appId,
    key,
    secret,
    host: '127.0.0.1',
    port: String(running.port),
    useTLS: false,
    ...more,
  } as PusherServer.Options)

const once = <T>(channel: Channel | PusherClient, event: string): Promise<T> =>
  new Promise((resolve) => {
    const taken = (data: T): void => {
      channel.unbind(event, taken)
      resolve(data)
    }
    channel.bind(event, taken)
  })

const subscribed = async (client: PusherClient, name: string): Promise<Channel> => {
  const channel = client.subscribe(name)
  await once(channel, 'pusher:subscription_succeeded')
  return channel
}

/** The code of the next error; before a connection is open, the library wraps it. */
const errorCode = (client: PusherClient): Promise<number | undefined> =>
  new Promise((resolve) =>
    client.connection.bind('error', (error: { data?: { code: number }; error?: { data: { code: number } } }) =>
      resolve(error.data?.code ?? error.error?.data.code),
    ),
  )

const connected = async (client: PusherClient): Promise<void> => {
  if (client.connection.state !== 'connected')
    await new Promise<void>((resolve) => client.connection.bind('connected', () => resolve()))
}

describe('the browser library', () => {
  test('a private channel receives a published message once, with its exact value', async () => {
    const channel = await subscribed(connectAs('ann'), 'private-sources-ann')
    const message = { events: [{ eventId: '0-1-0', title: 'Ünï "quoted"' }], skipped: 3 }
    const received: unknown[] = []
    channel.bind('events', (data: unknown) => received.push(data))
    const done = once(channel, 'end')
    running.coordination.publish('live.publish', { channel: 'private-sources-ann', event: 'events', data: message })
    running.coordination.publish('live.publish', { channel: 'private-sources-other', event: 'events', data: message })
    running.coordination.publish('live.publish', { channel: 'private-sources-ann', event: 'end', data: {} })
    await done
    expect(received).toEqual([message])
  })

  test.each([
    ['a channel of somebody else', 'ann', 'private-sources-bob', 403],
    ['an ended session', 'ended', 'private-sources-ended', 401],
  ])('a subscription with %s is rejected at authorization', async (_, token, name, status) => {
    const channel = connectAs(token).subscribe(name)
    expect(await once(channel, 'pusher:subscription_error')).toMatchObject({ type: 'AuthError', status })
    expect(running.realtime.occupied()).toEqual([])
  })

  test('the socket rejects a subscription with a wrong signature', async () => {
    const client = new PusherClient(key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: running.port,
      forceTLS: false,
      enabledTransports: ['ws'],
      enableStats: false,
      channelAuthorization: {
        endpoint: '',
        transport: 'ajax',
        customHandler: (_, callback) => callback(null, { auth: `${key}:${'0'.repeat(64)}` }),
      },
    })
    clients.push(client)
    expect(await once(client.subscribe('private-sources-ann'), 'pusher:subscription_error')).toMatchObject({
      status: 401,
    })
    expect(running.realtime.occupied()).toEqual([])
  })

  test('a client with an unknown key ends in the state failed or disconnected, and does not reconnect', async () => {
    const client = new PusherClient('nobody', {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: running.port,
      forceTLS: false,
      enabledTransports: ['ws'],
      enableStats: false,
    })
    clients.push(client)
    const error = errorCode(client)
    expect(await error).toBe(4001)
    await expect.poll(() => client.connection.state).toMatch(/failed|disconnected/)
  })

  test('presence members see the current members, each once, and members who join and leave', async () => {
    const ann = (await subscribed(connectAs('ann'), 'presence-all')) as PresenceChannel
    const added = once<{ id: string; info: unknown }>(ann, 'pusher:member_added')
    const bobClient = connectAs('bob')
    const bob = (await subscribed(bobClient, 'presence-all')) as PresenceChannel
    expect(await added).toEqual({ id: 'bob', info: { name: 'User bob' } })
    const second = connectAs('bob')
    await subscribed(second, 'presence-all')
    expect(bob.members.count).toBe(2)
    expect(ann.members.count).toBe(2)
    second.disconnect()
    const removed = once<{ id: string }>(ann, 'pusher:member_removed')
    bobClient.disconnect()
    expect((await removed).id).toBe('bob')
    expect(ann.members.count).toBe(1)
  })

  test("client events reach the other subscribers with the sender's user ID, and do not return to the sender", async () => {
    const ann = await subscribed(connectAs('ann'), 'presence-all')
    const bob = await subscribed(connectAs('bob'), 'presence-all')
    const own: unknown[] = []
    ann.bind('client-typing', (data: unknown) => own.push(data))
    const received = new Promise<[unknown, unknown]>((resolve) =>
      bob.bind('client-typing', (data: unknown, metadata: unknown) => resolve([data, metadata])),
    )
    ann.trigger('client-typing', { on: true })
    expect(await received).toEqual([{ on: true }, { user_id: 'ann' }])
    expect(own).toEqual([])
  })

  test('only the server publishes on the channel of a source', async () => {
    const client = connectAs('all')
    const channel = await subscribed(client, 'private-sources-all')
    const error = errorCode(client)
    channel.trigger('client-events', { forged: true })
    expect(await error).toBe(4301)
  })

  test('more than ten client events a second are rejected with 4301', async () => {
    const client = connectAs('ann')
    const channel = await subscribed(client, 'private-chat-all')
    const error = errorCode(client)
    for (let i = 0; i < 12; i++) channel.trigger('client-n', { i })
    expect(await error).toBe(4301)
    expect(client.connection.state).toBe('connected')
  })

  test('a signed-in user receives messages to the user, and loses the connection when access ends', async () => {
    const client = connectAs('ann')
    client.signin()
    await client.user.signinDonePromise
    const received = new Promise((resolve) => client.user.bind('note', resolve))
    await backend().sendToUser('ann', 'note', { text: 'hello' })
    expect(await received).toEqual({ text: 'hello' })
    const error = errorCode(client)
    await backend().terminateUserConnections('ann')
    expect(await error).toBe(4009)
  })

  test('a user whose access has changed is reconnected immediately and authorized again; other users stay connected', async () => {
    const server = await startRealtime({ authorize: async (_, channel) => (allowed.has(channel) ? {} : undefined) })
    const allowed = new Set(['private-sources-kept', 'private-sources-lost'])
    const ann = connectAs('ann', server.port)
    const bob = connectAs('bob', server.port)
    ann.signin()
    const kept = await subscribed(ann, 'private-sources-kept')
    const lost = await subscribed(ann, 'private-sources-lost')
    await ann.user.signinDonePromise
    await subscribed(bob, 'private-sources-kept')
    const sockets = [ann.connection.socket_id, bob.connection.socket_id]
    allowed.delete('private-sources-lost')

    const error = errorCode(ann)
    const refused = once<{ status: number }>(lost, 'pusher:subscription_error')
    const known = once(ann, 'pusher:signin_success')
    const joined = once(kept, 'pusher:subscription_succeeded')
    server.realtime.reconnectUser('ann')
    expect(await error).toBe(4200)
    expect((await refused).status).toBe(403)
    await Promise.all([known, joined])
    expect([ann.connection.socket_id === sockets[0], bob.connection.socket_id === sockets[1]]).toEqual([false, true])
    expect(server.realtime.occupied()).not.toContain('private-sources-lost')
    for (const client of [ann, bob]) client.disconnect()
    await server.stop()
  })

  test('reconnectAll reconnects every authorized user for a new authorization, and no other client', async () => {
    const [ann, nobody] = [connectAs('ann'), connectAs('nobody')]
    const channel = await subscribed(ann, 'private-sources-ann')
    await connected(nobody)
    const sockets = [ann.connection.socket_id, nobody.connection.socket_id]
    const error = errorCode(ann)
    const joined = once(channel, 'pusher:subscription_succeeded')
    running.realtime.reconnectAll()
    expect(await error).toBe(4200)
    await joined
    expect([ann.connection.socket_id === sockets[0], nobody.connection.socket_id === sockets[1]]).toEqual([false, true])
  })

  test('a user who loses access during the authorization of a subscription is disconnected, too', async () => {
    let asked = 0
    const racing = await startRealtime({
      authorize: async () => {
        if (asked++ === 0) racing.realtime.reconnectUser('ann')
        return {}
      },
    })
    const client = connectAs('ann', racing.port)
    const error = errorCode(client)
    const channel = client.subscribe('private-sources-all')
    expect(await error).toBe(4200)
    await once(channel, 'pusher:subscription_succeeded')
    expect(asked).toBe(2)
    client.disconnect()
    await racing.stop()
  })

  test('a session that ends during the sign-in gets no signature', async () => {
    let asked = 0
    const racing = await startRealtime({ authenticate: async (id) => (asked++ < 2 ? { id } : undefined) })
    const reply = await fetch(`http://127.0.0.1:${racing.port}/pusher/user-auth`, {
      method: 'POST',
      headers: { authorization: 'Bearer ann' },
      body: new URLSearchParams({ socket_id: '1.1' }),
    })
    expect([reply.status, asked]).toEqual([401, 3])
    await racing.stop()
  })

  test('the channels with subscribers are published when the first subscriber arrives and when the last one leaves', async () => {
    const published: string[][] = []
    running.coordination.subscribe('live.occupied', (message) =>
      published.push((message as { channels: string[] }).channels),
    )
    const client = connectAs('ann')
    await subscribed(client, 'private-sources-ann')
    await expect.poll(() => published.at(-1)).toEqual(['private-sources-ann'])
    client.unsubscribe('private-sources-ann')
    await expect.poll(() => published.at(-1)).toEqual([])
  })

  test('after a restart of the server, the library reconnects and subscribes again automatically', async () => {
    const client = connectAs('ann')
    const channel = await subscribed(client, 'private-sources-ann')
    const again = once(channel, 'pusher:subscription_succeeded')
    const { port } = running
    await running.stop()
    running = await startRealtime({}, port)
    await again
    expect(running.realtime.occupied()).toEqual(['private-sources-ann'])
  })
})

describe('the server library', () => {
  test('triggers reach the subscribers of each channel except the excluded socket', async () => {
    const annClient = connectAs('ann')
    const ann = await subscribed(annClient, 'news')
    const bob = await subscribed(connectAs('bob'), 'news')
    const heard: string[] = []
    ann.bind('item', (data: { n: number }) => heard.push(`ann ${data.n}`))
    const done = new Promise<void>((resolve) =>
      bob.bind('item', (data: { n: number }) => {
        heard.push(`bob ${data.n}`)
        if (data.n === 2) resolve()
      }),
    )
    await backend().trigger(['news', 'other'], 'item', { n: 1 }, { socket_id: annClient.connection.socket_id })
    await backend().triggerBatch([{ channel: 'news', name: 'item', data: { n: 2 } }])
    await done
    await expect.poll(() => heard.toSorted()).toEqual(['ann 2', 'bob 1', 'bob 2'])
  })

  test('encrypted channels pass through the gateway without being decrypted', async () => {
    const encryptionMasterKeyBase64 = randomBytes(32).toString('base64')
    const server = backend({ encryptionMasterKeyBase64 })
    const client = connectAs('ann')
    await connected(client)
    const { auth } = server.authorizeChannel(client.connection.socket_id, 'private-encrypted-x')
    const { default: WebSocket } = await import('ws')
    const socket = new WebSocket(`ws://127.0.0.1:${running.port}/app/${key}?protocol=7`)
    const next = (): Promise<{ event: string; data: string }> =>
      new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(textOf(data)))))
    const hello = await next()
    const socketId: string = JSON.parse(hello.data).socket_id
    expect(auth).not.toBe(server.authorizeChannel(socketId, 'private-encrypted-x').auth)
    const answer = next()
    socket.send(
      JSON.stringify({
        event: 'pusher:subscribe',
        data: { channel: 'private-encrypted-x', auth: server.authorizeChannel(socketId, 'private-encrypted-x').auth },
      }),
    )
    expect((await answer).event).toBe('pusher_internal:subscription_succeeded')
    const secretMessage = next()
    await server.trigger('private-encrypted-x', 'secret', { plain: 'text' })
    const { event, data } = await secretMessage
    expect(event).toBe('secret')
    expect(Object.keys(JSON.parse(data)).toSorted()).toEqual(['ciphertext', 'nonce'])
    socket.close()
  })

  test('channels, their counts, and their users can be read', async () => {
    await subscribed(connectAs('ann'), 'presence-all')
    await subscribed(connectAs('bob'), 'presence-all')
    await subscribed(connectAs('ann'), 'news')
    const read = async (path: string, params = {}): Promise<unknown> => (await backend().get({ path, params })).json()
    expect(await read('/channels')).toEqual({ channels: { 'presence-all': {}, news: {} } })
    expect(await read('/channels', { filter_by_prefix: 'presence-', info: 'user_count' })).toEqual({
      channels: { 'presence-all': { user_count: 2 } },
    })
    expect(await read('/channels/news', { info: 'subscription_count' })).toEqual({
      occupied: true,
      subscription_count: 1,
    })
    expect(await read('/channels/presence-all/users')).toEqual({ users: [{ id: 'ann' }, { id: 'bob' }] })
  })

  test.each<[string, Partial<PusherServer.Options>, string, unknown, number]>([
    ['a wrong secret', { secret: 'wrong' }, 'news', {}, 401],
    ['an unknown key', { key: 'wrong' }, 'news', {}, 401],
    ['data over 10 kB', {}, 'news', 'x'.repeat(10_241), 413],
  ])('a server call with %s is rejected', async (_, options, channel, data, status) => {
    await expect(backend(options).trigger(channel, 'e', data)).rejects.toMatchObject({ status })
  })
})
