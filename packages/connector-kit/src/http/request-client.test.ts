import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, LookupFunction, Socket } from 'node:net'
import { createServer, type Server } from 'node:net'
import { gzipSync } from 'node:zlib'
import { silentLogger } from '@tributary/kernel'
import { afterEach, describe, expect, it } from 'vitest'
import { EgressRefusedError, RetryableError } from '../errors.ts'
import { startPeer, selfSigned as tls } from '../testing/testing.ts'
import { createEgressPolicy } from './egress.ts'
import { guardedLookup } from './guarded-socket.ts'
import { createRequestClient, type RequestClient, type RequestClientOptions } from './request-client.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  // Close clients before servers: they were opened last.
  for (const close of closing.splice(0).toReversed()) await close()
})

const client = (options: Partial<RequestClientOptions> & { allow?: string[] } = {}): RequestClient => {
  const { allow = ['127.0.0.0/8'], ...rest } = options
  const made = createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger, ...rest })
  closing.push(made.close)
  return made
}

const peer = async (...args: Parameters<typeof startPeer>): ReturnType<typeof startPeer> => {
  const made = await startPeer(...args)
  closing.push(made.close)
  return made
}

/** A resolver that returns the listed results one after the other, the last one repeatedly. */
const resolver = (...answers: string[][]): LookupFunction => {
  let call = 0
  return (_host, _options, callback) => {
    const answer = answers[Math.min(call++, answers.length - 1)] ?? []
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

/** The head of a chunked response, and the beginning of its body. */
const chunked = (body: string): string => `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}`

const get = (made: RequestClient, url: string, timeoutMs = 5000) =>
  made.request({ method: 'GET', url, headers: {}, timeoutMs })

describe('addresses that the request client refuses', () => {
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', 'localhost'])(
    'the request client refuses a private address written as %s, and opens no socket',
    async (host) => {
      const receiver = await peer()
      await expect(get(client({ allow: [] }), `http://${host}:${receiver.port}/`)).rejects.toThrow(EgressRefusedError)
      expect(receiver.requests).toHaveLength(0)
    },
  )

  it('the request client refuses a public name that resolves to a private address', async () => {
    const receiver = await peer()
    for (const answer of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1']) {
      const made = client({ allow: [], lookup: resolver([answer]) })
      await expect(get(made, `http://hooks.example.com:${receiver.port}/`)).rejects.toThrow(EgressRefusedError)
    }
    expect(receiver.requests).toHaveLength(0)
  })

  it('the request client follows no redirect: a 302 to a private address is returned as the response', async () => {
    const inner = await peer()
    const outer = await peer(() => ({ status: 302, headers: { location: inner.url } }))
    const answer = await get(client(), outer.url)
    expect(answer.status).toBe(302)
    expect(answer.headers.location).toBe(inner.url)
    expect(inner.requests).toHaveLength(0)
  })

  it('the request client refuses schemes other than http and https', async () => {
    await expect(get(client(), 'file:///etc/passwd')).rejects.toThrow('not an http or https URL')
  })
})

describe('the checked lookup', () => {
  it('the checked lookup passes only checked addresses to the socket, so a name cannot change before the connection', async () => {
    const lookup = guardedLookup(resolver(['10.0.0.1', '8.8.8.8', '::1']), createEgressPolicy())
    const all = await new Promise((resolve) => lookup('h', { all: true }, (_error, addresses) => resolve(addresses)))
    expect(all).toEqual([{ address: '8.8.8.8', family: 4 }])
    const one = await new Promise((resolve) => lookup('h', {}, (_error, address) => resolve(address)))
    expect(one).toBe('8.8.8.8')
  })

  it('the checked lookup runs for every connection: a rebinding name is blocked once it resolves to a private address', async () => {
    const receiver = await peer(() => ({ status: 200, headers: { connection: 'close' } }))
    const made = client({ lookup: resolver(['127.0.0.1'], ['10.0.0.1']) })
    const url = `http://rebind.example.com:${receiver.port}/`
    expect((await get(made, url)).status).toBe(200)
    await expect(get(made, url)).rejects.toThrow(EgressRefusedError)
  })
})

describe('TLS', () => {
  const secure = async (): Promise<{ port: number; count: () => number }> => {
    let count = 0
    const server = createHttpsServer(tls, (_request, response) => {
      count++
      response.end('ok')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(() => resolve())))
    closing.push(async () => server.closeAllConnections())
    return { port: (server.address() as AddressInfo).port, count: () => count }
  }
  const lookup = resolver(['127.0.0.1'])

  it('a certificate without a trusted authority is rejected before anything is sent', async () => {
    const { port, count } = await secure()
    await expect(get(client({ lookup }), `https://hooks.example.com:${port}/`)).rejects.toThrow(
      'certificate is self-signed',
    )
    expect(count()).toBe(0)
  })

  it('a certificate for another name is rejected', async () => {
    const { port } = await secure()
    await expect(get(client({ lookup, ca: tls.cert }), `https://other.example.com:${port}/`)).rejects.toThrow(
      'another name',
    )
  })

  it('a trusted certificate is accepted, and the egress policy is checked before it', async () => {
    const { port, count } = await secure()
    const url = `https://hooks.example.com:${port}/`
    expect((await get(client({ lookup, ca: tls.cert }), url)).status).toBe(200)
    await expect(get(client({ lookup, ca: tls.cert, allow: [] }), url)).rejects.toThrow(EgressRefusedError)
    expect(count()).toBe(1)
  })
})

describe('the request client', () => {
  it('the request client sends method, headers, and body as given, and returns status, headers, and body', async () => {
    const receiver = await peer(() => ({ status: 201, headers: { 'x-answer': 'yes' }, body: 'thanks' }))
    const answer = await client().request({
      method: 'PUT',
      url: `${receiver.url}a?b=1`,
      headers: { 'x-one': '1' },
      body: 'grüße',
    })
    expect(answer).toMatchObject({ status: 201, body: 'thanks' })
    expect(answer.headers['x-answer']).toBe('yes')
    expect(receiver.requests[0]).toMatchObject({ method: 'PUT', url: '/a?b=1', body: 'grüße' })
    expect(receiver.requests[0]?.headers['x-one']).toBe('1')
  })

  it('the request client keeps the first 4 kB of a response, and disconnects from an endless one', async () => {
    const receiver = await peer(() => ({ status: 200, body: 'x'.repeat(8 * 1024 * 1024) }))
    const answer = await get(client(), receiver.url)
    expect(answer.body).toBe('x'.repeat(4096))
  })

  it('the request client reads at most the bytes of a response that the request allows, and no more for other requests', async () => {
    const receiver = await peer(() => ({ status: 200, body: 'x'.repeat(3 * 1024 * 1024) }))
    const made = client()
    const ask = (readBytes: number) =>
      made.request({ method: 'GET', url: receiver.url, headers: {}, keepBytes: 16 * 1024 * 1024, readBytes })
    expect((await ask(4 * 1024 * 1024)).body).toHaveLength(3 * 1024 * 1024)
    expect((await ask(1024 * 1024)).body.length).toBeLessThan(2 * 1024 * 1024)
    expect((await get(made, receiver.url)).body).toHaveLength(4096)
  })

  it.each<[string, string, (socket: Socket) => void]>([
    ['headers', 'HTTP/1.1 200 OK\r\n', (socket) => socket.write(`x-${'a'.repeat(50)}: ${'b'.repeat(4000)}\r\n`)],
    ['one header', 'HTTP/1.1 200 OK\r\nx: ', (socket) => socket.write('b'.repeat(4000))],
    ['trailers', chunked('0\r\n'), (socket) => socket.write(`x-${'a'.repeat(50)}: ${'b'.repeat(4000)}\r\n`)],
    ['interim answers', '', (socket) => socket.write('HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n'.repeat(100))],
    ['chunks', chunked(''), (socket) => socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`)],
    ['the name of a chunk', chunked('1;a='), (socket) => socket.write('x'.repeat(4096))],
  ])('the request client disconnects from a peer that sends %s endlessly', async (_what, head, more) => {
    let cutOff: (bytes: number) => void
    const sent = new Promise<number>((resolve) => {
      cutOff = resolve
    })
    const server: Server = createServer((socket) => {
      socket.on('error', () => {}).resume()
      socket.on('close', () => cutOff(socket.bytesWritten))
      socket.write(head)
      const go = (): void => {
        if (socket.destroyed) return
        more(socket)
        if (socket.writableNeedDrain) socket.once('drain', go)
        else setImmediate(go)
      }
      go()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    const made = client({ readResponseBytes: 100_000 })
    await get(made, `http://127.0.0.1:${port}/`).catch((error: unknown) => expect(error).toBeInstanceOf(RetryableError))
    await made.close()
    expect(await sent).toBeLessThan(16 * 1024 * 1024)
  })

  it('the request client does not decompress a compressed response', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const receiver = await peer(() => ({
      status: 200,
      headers: { 'content-encoding': 'gzip' },
      body: bomb.toString('latin1'),
    }))
    expect((await get(client(), receiver.url)).body.length).toBeLessThanOrEqual(4096)
  })

  it('the request client times out if a peer never responds, with a retryable error', async () => {
    const receiver = await peer(() => 'hang')
    const made = client()
    await expect(get(made, receiver.url, 100)).rejects.toThrow(RetryableError)
    expect(made.inFlight()).toBe(0)
  })

  it('the request client times out if a peer sends its response too slowly', async () => {
    const server: Server = createServer((socket) => {
      socket.on('error', () => {}).resume()
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\na')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(() => resolve())))
    const made = client()
    const { port } = server.address() as AddressInfo
    await expect(get(made, `http://127.0.0.1:${port}/`, 150)).rejects.toThrow('No response within 150 ms')
  })

  it('the request client does not send a request that timed out while it waited for a connection', async () => {
    const receiver = await peer((_request, index) => (index === 0 ? 'hang' : { status: 200 }))
    const made = client({ connectionsPerOrigin: 1 })
    const first = get(made, `${receiver.url}first`, 400)
    const second = get(made, `${receiver.url}second`, 50)
    await expect(second).rejects.toThrow(RetryableError)
    await expect(first).rejects.toThrow(RetryableError)
    expect((await get(made, `${receiver.url}third`)).status).toBe(200)
    expect(receiver.requests.map((request) => request.url)).toEqual(['/first', '/third'])
  })

  it.each([
    ['a closed port', 'http://127.0.0.1:1/', 'refused'],
    ['an unknown name', 'http://name.invalid/', 'host name'],
  ])('the request client names the failure with %s', async (_name, url, text) => {
    await expect(get(client(), url)).rejects.toThrow(text)
    await expect(get(client(), url)).rejects.toThrow(RetryableError)
  })

  it('the request client treats a reset connection as retryable', async () => {
    const receiver = await peer(() => 'reset')
    await expect(get(client(), receiver.url)).rejects.toThrow(RetryableError)
  })

  it('the request client rejects requests beyond its maximum, and does not queue them', async () => {
    const receiver = await peer(() => 'hang')
    const made = client({ maxInFlight: 2 })
    const two = [get(made, receiver.url, 300), get(made, receiver.url, 300)].map((request) =>
      request.catch(() => 'late'),
    )
    await expect(get(made, receiver.url)).rejects.toThrow('Too many')
    expect(await Promise.all(two)).toEqual(['late', 'late'])
  })
})

describe('signals', () => {
  it('a signal ends all its requests in flight, and no request of another signal', async () => {
    let arrived = 0
    const all = Promise.withResolvers<void>()
    const answers: (() => void)[] = []
    const server = createServer((socket: Socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        answers.push(() => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
        if (++arrived === 3) all.resolve()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(() => resolve())))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const [ours, other] = [new AbortController(), new AbortController()]
    const made = client()
    const send = ({ signal }: AbortController) => made.request({ method: 'GET', url, headers: {}, signal })
    const [first, second, third] = [send(ours), send(ours), send(other)]
    const ended = Promise.allSettled([first, second])
    await all.promise
    ours.abort()
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await expect(first).rejects.toThrow('Interrupted')
    for (const answer of answers) answer()
    expect((await third).status).toBe(204)
  })
})
