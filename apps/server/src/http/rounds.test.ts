import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createRounds } from './rounds.ts'

/** A server that limits requests per round, and a client that sends requests for `/0`, `/1`, … in one piece. */
const open = async (handle: (request: IncomingMessage, response: ServerResponse) => void) => {
  const rounds = createRounds(handle)
  const server = createServer(rounds)
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  let answers = ''
  client.on('data', (data) => {
    answers += data.toString('latin1')
  })
  client.on('error', () => {})
  return {
    client,
    ask: (count: number) =>
      client.write(Array.from({ length: count }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')),
    statuses: () => [...answers.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
  }
}

test('eight of many concurrent requests begin in each round of the event loop, and all begin in order', async () => {
  const urls: string[] = []
  const perRound: number[] = []
  let counting: NodeJS.Immediate | undefined
  const { ask, statuses } = await open((request, response) => {
    urls.push(request.url ?? '')
    if (counting === undefined) perRound.push(0)
    counting ??= setImmediate(() => {
      counting = undefined
    })
    perRound.push((perRound.pop() ?? 0) + 1)
    response.end('x')
  })
  ask(300)
  await expect.poll(() => statuses().length, { timeout: 20_000 }).toBe(300)
  expect(urls).toEqual(Array.from({ length: 300 }, (_, index) => `/${index}`))
  // Each round that is counted begins between two rounds of the server.
  expect(Math.max(...perRound)).toBeLessThanOrEqual(16)
})

test('while 4,096 requests wait, others begin immediately, and every request gets a response', async () => {
  const urls: number[] = []
  const { ask, statuses } = await open((request, response) => {
    urls.push(Number(request.url?.slice(1)))
    response.end('x')
  })
  ask(6000)
  await expect.poll(() => statuses().length, { timeout: 20_000 }).toBe(6000)
  expect(new Set(statuses())).toEqual(new Set(['200']))
  expect(urls.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 6000 }, (_, index) => index))
  // The first request beyond the limit was handled before waiting ones.
  expect(urls.indexOf(5999)).toBeLessThan(urls.indexOf(4000))
})

test('a waiting request whose client has disconnected is not begun', async () => {
  let begun = 0
  const { ask, client } = await open((_request, response) => {
    begun++
    client.destroy()
    setTimeout(() => response.end('x'), 50)
  })
  ask(2000)
  await new Promise((resolve) => client.once('close', resolve))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(begun).toBeLessThan(2000)
})
