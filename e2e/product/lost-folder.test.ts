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
  skipsKafka,
  startKafka,
  startProduct,
  startSharedPostgres,
  startWebhookReceiver,
  templateDatabase,
  withDatabase,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, storedEvents, track } from './calls.ts'

// `npm run soak` kills the product and the broker more often, and with the database in the data folder.
test.skipIf(skipsKafka())(
  'with its log on Kafka, acknowledged events survive a killed product and broker; an empty data folder needs the name of the lost one, and then delivers nothing twice',
  async () => {
    await using stack = new AsyncDisposableStack()
    const root = await mkdtemp(join(tmpdir(), 'tributary-lost-folder-'))
    stack.defer(() => rm(root, { recursive: true, force: true }))
    const [kafka, postgres] = await Promise.all([startKafka(), startSharedPostgres()])
    stack.use(kafka)
    stack.use(postgres)
    const receiver = stack.use(await startWebhookReceiver({ keepBodies: false }))
    const start = async (folder: string, more: Record<string, string> = {}): Promise<Product> => {
      const env = {
        KAFKA_BROKERS: kafka.address,
        DATABASE_URL: withDatabase(postgres.url, templateDatabase),
        TRIBUTARY_SECRET_KEY: 'the-same-secret-key-in-each-process',
        ...more,
      }
      return stack.use(await startProduct({ dataDir: join(root, folder), env }))
    }
    let first = await start('one')
    await first.api.login(adminCredentials)
    const { workspace } = await createWorkspace(first.api)
    const shop = await createSource(first.api, workspace)
    await createWebhook(first.api, workspace, shop.source, { url: receiver.url })
    const acknowledged = new Set<string>()
    let serial = 0
    const send = async (product: Product): Promise<number> => {
      const id = `kafka-${serial++}`
      const { status } = await post(product, '/v1/track', shop.key, track(id))
      if (status === 200) acknowledged.add(id)
      return status
    }
    /** Expects that all acknowledged events are stored once, and delivered. */
    const everythingArrived = async (product: Product): Promise<void> => {
      const stored = await eventually(
        'every acknowledged event stored',
        async () => {
          const ids = (await storedEvents(product, shop.source)).map((event) => event.message_id)
          const known = new Set(ids)
          return [...acknowledged].every((id) => known.has(id)) && ids
        },
        120_000,
      )
      expect(stored).toHaveLength(new Set(stored).size)
      await eventually('delivered', () => [...acknowledged].every((id) => receiver.messageIds().has(id)), 120_000)
    }

    // The product is killed while requests are running.
    let running = true
    const workers = Array.from({ length: 4 }, async () => {
      while (running) await send(first).catch(() => {})
    })
    await eventually('events acknowledged', () => acknowledged.size >= 100, 60_000)
    await first.kill()
    running = false
    await Promise.all(workers)
    first = await start('one')
    await first.api.login(adminCredentials)
    await everythingArrived(first)

    await kafka.kill()
    const refused = await post(first, '/v1/track', shop.key, track('refused'))
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, expect.toSatisfy((s) => s > 0)])
    const health = await fetch(`${first.url}/health/ready`)
    expect([health.status, ((await health.json()) as { parts: object }).parts]).toEqual([
      503,
      expect.objectContaining({ log: { ok: false, detail: expect.stringContaining('Kafka ') } }),
    ])
    await kafka.start()
    await eventually('accepted again', async () => (await send(first)) === 200, 60_000)
    await eventually('ready again', async () => (await fetch(`${first.url}/health/ready`)).status === 200, 60_000)
    await everythingArrived(first)

    const refusal = await start('two').then(
      () => '',
      (error: Error) => error.message,
    )
    const lost = /TRIBUTARY_LOST_FOLDER=(\S+)/.exec(refusal)?.[1] ?? ''
    expect(refusal).toContain('is used with another data folder')
    // The process that uses the log continues.
    expect([await send(first), await send(first)]).toEqual([200, 200])
    await everythingArrived(first)
    expect(await first.stop()).toBe(0)
    const delivered = new Map(receiver.messageIds())

    const second = await start('two', { TRIBUTARY_LOST_FOLDER: lost })
    await second.api.login(adminCredentials)
    expect([await send(second), await send(second)]).toEqual([200, 200])
    await everythingArrived(second)
    // The earlier records of the stream were read before the later ones.
    expect([...receiver.messageIds()].filter(([id, times]) => times !== (delivered.get(id) ?? 1))).toEqual([])
    expect(await second.stop()).toBe(0)
    await expect(start('one', { TRIBUTARY_LOST_FOLDER: lost })).rejects.toThrow('is used with another data folder')
  },
  300_000,
)
