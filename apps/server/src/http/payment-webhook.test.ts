import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { silentLogger } from '@tributary/kernel'
import { expect, onTestFinished, test } from 'vitest'
import { createPaymentWebhook } from './payment-webhook.ts'

const MiB = 1024 * 1024

/**
 * Starts the webhook on a free port. The header `x-from` sets the client address of a request. A webhook with the
 * signature `hang` is processed until the end of the test.
 */
const start = async () => {
  const webhook = createPaymentWebhook({
    receive: ({ signature }) => (signature === 'hang' ? new Promise(() => undefined) : Promise.resolve(200)),
    clientIp: ({ headers }) => String(headers['x-from']),
    logger: silentLogger,
  })
  let asked = 0
  const server = createServer((request, response) => {
    asked += 1
    webhook.handle(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    /** Sends a complete webhook; resolves to the status. */
    send: async (from: string, signature = 'real', bytes = 100) =>
      (
        await fetch(`http://127.0.0.1:${port}/webhooks/stripe`, {
          method: 'POST',
          headers: { 'stripe-signature': signature, 'x-from': from },
          body: 'x'.repeat(bytes),
        })
      ).status,
    /** Sends `count` webhooks without their last byte. Resolves when all have begun. */
    async stall(count: number, from: (index: number) => string, bytes: number) {
      const before = asked
      for (let index = 0; index < count; index += 1) {
        const socket = connect(port, '127.0.0.1', () => {
          socket.write(
            `POST /webhooks/stripe HTTP/1.1\r\nHost: x\r\nStripe-Signature: t\r\nX-From: ${from(index)}\r\nContent-Length: ${bytes + 1}\r\n\r\n`,
          )
          socket.write(Buffer.alloc(bytes, 0x20))
        })
        socket.on('error', () => {})
        onTestFinished(() => void socket.destroy())
      }
      await expect.poll(() => asked - before).toBe(count)
    },
  }
}

test.each([
  ['that send all but the last byte of a megabyte', MiB - 1],
  ['that send only a head', 0],
])('605 webhooks from one network %s do not block those of the payment provider', async (_, bytes) => {
  const { send, stall } = await start()
  await stall(605, (index) => `2001:db8:1:2::${index.toString(16)}`, bytes)
  expect(await send('3.18.12.63', 'real', MiB)).toBe(200)
})

test('webhooks of one network that take long to process leave slots for others', async () => {
  const { send } = await start()
  const statuses: number[] = []
  for (let index = 0; index < 100; index += 1)
    void send('192.0.2.1', 'hang').then(
      (status) => statuses.push(status),
      () => {},
    )
  await expect.poll(() => statuses.length).toBe(84)
  expect(new Set(statuses)).toEqual(new Set([503]))
  expect(await send('3.18.12.63')).toBe(200)
})

test('twelve networks at their limits leave memory for a webhook of the next', async () => {
  const { send, stall } = await start()
  await stall(60, (index) => `192.0.2.${index % 12}`, MiB - 1)
  expect(await send('3.18.12.63', 'real', 100_000)).toBe(200)
})
