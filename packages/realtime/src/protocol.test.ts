import { IncomingMessage } from 'node:http'
import { connect, Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createRate, textOf } from './connection.ts'
import type { RealtimeLimits } from './limits.ts'
import { channelKind, parseMessage } from './protocol.ts'
import { bodyProblem, callProblem, createSigner } from './signatures.ts'
import { appId, key, type RunningRealtime, secret, startRealtime } from './testing/server.ts'

test.each([
  ['private-sources-1', 'private'],
  ['presence-x', 'presence'],
  ['presence-private-x', 'presence'],
  ['privateer', 'public'],
  ['news-private-x', 'public'],
  ['private-encrypted-x', 'encrypted'],
  ['news', 'public'],
  ['#server-to-user-7', 'user'],
  ['#server-to-user-', undefined],
  ['', undefined],
  ['a b', undefined],
  ['x'.repeat(165), undefined],
])('RT-06, RT-07, RT-08, RT-09: channel %j is %s by its prefix', (name, kind) => {
  expect(channelKind(name)).toBe(kind)
})

test.each([
  [
    '{"event":"pusher:subscribe","data":"{\\"channel\\":\\"a\\"}"}',
    { event: 'pusher:subscribe', data: { channel: 'a' } },
  ],
  ['{"event":"client-x","channel":"c","data":"text"}', { event: 'client-x', channel: 'c', data: 'text' }],
  ['{"event":1}', undefined],
  ['[]', undefined],
  ['nonsense', undefined],
])('message %s is read as %j', (text, expected) => {
  expect(parseMessage(text)).toEqual(expected)
})

test('a rate of two calls per second refuses a third call until a second after the first', () => {
  const allow = createRate(2)
  expect([allow(0), allow(1), allow(2), allow(999), allow(1000)]).toEqual([true, true, false, false, true])
})

describe('signatures', () => {
  const signer = createSigner('278d425bdf160c739803', '7ad3773142a6692b25b8')

  test('signatures equal the examples of the protocol documentation', () => {
    expect(signer.channel('1234.1234', 'private-foobar')).toBe(
      '278d425bdf160c739803:58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4',
    )
  })

  test.each([
    ['a changed body', { body: Buffer.from('{"a":2}') }],
    ['another method', { method: 'GET' }],
    ['another path', { path: '/apps/3/other' }],
    ['a call from long ago', { now: 1353088179_000 + 601_000 }],
    ['a call from the future', { now: 1353088179_000 - 601_000 }],
  ])('the signature check rejects %s', (_, change) => {
    const body = Buffer.from('{"name":"foo","channels":["project-3"],"data":"{\\"some\\":\\"data\\"}"}')
    const query = new URLSearchParams(
      'auth_key=278d425bdf160c739803&auth_timestamp=1353088179&auth_version=1.0&body_md5=ec365a775a4cd0599faeb73354201b6f&auth_signature=da454824c97ba181a32ccc17a72625ba02771f50b50e1e7430e47a1f3f457e6c',
    )
    const call = { method: 'POST', path: '/apps/3/events', query, body, now: 1353088179_000 }
    const problem = ({ now, ...rest }: typeof call): string | undefined =>
      callProblem(signer, '278d425bdf160c739803', rest, now) ?? bodyProblem(rest.query, rest.body)
    expect(problem(call)).toBeUndefined()
    expect(problem({ ...call, ...change })).toBeTypeOf('string')
  })
})

