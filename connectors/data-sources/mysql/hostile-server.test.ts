import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createEgressPolicy, createRequestClient, DeliveryError, validateSettings } from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { afterEach, expect, test, vi } from 'vitest'
import { mysql } from './definition.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** Returns a packet (MySQL, "Packets"): its length in three bytes, its number in the response, and its content. */
const packet = (place: number, content: Buffer, announced = content.length): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUIntLE(announced, 0, 3)
  head[3] = place % 256
  return Buffer.concat([head, content])
}

/** The first packet of a server (MySQL, "Handshake V10"), which offers all capabilities except TLS. */
const greeting = packet(
  0,
  Buffer.concat([
    Buffer.from('\x0a8.0.36\0', 'latin1'),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from('12345678\0', 'latin1'),
    Buffer.from([0xff, 0xf7, 45, 2, 0, 0xff, 0xdf, 21]),
    Buffer.alloc(10),
    Buffer.from('123456789012\0mysql_native_password\0', 'latin1'),
  ]),
)
const ok = (place: number): Buffer => packet(place, Buffer.from([0, 0, 0, 2, 0, 0, 0]))
const filler = Buffer.alloc(64 * 1024, 0x61)
const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
const column = packet(
  2,
  Buffer.concat([...['def', '', '', '', 'a', ''].map(text), Buffer.from([12, 45, 0, 4, 0, 0, 0, 253, 0, 0, 0, 0, 0])]),
)
const columns = Buffer.concat([packet(1, Buffer.from([1])), column, packet(3, Buffer.from([0xfe, 0, 0, 2, 0]))])
const smallRows = Buffer.concat(Array.from({ length: 256 }, (_, at) => packet(4 + at, Buffer.from([0xfb]))))
const smallColumns = Buffer.concat(Array.from({ length: 256 }, (_, at) => packet(2 + at, column.subarray(4))))
const manyColumns = packet(1, Buffer.from([0xfe, 0, 0, 0, 0, 1, 0, 0, 0]))
const askForFile = packet(1, Buffer.from('\xfb/etc/passwd', 'latin1'))

type Script = { before?: 'greeting' | 'sign-in'; head: Buffer; rest?: Buffer }

/** Starts a server that accepts any user and setting, and then responds with `head` and endless `rest`. */
const startServer = async ({ before, head, rest }: Script) => {
  const received: Buffer[] = []
  let sent = 0
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.on('close', () => {
      sent = Math.max(sent, socket.bytesWritten)
    })
    const answer = (): void => {
      while (rest !== undefined && socket.writable) if (!socket.write(rest)) return
    }
    const flood = (): void => {
      socket.on('drain', answer)
      socket.write(head)
      answer()
    }
    if (before === 'greeting') return flood()
    socket.write(greeting)
    let questions = 0
    socket.on('data', (data: Buffer) => {
      received.push(data)
      questions++
      if (before === 'sign-in') return questions === 1 ? flood() : undefined
      // The first requests are the sign-in, and the two statements that make the session read-only.
      if (questions <= 3) socket.write(ok(questions === 1 ? 2 : 1))
      else if (questions === 4) flood()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise((resolve) => server.close(resolve)))
  return { port: (server.address() as AddressInfo).port, sent: () => sent, received }
}

const openAt = (port: number) => {
  const given = { host: '127.0.0.1', port, database: 'd', user: 'u', password: 'p', tls: 'off' }
  const checked = validateSettings(mysql, given)
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  closing.push(() => client.close())
  const { signal } = new AbortController()
  return mysql.open({ settings: checked.settings, connect: client.connect, signal, statementMs: 5000 })
}

const mebibyte = 1024 * 1024
const inMemory = (): number => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test.each<[string, Script, RegExp]>([
  [
    'announces packets of 16 MB without end',
    { head: packet(1, Buffer.alloc(0), 0xffffff), rest: filler },
    /more than 8,388,608 bytes/,
  ],
  [
    'announces 16 MB instead of letting in',
    { before: 'sign-in', head: packet(2, Buffer.alloc(0), 0xffffff), rest: filler },
    /more than 8,388,608/,
  ],
  [
    'greets without end',
    { before: 'greeting', head: packet(0, Buffer.alloc(0), 0xffffff), rest: filler },
    /more than 8,388,608/,
  ],
  ['sends rows without end', { head: columns, rest: smallRows }, /more than 65536 packets/],
  ['sends columns without end', { head: manyColumns, rest: smallColumns }, /more than 65536 packets/],
  ['sends what is out of order', { head: packet(7, Buffer.from([1])), rest: smallRows }, /does not respond as MySQL/],
  ['is no such server', { before: 'greeting', head: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), rest: filler }, /./],
  [
    'asks for the password as it is',
    { before: 'sign-in', head: packet(2, Buffer.from('\xfemysql_clear_password\0', 'latin1')) },
    /plain text/,
  ],
])('a server that %s is disconnected with a readable message', async (_, script, words) => {
  const said = vi.spyOn(console, 'error')
  const server = await startServer(script)
  const before = inMemory()
  const failure: unknown = await openAt(server.port)
    .then((session) => session.about())
    .catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(DeliveryError)
  expect((failure as Error).message).toMatch(words)
  expect(inMemory() - before).toBeLessThan(100 * mebibyte)
  await expect.poll(server.sent).toBeGreaterThan(0)
  // Further bytes remain in the buffers of the two sockets.
  expect(server.sent()).toBeLessThan(30 * mebibyte)
  expect(said).not.toHaveBeenCalled()
})

test('a server that requests one of our files receives an empty packet', async () => {
  const server = await startServer({ head: askForFile })
  const session = await openAt(server.port)
  const asked = session.about().catch((error: unknown) => error)
  await expect.poll(() => server.received.length).toBe(5)
  // The client does not offer the capability (CLIENT_LOCAL_FILES, 128), and responds with an empty packet.
  expect((server.received[0]?.[4] ?? 0) & 128).toBe(0)
  expect(server.received[4]).toEqual(packet(2, Buffer.alloc(0)))
  await session[Symbol.asyncDispose]()
  await asked
})
