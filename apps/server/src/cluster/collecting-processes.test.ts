import { silentLogger } from '@tributary/kernel'
import { createTestDatabase, eventually } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { countCollectingProcesses, pausedProcesses } from './collecting-processes.ts'

test('collecting processes count each other when they start and stop, and keep the last count while the database is down', async () => {
  const store = await createTestDatabase()
  let isAway = false
  const pool = {
    query: (...given: unknown[]) =>
      isAway
        ? Promise.reject(new Error('away'))
        : (store.pool.query as (...given: unknown[]) => Promise<unknown>)(...given),
  } as typeof store.pool
  const start = () => countCollectingProcesses({ pool, logger: silentLogger, everyMs: 50 })
  const one = start()
  expect(one.count()).toBe(1)
  const [two, three] = [start(), start()]
  await eventually('three', () => [one, two, three].every((each) => each.count() === 3))
  await three.stop()
  await eventually('two', () => one.count() === 2 && two.count() === 2)
  isAway = true
  await two.stop()
  expect(one.count()).toBe(2)
  isAway = false
  await eventually('one', () => one.count() === 1)
  await one.stop()
  expect(await pausedProcesses(store.pool)).toHaveLength(1)
  // Some requests of this process may still reach the log.
  const unsure = start()
  await unsure.begun
  await unsure.stop(true)
  expect(await pausedProcesses(store.pool)).toHaveLength(2)
  await store.close()
})
