import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { familyOf, isAlive, post, storedEvents, track } from './calls.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-life-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Sends batches from several connections until the server has stopped; records exactly the acknowledged events. */
const loadUntilGone = (product: Product, key: string) => {
  const acknowledged: string[] = []
  const refused: number[] = []
  let serial = 0
  const worker = async (): Promise<void> => {
    for (;;) {
      const ids = Array.from({ length: 20 }, () => `load-${serial++}`)
      try {
        const answer = await post(product, '/v1/batch', key, { batch: ids.map((id) => track(id)) })
        await answer.arrayBuffer()
        if (answer.status === 200) acknowledged.push(...ids)
        else refused.push(answer.status)
      } catch {
        return
      }
    }
  }
  return { acknowledged, refused, ended: Promise.all(Array.from({ length: 8 }, worker)) }
}

const prepare = async (product: Product, url: string) => {
  await product.api.login(adminCredentials)
  const { workspace } = await createWorkspace(product.api)
  const made = await createSource(product.api, workspace)
  await createWebhook(product.api, workspace, made.source, { url, batching: true, batch_size: 100 })
  return { ...made, workspace }
}

const everythingArrived = async (product: Product, source: string, wanted: readonly string[]): Promise<string[]> => {
  const stored = await eventually(
    'all stored',
    async () => {
      const ids = (await storedEvents(product, source)).map((event) => event.message_id)
      const known = new Set(ids)
      return wanted.every((id) => known.has(id)) && ids
    },
    60_000,
  )
  expect(new Set(stored).size).toBe(stored.length)
  return stored
}

test('SIGTERM under load with a hanging destination ends all processes within 20 s with code 0, and loses no acknowledged event', async () => {
  await using receiver = await startWebhookReceiver({ keepBodies: false })
  await using hanging = await startWebhookReceiver({ keepBodies: false })
  hanging.behave({ hang: true })
  const dataDir = join(folder, 'graceful')
  const first = await startProduct({ dataDir })
  const { source, key, workspace } = await prepare(first, receiver.url)
  await createWebhook(first.api, workspace, source, { url: hanging.url }, 'Hanging')
  const load = loadUntilGone(first, key)
  await eventually('load runs', () => load.acknowledged.length > 2000)
  const family = familyOf(first.pid)
  expect(family.length).toBeGreaterThan(3)
  const began = Date.now()
  expect(await first.stop()).toBe(0)
  expect(Date.now() - began).toBeLessThan(20_000)
  await load.ended
  // Requests that are refused while stopping get status 503, after which SDKs send them again.
  expect(load.refused.filter((status) => status !== 503)).toEqual([])
  await eventually('no process left', () => !family.some(isAlive), 30_000)
  // Each engine was stopped, not killed: PostgreSQL has removed its lock file.
  await expect(stat(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow(/ENOENT/)
  expect(first.output()).not.toMatch(/"level":"error"/)
  await using second = await startProduct({ dataDir })
  await second.api.login(adminCredentials)
  const stored = await everythingArrived(second, source, load.acknowledged)
  await eventually('all delivered', () => stored.every((id) => receiver.messageIds().has(id)), 60_000)
})
