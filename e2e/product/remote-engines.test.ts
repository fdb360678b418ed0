import { existsSync } from 'node:fs'
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
  type SharedEventStore,
  type SharedPostgres,
  startProduct,
  startSharedEventStore,
  startSharedPostgres,
  startWebhookReceiver,
  withDatabase,
  withEventDatabase,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childrenOf, post, storedEvents, track } from './calls.ts'

let postgres: SharedPostgres
let eventStore: SharedEventStore
let folder: string
let env: Record<string, string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-remote-'))
  postgres = await startSharedPostgres()
  eventStore = await startSharedEventStore()
  env = {
    DATABASE_URL: withDatabase(postgres.url, 'postgres'),
    CLICKHOUSE_URL: withEventDatabase(eventStore.url, 'default'),
  }
})
afterAll(async () => {
  await eventStore?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const partsOf = async (product: Product): Promise<Record<string, { ok: boolean }>> =>
  ((await (await fetch(`${product.url}/health/ready`)).json()) as { parts: Record<string, { ok: boolean }> }).parts

test('with DATABASE_URL and CLICKHOUSE_URL no engine of its own runs, and events are collected, stored and delivered the same', async () => {
  await using receiver = await startWebhookReceiver()
  const dataDir = join(folder, 'data')
  let source = ''
  {
    await using product = await startProduct({ dataDir, env })
    expect(childrenOf(product.pid)).toEqual([])
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
    expect(existsSync(join(dataDir, 'event-store'))).toBe(false)
    expect(Object.keys(await partsOf(product))).not.toContain('postgres')
    await product.api.login(adminCredentials)
    const { workspace } = await createWorkspace(product.api)
    const made = await createSource(product.api, workspace)
    source = made.source
    await createWebhook(product.api, workspace, source, { url: receiver.url })
    for (const id of ['a', 'b', 'a', 'c'])
      expect((await post(product, '/v1/track', made.key, track(id))).status).toBe(200)
    expect((await post(product, '/v1/batch', made.key, { batch: [track('d', { type: 'nonsense' })] })).status).toBe(200)
    await eventually('stored', async () => (await storedEvents(product, source)).length === 4)
    await eventually('delivered', () => receiver.messageIds().size === 3)
    await eventually('the repetition counted', async () => {
      const page = await product.api.ok('GET', `/${source}/droppedEvents`)
      return (page.dropped_events as { count: number }[])[0]?.count === 1
    })
    expect(
      (await storedEvents(product, source)).map(({ message_id, status }) => `${message_id} ${status}`).toSorted(),
    ).toEqual(['a accepted', 'b accepted', 'c accepted', 'd rejected'])
    expect(await product.stop()).toBe(0)
  }
  await using again = await startProduct({ dataDir, env })
  await again.api.login(adminCredentials)
  expect(await storedEvents(again, source)).toHaveLength(4)
  expect([...receiver.messageIds().values()]).toEqual([1, 1, 1])
})

test('an engine that cannot be reached ends the start with its reason, without the password', async () => {
  const start = startProduct({
    dataDir: join(folder, 'nowhere'),
    env: { ...env, DATABASE_URL: 'postgres://someone:very-secret-word@127.0.0.1:1/none' },
  })
  const failure = await start.then(
    () => '',
    (error: unknown) => String(error),
  )
  expect(failure).toMatch(/ECONNREFUSED/)
  expect(failure).not.toContain('very-secret-word')
})
