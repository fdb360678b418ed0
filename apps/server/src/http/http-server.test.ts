import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpServer, type HttpParts } from './http-server.ts'

const nobody = { handles: () => false, handle: () => {} }
const parts: HttpParts = {
  domainQuestions: { handles: () => false, handle: () => {} },
  look: () => {},
  collect: undefined,
  realtime: undefined,
  operations: nobody,
  guides: nobody,
  flags: undefined,
  devOutbox: undefined,
  profileApi: undefined,
  syncApi: undefined,
  paymentWebhook: undefined,
  media: undefined,
  api: undefined,
  web: (_, response) => void response.end('page'),
}

test('a body that nobody reads is answered, and taken in up to a limit only', async () => {
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