describe('over a socket', () => {
  let running: RunningRealtime
  const limits = {
    activityMs: 200,
    pongMs: 500,
    connections: 3,
    channelsPerConnection: 2,
    messagesPerSecond: 20,
    occupiedMs: 50,
  }
  beforeEach(async () => {
    running = await startRealtime({ limits })
  })
  afterEach(() => running.stop())

  type Message = { event: string; channel?: string; data: unknown }
  const open = (
    path = `/app/${key}?protocol=7`,
  ): { socket: WebSocket; next: () => Promise<Message>; closed: Promise<number> } => {
    const socket = new WebSocket(`ws://127.0.0.1:${running.port}${path}`)
    const queue: Message[] = []
    const waiting: ((message: Message) => void)[] = []
    socket.on('message', (data) => {
      const message: Message = JSON.parse(textOf(data))
      const first = waiting.shift()
      if (first === undefined) queue.push(message)
      else first(message)
    })
    socket.on('error', () => {})
    return {
      socket,
      next: () => {
        const ready = queue.shift()
        return ready === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(ready)
      },
      closed: new Promise((resolve) => socket.once('close', resolve)),
    }
  }

  test.each([
    ['/app/nobody?protocol=7', 4001],
    [`/app/${key}`, 4008],
    [`/app/${key}?protocol=seven`, 4006],
    [`/app/${key}?protocol=5`, 4007],
    [`/app/${key}?protocol=8`, 4007],
  ])('a client at the address %s gets the reason, and its socket is closed with %i', async (path, code) => {
    const { next, closed } = open(path)
    expect(await next()).toMatchObject({ event: 'pusher:error', data: { code } })
    expect(await closed).toBe(code)
  })

  test('a client that speaks version 6 is connected and served', async () => {
    const { socket, next } = open(`/app/${key}?client=Pysher&version=1.0.7&protocol=6`)
    expect(await next()).toMatchObject({ event: 'pusher:connection_established' })
    socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'news' } }))
    expect(await next()).toMatchObject({ event: 'pusher_internal:subscription_succeeded', channel: 'news' })
    socket.close()
  })

  test.each([
    ['9007199254740993', '9007199254740993'],
    ['1234567890123456789', '1234567890123456789'],
    ['18446744073709551616', '18446744073709551616'],
    ['42', '42'],
    ['"0042"', '0042'],
  ])('a presence member with the ID %s keeps every digit of the ID', async (written, id) => {
    const { socket, next } = open()
    const { socket_id: socketId } = JSON.parse(String((await next()).data))
    const channelData = `{"user_id":${written},"user_info":{"account":9007199254740995}}`
    const auth = createSigner(key, secret).channel(socketId, 'presence-x', channelData)
    socket.send(
      JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'presence-x', auth, channel_data: channelData } }),
    )
    const { event, data } = await next()
    expect(event).toBe('pusher_internal:subscription_succeeded')
    expect(data).toContain(`"ids":["${id}"],"hash":{"${id}":{"account":9007199254740995}}`)
    socket.close()
  })

  test('another path is rejected with 404', async () => {
    const status = await new Promise((resolve) => {
      const socket = new WebSocket(`ws://127.0.0.1:${running.port}/other`)
      socket.on('unexpected-response', (_, response) => resolve(response.statusCode))
      socket.on('error', () => {})
    })
    expect(status).toBe(404)
  })

  test('the first message has its data as text', async () => {
    const { next, socket } = open()
    const greeting = await next()
    expect(greeting.event).toBe('pusher:connection_established')
    expect(greeting.data).toBeTypeOf('string')
    expect(JSON.parse(String(greeting.data)).socket_id).toMatch(/^\d+\.\d+$/)
    socket.terminate()
  })

  test('a silent client is pinged, and closed with 4201 unless it responds', async () => {
    const silent = open()
    const lively = open()
    lively.socket.on('message', (data) => {
      if (JSON.parse(textOf(data)).event === 'pusher:ping') lively.socket.send('{"event":"pusher:pong","data":{}}')
    })
    await silent.next()
    expect(await silent.next()).toMatchObject({ event: 'pusher:ping' })
    expect(await silent.closed).toBe(4201)
    expect(lively.socket.readyState).toBe(WebSocket.OPEN)
    lively.socket.terminate()
  })

  const socketIdOf = (greeting: Message): string => JSON.parse(String(greeting.data)).socket_id

  test('if authorized connections use all slots, a new connection is closed with 4100', async () => {
    const three = [open(), open(), open()]
    for (const { next } of three) {
      running.coordination.publish('live.owner', { socketId: socketIdOf(await next()), userId: 'ann' })
    }
    expect(await open().closed).toBe(4100)
    three[0]?.socket.close()
    await three[0]?.closed
    const again = open()
    expect((await again.next()).event).toBe('pusher:connection_established')
    for (const { socket } of [...three, again]) socket.terminate()
  })

  test('connections without an authorized user make room for a new one, the oldest first', async () => {
    const three = [open(), open(), open()]
    for (const { next } of three) await next()
    const newcomer = open()
    expect((await newcomer.next()).event).toBe('pusher:connection_established')
    expect(await three[0]?.closed).toBe(4100)
    expect(three[1]?.socket.readyState).toBe(WebSocket.OPEN)
    for (const { socket } of [...three, newcomer]) socket.terminate()
  })

  test('too many channels, malformed names, and channels of users are rejected', async () => {
    const { socket, next } = open()
    await next()
    const subscribe = async (channel: string): Promise<string> => {
      socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel } }))
      return (await next()).event
    }
    expect(await subscribe('a')).toBe('pusher_internal:subscription_succeeded')
    expect(await subscribe('a b')).toBe('pusher:subscription_error')
    expect(await subscribe('#server-to-user-1')).toBe('pusher:subscription_error')
    expect(await subscribe('private-x')).toBe('pusher:subscription_error')
    expect(await subscribe('b')).toBe('pusher_internal:subscription_succeeded')
    expect(await subscribe('c')).toBe('pusher:subscription_error')
    socket.terminate()
  })

  test('a socket with an invalid sign-in is closed with 4009', async () => {
    const { socket, next, closed } = open()
    await next()
    socket.send(JSON.stringify({ event: 'pusher:signin', data: { auth: `${key}:bad`, user_data: '{"id":"1"}' } }))
    expect(await closed).toBe(4009)
  })

  test('a signature for one socket is not valid for another', async () => {
    const { socket, next } = open()
    await next()
    const auth = createSigner(key, secret).channel('1.1', 'private-x')
    socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'private-x', auth } }))
    expect(await next()).toMatchObject({ event: 'pusher:subscription_error', data: { status: 401 } })
    socket.terminate()
  })

  test('a subscriber with masked values always gets them masked, whatever the client adds to its signature', async () => {
    await running.stop()
    running = await startRealtime({ maskData: () => ({ value: 'hidden' }) })
    const signer = createSigner(key, secret)
    const listen = async (dataOf: (socketId: string) => object) => {
      const { socket, next } = open()
      const { socket_id } = JSON.parse(String((await next()).data))
      socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel: 'private-x', ...dataOf(socket_id) } }))
      return { socket, next, answer: await next() }
    }
    const masked = await listen((id) => ({ auth: signer.maskedChannel(id, 'private-x') }))
    const insistent = await listen((id) => ({ auth: signer.maskedChannel(id, 'private-x'), channel_data: 'masked' }))
    const clear = await listen((id) => ({ auth: signer.channel(id, 'private-x') }))
    const other = await listen((id) => ({ auth: signer.maskedChannel(id, 'private-y') }))
    expect(other.answer).toMatchObject({ event: 'pusher:subscription_error' })
    running.coordination.publish('live.publish', { channel: 'private-x', event: 'events', data: { value: 'Ada' } })
    expect((await masked.next()).data).toBe('{"value":"hidden"}')
    expect((await insistent.next()).data).toBe('{"value":"hidden"}')
    expect((await clear.next()).data).toBe('{"value":"Ada"}')
    for (const { socket } of [masked, insistent, clear, other]) socket.terminate()
  })

  test('invalid messages are ignored, and a socket with a flood of invalid messages is closed with 4100', async () => {
    const { socket, next, closed } = open()
    await next()
    socket.send('nonsense')
    socket.send('{"event":"pusher:ping"}')
    expect((await next()).event).toBe('pusher:pong')
    for (let i = 0; i < 25; i++) socket.send('{}')
    expect(await closed).toBe(4100)
  })

  test('a message over 32 kB closes the connection', async () => {
    const { socket, next, closed } = open()
    await next()
    socket.send('x'.repeat(33 * 1024))
    expect(await closed).toBe(1009)
  })

  test('a live message over the limit is skipped, and the next one arrives', async () => {
    const { socket, next } = open()
    await next()
    socket.send('{"event":"pusher:subscribe","data":{"channel":"news"}}')
    await next()
    running.coordination.publish('live.publish', { channel: 'news', event: 'big', data: 'x'.repeat(10 * 1024 + 1) })
    for (const odd of [null, 7, {}, { channel: 'news' }]) running.coordination.publish('live.publish', odd)
    running.coordination.publish('live.publish', { channel: 'news', event: 'fits', data: 'x'.repeat(10 * 1024) })
    expect((await next()).event).toBe('fits')
    socket.terminate()
  })
})

