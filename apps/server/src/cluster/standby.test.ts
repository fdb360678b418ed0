import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { announceProcess, knownSchemas, takeTenure } from '@tributary/storage'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isShared, readConfig } from '../config/config.ts'
import { becomeMain, OtherRoles, requireSameRoles } from './standby.ts'

const kafka = { KAFKA_BROKERS: 'kafka-1:9092' }
// No server listens at this address, so waiting for a lease fails.
const database = { DATABASE_URL: 'postgres://tributary@127.0.0.1:1/tributary' }
const eventStore = { CLICKHOUSE_URL: 'http://127.0.0.1:1/default' }

test.each([
  ['nothing', {}, false],
  ['the log', kafka, false],
  ['log and database', { ...kafka, ...database }, false],
  ['log and event store', { ...kafka, ...eventStore }, false],
  ['database and event store', { ...database, ...eventStore }, false],
  ['all three', { ...kafka, ...database, ...eventStore }, true],
])(
  'with %s remote, a start waits for a lease only if no processing state is on the disk',
  async (_, environment, shared) => {
    const config = readConfig(environment)
    expect(isShared(config)).toBe(shared)
    const start = becomeMain(config, { loadedKey: 'key', logger: silentLogger, onLost: () => {} })
    if (shared) await expect(start).rejects.toThrow('ECONNREFUSED')
    else expect(await start).toBeUndefined()
  },
)

const all = 'api,collect,realtime,pipeline,delivery,profiles,jobs'
const rolesOf = (roles: string) => readConfig({ TRIBUTARY_ROLES: roles })

describe('roles', () => {
  let store: TestDatabase
  beforeAll(async () => {
    store = await createTestDatabase()
  })
  afterAll(() => store?.close())

  test.each([
    ['profiles', [all], 'other'],
    ['api,realtime', [all], 'other'],
    ['all', ['api,realtime,jobs,profiles'], 'other'],
    ['api,collect', ['api,profiles', 'collect', 'pipeline,delivery'], 'other'],
    ['all', [all], 'same'],
    ['all', ['jobs,profiles,delivery,pipeline,realtime,collect,api'], 'same'],
    ['api,realtime,jobs,profiles', ['api,realtime,jobs,profiles', 'collect', 'pipeline'], 'same'],
    // A killed process still counts for a while. The process that has taken over in the meantime has the same roles.
    ['api', [all, 'api'], 'same'],
    // There is no main process: a process that only collects or processes never becomes one.
    ['profiles', ['collect', 'pipeline', 'delivery,pipeline'], 'same'],
    ['profiles', [], 'same'],
  ])(
    'a process with the roles %s, beside those with %j, may stand by only with the roles of the main process',
    async (roles, running, found) => {
      const ending = []
      for (const each of running)
        ending.push(
          await announceProcess({
            pool: store.pool,
            id: each,
            host: 'shop-1',
            version: '1.2.3',
            roles: each.split(','),
            knows: knownSchemas(),
            onTooOld: () => {},
            logger: silentLogger,
          }),
        )
      const checking = requireSameRoles(rolesOf(roles), store)
      if (found === 'same') await checking
      else await expect(checking).rejects.toThrow(OtherRoles)
      for (const { stop } of ending) await stop()
    },
  )
})

test('a process with other roles than the main process does not stand by, and reports the roles', async () => {
  await using store = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'tributary-roles-'))
  const config = readConfig({
    ...kafka,
    ...eventStore,
    DATABASE_URL: store.url,
    PORT: '0',
    TRIBUTARY_DATA_DIR: dataDir,
    TRIBUTARY_ROLES: 'profiles',
  })
  const tenure = await takeTenure({
    url: store.url,
    name: 'main',
    of: 'the main process',
    logger: silentLogger,
    onLost: () => {},
  })
  const active = await announceProcess({
    pool: store.pool,
    id: 'active',
    host: 'shop-1',
    version: '1.2.3',
    roles: all.split(','),
    knows: knownSchemas(),
    onTooOld: () => {},
    logger: silentLogger,
  })
  await expect(
    becomeMain(config, { loadedKey: 'k'.repeat(43), logger: silentLogger, onLost: () => {} }),
  ).rejects.toThrow(/^The main process has the roles api,.* and this one profiles: .* TRIBUTARY_ROLES/)
  await active.stop()
  await tenure.release()
  rmSync(dataDir, { recursive: true })
})
