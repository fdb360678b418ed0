import { once } from 'node:events'
import { chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  serverEntry,
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

/** Sends batches from several connections until the server goes away; remembers exactly what was acknowledged. */
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

test('SIGTERM under load with a hanging destination ends everything within 20 s with code 0, and loses nothing acknowledged', async () => {
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
  // What is refused while stopping is refused in words that make SDKs send it again.
  expect(load.refused.filter((status) => status !== 503)).toEqual([])
  await eventually('no process left', () => !family.some(isAlive), 5000)
  // Each engine was stopped, not cut: PostgreSQL has taken its lock file away.
  await expect(stat(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow(/ENOENT/)
  expect(first.output()).not.toMatch(/"level":"error"/)
  await using second = await startProduct({ dataDir })
  await second.api.login(adminCredentials)
  const stored = await everythingArrived(second, source, load.acknowledged)
  await eventually('all delivered', () => stored.every((id) => receiver.messageIds().has(id)), 60_000)
}, 120_000)

test('after SIGKILL of the server its engines end by themselves', async () => {
  const product = await startProduct({ dataDir: join(folder, 'killed') })
  const family = familyOf(product.pid)
  await product.kill()
  await eventually('no process left', () => !family.some(isAlive), 30_000)
})

test('the server and its engines end in order when what started them is gone, even by SIGKILL', async () => {
  const starter = `
    const { spawn } = require('node:child_process')
    spawn(process.execPath, ${JSON.stringify(['--disable-warning=ExperimentalWarning', serverEntry])}, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })`
  const dataDir = join(folder, 'orphaned')
  const product = await startProduct({ dataDir, command: ['-e', starter] })
  const family = familyOf(product.pid)
  expect(family.length).toBeGreaterThan(3)
  await product.kill()
  await eventually('no process left', () => !family.some(isAlive), 30_000)
  // PostgreSQL was stopped, not cut.
  await expect(stat(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow(/ENOENT/)
})

test('SIGTERM during the first start leaves no process behind, and the next start succeeds', async () => {
  const dataDir = join(folder, 'interrupted')
  let family: number[] = []
  const start = startProduct({
    dataDir,
    onSpawn(pid) {
      void eventually('an engine is being made', () => {
        family = familyOf(pid)
        return family.length > 2
      }).then(() => process.kill(pid, 'SIGTERM'))
    },
  })
  await expect(start).rejects.toThrow(/ended with/)
  expect(family.length).toBeGreaterThan(2)
  await eventually('no process left', () => !family.some(isAlive), 40_000)
  await using product = await startProduct({ dataDir })
  expect((await fetch(`${product.url}/health/ready`)).status).toBe(200)
})

test('a start that cannot succeed says why in one line, leaves no process behind and harms nothing', async () => {
  const dataDir = join(folder, 'refused')
  const env = { TRIBUTARY_SECRET_KEY: 'the-secret-key-of-this-folder-0001', TRIBUTARY_ADMIN_PASSWORD: '' }
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const PORT = String((listener.address() as AddressInfo).port)
  const taken = await startProduct({ dataDir, env: { ...env, PORT } }).catch(String)
  listener.close()
  expect(taken).toMatch(/Cannot listen on 127\.0\.0\.1, port \d+: the port is already in use/)
  expect(taken).not.toMatch(/\n\s+at /)
  // The first start that succeeds makes the administrator and shows the password.
  const first = await startProduct({ dataDir, env })
  const password = /password +(\S+)/.exec(first.output())?.[1] ?? ''
  await first.api.login({ ...adminCredentials, password })
  const { workspace } = await createWorkspace(first.api)
  const { key } = await createSource(first.api, workspace)
  expect(await first.stop()).toBe(0)
  let family: number[] = []
  const other = await startProduct({
    dataDir,
    env: { TRIBUTARY_SECRET_KEY: 'some-other-key-than-the-one-before' },
    onSpawn(pid) {
      const look = (): void => {
        if (!isAlive(pid)) return
        family = [...new Set([...family, ...familyOf(pid)])]
        setTimeout(look, 50)
      }
      look()
    },
  }).catch(String)
  expect(other).toMatch(/encrypted with another secret key/)
  await eventually('no process left', () => !family.some(isAlive), 10_000)
  await using again = await startProduct({ dataDir, env: { TRIBUTARY_SECRET_KEY: env.TRIBUTARY_SECRET_KEY } })
  expect(again.output()).toContain(`TRIBUTARY_ADMIN_PASSWORD is not the password of ${adminCredentials.email}`)
  expect((await post(again, '/v1/track', key, track('after'))).status).toBe(200)
})

test.skipIf(process.getuid?.() !== 0)(
  'runs as an ordinary user in a deep data folder (needs root to become one)',
  async () => {
    const nobody = { uid: 65_534, gid: 65_534 }
    const own = await mkdtemp(join(tmpdir(), 'tributary-user-'))
    const dataDir = join(own, 'a data folder, with spaces', ...Array.from({ length: 8 }, (_, i) => `${i}`.repeat(30)))
    await mkdir(dataDir, { recursive: true })
    for (let at = dataDir; at.length >= own.length; at = join(at, '..')) await chown(at, nobody.uid, nobody.gid)
    expect(dataDir.length).toBeGreaterThan(250)
    try {
      await using receiver = await startWebhookReceiver()
      await using product = await startProduct({ dataDir, user: nobody })
      const { source, key } = await prepare(product, receiver.url)
      expect((await post(product, '/v1/track', key, track('ordinary'))).status).toBe(200)
      await everythingArrived(product, source, ['ordinary'])
      await eventually('delivered', () => receiver.messageIds().has('ordinary'))
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody.uid)
      expect((await stat(join(dataDir, 'secret.key'))).mode & 0o077).toBe(0)
      expect(await product.stop()).toBe(0)
    } finally {
      await rm(own, { recursive: true, force: true })
    }
  },
)