describe('shares of connections', () => {
  type Place = { socket: WebSocket; socketId: string; closed: Promise<number> }
  /** Opens a connection from an address; resolves after the first message. */
  const enter = async (running: RunningRealtime, from: string): Promise<Place> => {
    const socket = new WebSocket(`ws://127.0.0.1:${running.port}/app/${key}?protocol=7`, {
      headers: { 'x-from': from },
    })
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    const greeting = await new Promise<string>((resolve) => socket.once('message', (data) => resolve(textOf(data))))
    const data: unknown = JSON.parse(greeting).data
    return { socket, socketId: typeof data === 'string' ? JSON.parse(data).socket_id : '', closed }
  }
  const start = (limits: Partial<RealtimeLimits>): Promise<RunningRealtime> =>
    startRealtime({ limits: { connections: 6, ...limits }, networkOf: (req) => String(req.headers['x-from']) })

  test('one address gets only its share of connections, and the rest remains for other addresses', async () => {
    const running = await start({ connectionsPerAddress: 2 })
    const mine = [await enter(running, 'a'), await enter(running, 'a')]
    expect(await (await enter(running, 'a')).closed).toBe(4100)
    const other = await enter(running, 'b')
    expect([...mine, other].map(({ socket }) => socket.readyState)).toEqual([1, 1, 1])
    mine[0]?.socket.close()
    await mine[0]?.closed
    const again = await enter(running, 'a')
    expect(again.socketId).not.toBe('')
    await running.stop()
  })

  test('beyond a number of waiting new connections, further ones of that network are rejected, and other networks get the next turns', async () => {
    const running = await start({ connections: 1000 })
    const opened: string[] = []
    const late: string[] = []
    const upgrade = (from: string): Promise<void> =>
      new Promise((resolve) => {
        const headers = {
          'x-from': from,
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': Buffer.alloc(16).toString('base64'),
        }
        const socket = new Duplex({
          read() {},
          write(chunk: Buffer, _encoding, done) {
            const said = chunk.toString('latin1')
            if (said.startsWith('HTTP/1.1 101')) opened.push(from)
            else if (said.startsWith('HTTP/1.1 429')) late.push(from)
            done()
            resolve()
          },
        })
        const req = Object.assign(new IncomingMessage(new Socket()), { headers, method: 'GET' })
        req.url = `/app/${key}?protocol=7`
        running.realtime.handleUpgrade(
          req,
          Object.assign(socket, { setTimeout() {}, setNoDelay() {} }),
          Buffer.alloc(0),
        )
      })
    const many = Array.from({ length: 300 }, () => upgrade('a'))
    await upgrade('b')
    expect(late).toHaveLength(44)
    expect(opened.indexOf('b')).toBeLessThan(3)
    await Promise.all(many)
    expect(opened).toHaveLength(257)
    await running.stop()
  })

  test.each([
    ['user', { connectionsPerUser: 2 }, { userId: 'ann', workspaceId: 'w1' }, { userId: 'ben', workspaceId: 'w1' }],
    [
      'workspace',
      { connectionsPerWorkspace: 2 },
      { userId: 'ann', workspaceId: 'w1' },
      { userId: 'ann', workspaceId: 'w2' },
    ],
    [
      'organization',
      { connectionsPerOrganization: 2 },
      { userId: 'ann', workspaceId: 'w1', organizationId: 'o1' },
      { userId: 'ann', workspaceId: 'w2', organizationId: 'o2' },
    ],
  ])('one %s gets only its share of connections, from any number of addresses', async (_, limits, holder, other) => {
    const running = await start(limits)
    const places = await Promise.all(['a', 'b', 'c', 'd'].map((from) => enter(running, from)))
    const own = (place: Place | undefined, owner: object): void =>
      running.coordination.publish('live.owner', { socketId: place?.socketId, ...owner })
    const [first, second, third, fourth] = places
    for (const place of [first, first, second, third]) own(place, holder)
    expect(await third?.closed).toBe(4100)
    own(fourth, other)
    await enter(running, 'e')
    expect([first, second, fourth].map((place) => place?.socket.readyState)).toEqual([1, 1, 1])
    await running.stop()
  })

  test('a closed connection is removed from every share', async () => {
    const running = await start({ connectionsPerUser: 1, connectionsPerWorkspace: 1, connectionsPerOrganization: 1 })
    const owner = { userId: 'ann', workspaceId: 'w1', organizationId: 'o1' }
    for (const from of ['a', 'b']) {
      const place = await enter(running, from)
      running.coordination.publish('live.owner', { socketId: place.socketId, ...owner })
      await enter(running, `${from} later`)
      expect(place.socket.readyState).toBe(1)
      place.socket.close()
      await place.closed
    }
    await running.stop()
  })

  test('a fourth organization can connect after three organizations have opened as many connections as they can', async () => {
    const running = await start({ connections: 12, connectionsPerOrganization: 12, connectionsPerAddress: 12 })
    const listen = async (organizationId: string): Promise<Place> => {
      const place = await enter(running, 'a')
      running.coordination.publish('live.owner', { socketId: place.socketId, userId: 'ann', organizationId })
      const pong = new Promise((resolve) => place.socket.once('message', resolve))
      place.socket.send('{"event":"pusher:ping"}')
      await Promise.race([place.closed, pong])
      return place
    }
    for (const organization of ['o1', 'o2', 'o3']) for (let index = 0; index < 8; index += 1) await listen(organization)
    const last = await listen('o4')
    expect(last.socket.readyState).toBe(1)
    await running.stop()
  })
})

