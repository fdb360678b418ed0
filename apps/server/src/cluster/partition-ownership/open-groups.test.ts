import { silentLogger } from '@tributary/kernel'
import { createCoordinationHub, openRelational, seenMembers } from '@tributary/storage'
import { createTestDatabase } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { openGroups } from './open-groups.ts'

test('a process that also collects counts once among group owners, and not again among collectors', async () => {
  const store = await createTestDatabase()
  const relational = openRelational({ url: store.url, logger: silentLogger, maxConnections: 3 })
  const hub = createCoordinationHub()
  const { roles, dataDir } = readConfig({})
  expect(roles.has('collect')).toBe(true)
  const groups = await openGroups(
    { roles, dataDir, partitionGroups: 2 },
    {
      url: store.url,
      relational,
      hub,
      isMain: true,
      announced: undefined,
      onRefused: () => {},
      make: () => ({
        start: async () => {},
        stop: async () => {},
        running: () => true,
        wake: () => {},
        relay: async () => undefined,
      }),
      logger: silentLogger,
    },
  )
  await groups.pipeline.start()
  expect(groups.pipeline.describe()).toBe('has 2 of 2')
  expect(await seenMembers(relational.pool, 'pipeline', 10_000)).toHaveLength(1)
  expect(await seenMembers(relational.pool, 'collect', 10_000)).toEqual([])
  await groups.pipeline.stop()
  await groups.close()
  await hub.close()
  await relational.close()
  await store.close()
})
