import { once } from 'node:events'
import { chown, mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
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

test('the server and its engines end in order if the process that started them has ended, even by SIGKILL', async () => {
  const starter = `
    const { spawn } = require('node:child_process')
    spawn(process.execPath, ${JSON.stringify(['--disable-warning=ExperimentalWarning', serverEntry])}, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })`
  const dataDir = join(folder, 'orphaned')
  const product = await startProduct({ dataDir, command: ['-e', starter] })
  const family = familyOf(product.pid)
  expect(family.length).toBeGreaterThan(3)
  await product.kill()
  await eventually('no process left', () => !family.some(isAlive), 30_000)
  // PostgreSQL was stopped, not killed.
  await expect(stat(join(dataDir, 'postgres', 'postmaster.pid'))).rejects.toThrow(/ENOENT/)
})

/** Returns a port that is free now. */
const freePort = async (): Promise<number> => {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}

/** Polls until the product is ready, and signs in immediately; returns the status of the sign-in. */
const signInWhenReady = async (url: string): Promise<number> => {
  const look = (): Promise<number> =>
    fetch(`${url}/health/ready`).then(
      ({ status }) => status,
      () => 0,
    )
  // When the product listens, the polls have no pause, to sign in at the first possible moment.
  for (let status = 0; status !== 200; status = await look()) await (status === 0 ? pause(5) : setImmediate())
  const { status } = await fetch(`${url}/api/users:login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(adminCredentials),
  })
  return status
}

test('SIGTERM during the first start leaves no process behind, and after the next start a person can sign in immediately; its engines end after SIGKILL of the server', async () => {
  const dataDir = join(folder, 'interrupted')
  let family: number[] = []
  const start = startProduct({
    dataDir,
    fromNothing: true,
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
  const port = await freePort()
  const signingIn = signInWhenReady(`http://127.0.0.1:${port}`)
  await using product = await startProduct({ dataDir, env: { PORT: String(port) }, fromNothing: true })
  expect(await signingIn).toBe(200)
  expect((await fetch(`${product.url}/health/ready`)).status).toBe(200)
  family = familyOf(product.pid)
  expect(family.length).toBeGreaterThan(2)
  await product.kill()
  await eventually('no process left', () => !family.some(isAlive), 30_000)
})

test('a start that cannot succeed prints the reason in one line, leaves no process behind, and damages nothing', async () => {
  const dataDir = join(folder, 'refused')
  const env = { TRIBUTARY_SECRET_KEY: 'the-secret-key-of-this-folder-0001', TRIBUTARY_ADMIN_PASSWORD: '' }
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const PORT = String((listener.address() as AddressInfo).port)
  const taken = await startProduct({ dataDir, env: { ...env, PORT } }).catch(String)
  listener.close()
  expect(taken).toMatch(/Cannot listen on 127\.0\.0\.1, port \d+: the port is already in use/)
  expect(taken).not.toMatch(/\n\s+at /)
  // The first successful start creates the administrator and shows the password.
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
  await eventually('no process left', () => !family.some(isAlive), 30_000)
  await using again = await startProduct({ dataDir, env: { TRIBUTARY_SECRET_KEY: env.TRIBUTARY_SECRET_KEY } })
  expect(again.output()).toContain(`TRIBUTARY_ADMIN_PASSWORD is not the password of ${adminCredentials.email}`)
  expect((await post(again, '/v1/track', key, track('after'))).status).toBe(200)
})

test.skipIf(process.getuid?.() !== 0)(
  'the product runs as an ordinary user in a deep data folder (needs root to become one)',
  async () => {
    const otherAccount = { uid: 65_534, gid: 65_534 }
    const own = await mkdtemp(join(tmpdir(), 'tributary-user-'))
    const dataDir = join(own, 'a data folder, with spaces', ...Array.from({ length: 8 }, (_, i) => `${i}`.repeat(30)))
    await mkdir(dataDir, { recursive: true })
    for (let at = dataDir; at.length >= own.length; at = join(at, '..'))
      await chown(at, otherAccount.uid, otherAccount.gid)
    expect(dataDir.length).toBeGreaterThan(250)
    try {
      await using receiver = await startWebhookReceiver()
      await using product = await startProduct({ dataDir, user: otherAccount })
      await product.api.login(adminCredentials)
      const { workspace } = await createWorkspace(product.api)
      const { source, key } = await createSource(product.api, workspace)
      await createWebhook(product.api, workspace, source, { url: receiver.url })
      expect((await post(product, '/v1/track', key, track('ordinary'))).status).toBe(200)
      await eventually('stored', async () => (await storedEvents(product, source)).length === 1)
      await eventually('delivered', () => receiver.messageIds().has('ordinary'))
      expect((await stat(join(dataDir, 'postgres'))).uid).toBe(otherAccount.uid)
      expect((await stat(join(dataDir, 'secret.key'))).mode & 0o077).toBe(0)
      expect(await product.stop()).toBe(0)
    } finally {
      await rm(own, { recursive: true, force: true })
    }
  },
)
