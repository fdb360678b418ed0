import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpServer, type HttpParts } from './http-server.ts'

const noHandler = { handles: () => false, handle: () => {} }
const parts: HttpParts = {
  isHttps: false,
  domainQuestions: { handles: () => false, handle: () => {} },
  look: () => {},
  collect: undefined,
  realtime: undefined,
  operations: noHandler,
  guides: noHandler,
  flags: undefined,
  devOutbox: undefined,
  profileApi: undefined,
  syncApi: undefined,
  paymentWebhook: undefined,
  media: undefined,
  api: undefined,
  web: (_, response) => void response.end('page'),
}

test('a request whose body no handler reads gets a response, and its body is read only up to a limit', async () => {
  const http = createHttpServer(parts)
  const sockets: Socket[] = []
  http.server.on('connection', (socket: Socket) => sockets.push(socket))
  const port = await http.listen(0, '127.0.0.1')
  onTestFinished(() => http.close())
  const megabyte = Buffer.alloc(1024 * 1024)
  const client = connect(port, '127.0.0.1')
  client.on('error', () => {})
  const closed = new Promise((resolve) => client.once('close', resolve))
  let answer = ''
  client.on('data', (data) => {
    answer += data.toString()
  })
  client.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${64 * megabyte.length}\r\n\r\n`)
  const send = (left: number): void => {
    if (left > 0 && !client.destroyed) client.write(megabyte, () => send(left - 1))
    else client.end()
  }
  send(64)
  await closed
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*page$/)
  expect(sockets[0]?.bytesRead).toBeLessThan(10 * megabyte.length)
})

test.each([true, false])(
  'if the public URL is https (%s), every response has a header that keeps browsers on https',
  async (isHttps) => {
    const answersBy = (write: (response: ServerResponse) => void) => ({
      handles: (given: IncomingMessage | string) =>
        given === '/by-array' || (typeof given === 'object' && given.url === '/v1/track'),
      handle: (_: IncomingMessage, response: ServerResponse) => write(response),
    })
    const http = createHttpServer({
      ...parts,
      isHttps,
      collect: answersBy((response) =>
        response.writeHead(200, ['Vary', 'Origin', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).end('ok'),
      ),
      api: (_, response) => response.writeHead(401, { 'cache-control': 'no-store' }).end('{}'),
    })
    const port = await http.listen(0, '127.0.0.1')
    onTestFinished(() => http.close())
    for (const path of ['/', '/v1/track', '/api/users:login', '/health/nothing']) {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`)
      expect([path, answer.headers.get('strict-transport-security')]).toEqual([
        path,
        isHttps ? 'max-age=31536000' : null,
      ])
      if (path === '/v1/track') expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    }
  },
)
