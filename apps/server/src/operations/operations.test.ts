import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createOperations } from './operations.ts'

test('concurrent readiness requests share one check of the engines, and a later request starts a new one', async () => {
  let looks = 0
  let isUp = true
  const operations = createOperations({
    parts: async () => {
      looks++
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { relational: { ok: isUp } }
    },
    metrics: async () => '',
    mayReadMetrics: () => false,
    version: '0',
  })
  const server = createServer((request, response) => operations.handle(request, response)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const ask = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status
  try {
    await ask()
    const before = looks
    expect(new Set(await Promise.all(Array.from({ length: 100 }, ask)))).toEqual(new Set([200]))
    expect(looks - before).toBeLessThan(10)
    isUp = false
    await expect.poll(ask).toBe(503)
  } finally {
    server.close()
    server.closeAllConnections()
  }
})