test('a call with a wrong token or signature is rejected before its body is read', async () => {
  const running = await startRealtime({ authenticate: async () => undefined })
  for (const path of ['/pusher/auth', '/pusher/user-auth', `/apps/${appId}/events?auth_key=${key}`]) {
    const socket = connect(running.port, '127.0.0.1', () =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer nobody\r\ncontent-length: 200000\r\n\r\n`,
      ),
    )
    const answer = await new Promise<string>((resolve) => socket.once('data', (data) => resolve(data.toString())))
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    socket.destroy()
  }
  await running.stop()
})

test('a client that stops reading misses messages and uses bounded memory; other clients miss none', async () => {
  const running = await startRealtime({ limits: { skipBytes: 100_000, cutBytes: 200_000 } })
  const join = async (): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${running.port}/app/${key}?protocol=7`)
    const joined = new Promise<void>((resolve) =>
      socket.on('message', (data) => {
        if (textOf(data).includes('subscription_succeeded')) resolve()
      }),
    )
    socket.on('open', () => socket.send('{"event":"pusher:subscribe","data":{"channel":"news"}}'))
    await joined
    return socket
  }
  const slow = await join()
  const quick = await join()
  slow.pause()
  const total = 3000
  let got = 0
  const all = new Promise<void>((resolve) =>
    quick.on('message', () => {
      if (++got === total) resolve()
    }),
  )
  const data = 'x'.repeat(9000)
  for (let i = 0; i < total; i++) {
    running.coordination.publish('live.publish', { channel: 'news', event: 'e', data })
    if (i % 5 === 0) await nextTurn()
  }
  await all
  let seen = 0
  slow.on('message', () => seen++)
  slow.resume()
  slow.send('{"event":"pusher:ping"}')
  await new Promise<void>((resolve) =>
    slow.on('message', (text) => {
      if (textOf(text).includes('pusher:pong')) resolve()
    }),
  )
  expect(seen).toBeLessThan(total)
  slow.terminate()
  quick.terminate()
  await running.stop()
})
