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

test.skipIf(skipsKafka())(
  'a start with an empty data folder rejects a used log; naming the lost folder stores all events again without delivering twice',
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
    const first = await start('one')
    await first.api.login(adminCredentials)
    const { workspace } = await createWorkspace(first.api)
    const shop = await createSource(first.api, workspace)
    await createWebhook(first.api, workspace, shop.source, { url: receiver.url })
    const send = async (product: Product, ids: readonly string[]): Promise<void> => {
      for (const id of ids) expect((await post(product, '/v1/track', shop.key, track(id))).status).toBe(200)
      await eventually('delivered', () => ids.every((id) => receiver.messageIds().has(id)), 60_000)
    }
    const before = Array.from({ length: 40 }, (_, at) => `before-${at}`)
    await send(first, before)

    const refusal = await start('two').then(
      () => '',
      (error: Error) => error.message,
    )
    const lost = /TRIBUTARY_LOST_FOLDER=(\S+)/.exec(refusal)?.[1] ?? ''
    expect(refusal).toContain('is used with another data folder')
    const between = ['between-0', 'between-1']
    // The process that uses the log continues.
    await send(first, between)
    expect(await first.stop()).toBe(0)

    const second = await start('two', { TRIBUTARY_LOST_FOLDER: lost })
    const after = ['after-0', 'after-1']
    await send(second, after)
    await second.api.login(adminCredentials)
    const all = [...before, ...between, ...after]
    await eventually('stored again', async () => {
      const known = new Set((await storedEvents(second, shop.source)).map((event) => event.message_id))
      return all.every((id) => known.has(id))
    })
    // The earlier records of the stream were read before the later ones.
    expect(all.filter((id) => receiver.messageIds().get(id) !== 1)).toEqual([])
    expect(await second.stop()).toBe(0)
    await expect(start('one', { TRIBUTARY_LOST_FOLDER: lost })).rejects.toThrow('is used with another data folder')
  },
  300_000,
)
