import { spawnSync } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  adminCredentials,
  commandEnvironment,
  createSource,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
} from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

const root = new URL('../..', import.meta.url).pathname
let folder: string
/** Creates a folder on the disk of the checkout. A test fills the disk, and temporary files may be in memory. */
const makeFolder = (): Promise<string> => mkdtemp(join(root, '.cache', 'tributary-ops-'))
beforeEach(async () => {
  folder = await makeFolder()
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

/** Returns the files of a data folder that other users can read, with their modes. */
const openToOthers = async (dataDir: string): Promise<string[]> => {
  const names = ['', ...(await readdir(dataDir, { recursive: true }))]
  const found = await Promise.all(
    names.map(async (name) => {
      // Symbolic links have no mode of their own, and running engines may remove files, so both are ignored.
      const { mode } = await lstat(join(dataDir, name)).catch(() => ({ mode: 0 }))
      return (mode & 0o170000) === 0o120000 || (mode & 0o077) === 0 ? [] : [`${name} ${(mode & 0o777).toString(8)}`]
    }),
  )
  return found.flat()
}

const track = (url: string, key: string, messageId: string): Promise<Response> =>
  fetch(`${url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'u', event: 'E', messageId }),
  })

describe('the operation of a product', () => {
  let own: string
  let freeMiB: number
  let product: Product
  beforeAll(async () => {
    own = await makeFolder()
    const { bavail, bsize } = statfsSync(own)
    freeMiB = Math.floor((bavail * bsize) / 1024 ** 2)
    const dataDir = join(own, 'data')
    // The folder is created beforehand, like by a package or a volume.
    await mkdir(dataDir)
    await chmod(dataDir, 0o755)
    product = await startProduct({
      dataDir,
      fromNothing: true,
      env: { TRIBUTARY_DISK_RESERVE_MB: String(Math.floor(freeMiB / 2)) },
    })
  })
  afterAll(async () => {
    await product?.[Symbol.asyncDispose]()
    await rm(own, { recursive: true, force: true })
  })

  test('a second instance on one data folder is refused, and the message names the running one', async () => {
    const second = startProduct({ dataDir: product.dataDir })
    await expect(second).rejects.toThrow(new RegExp(`id ${product.pid}`))
    expect((await fetch(`${product.url}/health/live`)).status).toBe(200)
  })

  test('a nearly full disk refuses new requests with 503, keeps acknowledged events, and recovers automatically', async () => {
    await product.api.login(adminCredentials)
    const { workspace } = await createWorkspace(product.api)
    const { source, key } = await createSource(product.api, workspace)
    expect((await track(product.url, key, 'before')).status).toBe(200)
    const ballast = join(folder, 'ballast')
    expect(spawnSync('fallocate', ['-l', `${Math.floor(freeMiB * 0.6)}M`, ballast]).status).toBe(0)
    const refused = await eventually('refused', async () => {
      const answer = await track(product.url, key, 'during')
      return answer.status === 503 && answer
    })
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    expect((await fetch(`${product.url}/health/ready`)).status).toBe(503)
    await rm(ballast)
    await eventually('accepted again', async () => (await track(product.url, key, 'after')).status === 200)
    await eventually('both stored', async () => {
      const { events } = await product.api.ok('GET', `/${source}/events`)
      const ids = (events as { message_id: string }[]).map(({ message_id }) => message_id)
      return ids.includes('before') && ids.includes('after')
    })
  })

  test('backup, wipe, and restore give the same product, unreadable for other users; its administrator can get a new password any time', async () => {
    const { dataDir } = product
    const run = (script: string, args = ['backup.tar.zst']): { status: number | null; output: string } => {
      const done = spawnSync(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', join(root, `scripts/${script}.ts`), ...args],
        {
          // Both paths are relative to the user's working directory.
          env: { ...commandEnvironment, TRIBUTARY_DATA_DIR: 'data', INIT_CWD: own },
          encoding: 'utf8',
        },
      )
      return { status: done.status, output: `${done.stdout}${done.stderr}` }
    }
    const first = product
    await first.api.login(adminCredentials)
    const { workspace } = await createWorkspace(first.api, 'Kept')
    const { source, key } = await createSource(first.api, workspace, 'Kept source')
    for (const id of ['a', 'b', 'c']) expect((await track(first.url, key, id)).status).toBe(200)
    await eventually(
      'stored',
      async () => ((await first.api.ok('GET', `/${source}/events`)).events as unknown[]).length === 3,
    )
    expect(await openToOthers(dataDir)).toEqual([])
    expect(run('backup').output).toMatch(/in use/)
    const newPassword = (): string => /password +(\S+)/.exec(run('admin-password', []).output)?.[1] ?? ''
    const whileRunning = newPassword()
    await expect(first.api.login(adminCredentials)).rejects.toThrow(/401/)
    await first.api.login({ ...adminCredentials, password: whileRunning })
    await first.stop()
    const whileStopped = newPassword()
    expect(run('backup')).toMatchObject({ status: 0 })
    expect((await stat(join(own, 'backup.tar.zst'))).mode & 0o777).toBe(0o600)
    await rm(dataDir, { recursive: true })
    expect(run('restore')).toMatchObject({ status: 0 })
    await using second = await startProduct({ dataDir })
    await second.api.login({ ...adminCredentials, password: whileStopped })
    const { title } = await second.api.ok('GET', `/${source}`)
    expect(title).toBe('Kept source')
    expect((await track(second.url, key, 'a')).status).toBe(200)
    expect((await track(second.url, key, 'd')).status).toBe(200)
    await eventually('the new one stored, the repeated one not', async () => {
      const { events } = await second.api.ok('GET', `/${source}/events`)
      return (
        (events as { message_id: string }[])
          .map(({ message_id }) => message_id)
          .sort()
          .join() === 'a,b,c,d'
      )
    })
  })
})

test('every configuration error is reported at once', async () => {
  const start = startProduct({
    dataDir: join(folder, 'data'),
    env: { HOST: ' ', TRIBUTARY_EGRESS_ALLOW: 'everything', TRIBUTARY_TYPO: '1' },
  })
  await expect(start).rejects.toThrow(/HOST[\s\S]*TRIBUTARY_EGRESS_ALLOW[\s\S]*TRIBUTARY_TYPO/)
})
