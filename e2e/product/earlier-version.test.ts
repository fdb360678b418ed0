import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import {
  createChdbChild,
  createClickHouseEventStore,
  createEmbeddedPostgres,
  createSupervisor,
  openRelational,
} from '@tributary/storage'
import {
  adminCredentials,
  becomeEarlierDatabase,
  becomeEarlierEventStore,
  commandEnvironment,
  createSource,
  createWorkspace,
  eventually,
  ownQueries,
  type Product,
  startProduct,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { post, storedEvents, track } from './calls.ts'

const root = new URL('../..', import.meta.url).pathname

/** Changes the stores of a data folder to those of the last commit of version 0.1. */
const becomeEarlier = async (dataDir: string, { newest = 13 } = {}): Promise<void> => {
  const supervisor = createSupervisor({ logger: silentLogger })
  try {
    const postgres = await createEmbeddedPostgres({ dir: join(dataDir, 'postgres'), logger: silentLogger })
    await supervisor.add(postgres.spec)
    await using relational = openRelational({ url: postgres.url, logger: silentLogger })
    await becomeEarlierDatabase(relational)
    const child = await createChdbChild({ dataDir: join(dataDir, 'event-store'), memoryBytes: 700 * 1024 ** 2 })
    await supervisor.add(child.spec)
    const store = createClickHouseEventStore({
      url: child.url,
      user: child.user,
      password: child.password,
      capacity: child.capacity,
      logger: silentLogger,
    })
    await becomeEarlierEventStore(ownQueries(store), { newest })
    await store.close()
  } finally {
    await supervisor.stop()
  }
}

const run = (script: string, dataDir: string, ...args: string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, `scripts/${script}.ts`), ...args],
    { env: { ...commandEnvironment, TRIBUTARY_DATA_DIR: dataDir }, encoding: 'utf8' },
  )
  return { status, output: `${stdout}${stderr}` }
}

const messageIds = async (product: Product, source: string): Promise<unknown[]> =>
  (await storedEvents(product, source)).map((event) => event.message_id).toSorted()

test('a backup of the last version before the baseline is restored and works; both stores refuse an older one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-earlier-'))
  try {
    const dataDir = join(folder, 'data')
    const backup = join(folder, 'backup.tar.zst')
    const made = await startProduct({ dataDir })
    await made.api.login(adminCredentials)
    const { workspace } = await createWorkspace(made.api)
    const { source, key } = await createSource(made.api, workspace)
    await post(made, '/v1/track', key, track('before'))
    await eventually('stored', async () => (await messageIds(made, source)).length === 1)
    expect(await made.stop()).toBe(0)

    // The database alone could be upgraded. It must stay at version 0.1, so that version 0.1 can bring the event store
    // to its last state.
    await becomeEarlier(dataDir, { newest: 12 })
    for (const _ of [1, 2])
      await expect(startProduct({ dataDir })).rejects.toThrow(
        /The event store cannot be brought to this version of Tributary.*Start version 0\.1 of commit 8f80beb3/,
      )
    expect(run('admin-password', dataDir)).toMatchObject({
      status: 1,
      output: expect.stringContaining('start the main process, in this version, before commands'),
    })

    await becomeEarlier(dataDir)
    expect(run('backup', dataDir, backup)).toMatchObject({ status: 0 })
    await rm(dataDir, { recursive: true })
    expect(run('restore', dataDir, backup)).toMatchObject({ status: 0 })
    await using restored = await startProduct({ dataDir })
    await restored.api.login(adminCredentials)
    for (const id of ['before', 'after']) expect((await post(restored, '/v1/track', key, track(id))).status).toBe(200)
    await eventually('stored', async () => (await messageIds(restored, source)).length === 2)
    expect(await messageIds(restored, source)).toEqual(['after', 'before'])
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
})
