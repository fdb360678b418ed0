import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startKafka,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, storedEvents, track } from '../product/calls.ts'

/** Number of kills of the product under load. */
const rounds = 4

test('with its log on Kafka, acknowledged events are stored once and delivered, even if the product or the broker was killed', async () => {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-kafka-product-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
  const kafka = stack.use(await startKafka())
  const start = (): Promise<Product> => startProduct({ dataDir, env: { KAFKA_BROKERS: kafka.address } })
  let product = await start()
  stack.defer(() => product[Symbol.asyncDispose]())
  await product.api.login(adminCredentials)
  const { workspace } = await createWorkspace(product.api)
  const shop = await createSource(product.api, workspace)
  await createWebhook(product.api, workspace, shop.source, { url: receiver.url })

  const acknowledged = new Set<string>()
  let serial = 0
  const send = async (): Promise<number> => {
    const id = `kafka-${serial++}`
    const answer = await post(product, '/v1/track', shop.key, track(id))
    if (answer.status === 200) acknowledged.add(id)
    return answer.status
  }
  /**
   * Sends concurrent requests until `count` more are acknowledged, and kills the product while others are running.
   */
  const killUnderLoad = async (count: number): Promise<void> => {
    const wanted = acknowledged.size + count
    let running = true
    const workers = Array.from({ length: 4 }, async () => {
      while (running) await send().catch(() => {})
    })
    await eventually('events acknowledged', () => acknowledged.size >= wanted, 60_000)
    await product.kill()
    running = false
    await Promise.all(workers)
  }
  const everythingArrived = async (): Promise<void> => {
    const stored = await eventually(
      'every acknowledged event stored',
      async () => {
        const ids = (await storedEvents(product, shop.source)).map((event) => event.message_id)
        return [...acknowledged].every((id) => ids.includes(id)) && ids
      },
      120_000,
    )
    expect(stored).toHaveLength(new Set(stored).size)
    await eventually('delivered', () => [...acknowledged].every((id) => receiver.messageIds().has(id)), 120_000)
  }

  for (let round = 0; round < rounds; round++) {
    await killUnderLoad(100)
    product = await start()
    await product.api.login(adminCredentials)
  }
  await everythingArrived()

  await kafka.kill()
  const refused = await post(product, '/v1/track', shop.key, track('refused'))
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, expect.toSatisfy((s) => s > 0)])
  const health = await fetch(`${product.url}/health/ready`)
  expect([health.status, ((await health.json()) as { parts: object }).parts]).toEqual([
    503,
    expect.objectContaining({ log: { ok: false, detail: expect.stringContaining('Kafka ') } }),
  ])
  await kafka.start()
  await eventually('accepted again', async () => (await send()) === 200, 60_000)
  await eventually('ready again', async () => (await fetch(`${product.url}/health/ready`)).status === 200, 60_000)
  await everythingArrived()
  expect(await product.stop()).toBe(0)
})
