import { newId, silentLogger } from '@tributary/kernel'
import { logPartitions, partitionOf } from '@tributary/storage'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPartitionMates } from './partition-mates.ts'

let database: TestDatabase
const organization_id = newId()
beforeAll(async () => {
  database = await createTestDatabase()
  await database.db.insertInto('organizations').values({ id: organization_id, title: 'Acme' }).execute()
})
afterAll(() => database.close())

const addWorkspace = async (id: string): Promise<string> => {
  await database.db.insertInto('workspaces').values({ id, organization_id, title: 'Shop' }).execute()
  return id
}
/** Generates an ID with the same partition as another ID, or with a different one. */
const idBeside = (other: string, isBeside: boolean): string => {
  for (;;) {
    const id = newId()
    if ((partitionOf(id, logPartitions) === partitionOf(other, logPartitions)) === isBeside) return id
  }
}

test('other workspaces may overtake a workspace if they share its partition', async () => {
  let now = 0
  const mayOvertake = createPartitionMates({ relational: database, logger: silentLogger, now: () => now })
  const flood = await addWorkspace(newId())
  const mate = await addWorkspace(idBeside(flood, true))
  const other = await addWorkspace(idBeside(flood, false))
  const partitions = [flood, other].map((id) => partitionOf(id, logPartitions))
  const answers = () => [
    mayOvertake(partitions[0] ?? 0, [flood]),
    mayOvertake(partitions[0] ?? 0, [flood, mate]),
    mayOvertake(partitions[1] ?? 0, [other]),
  ]
  expect(answers()).toEqual([false, false, false])
  await expect.poll(answers).toEqual([true, false, false])
  const late = await addWorkspace(idBeside(other, true))
  expect(mayOvertake(partitions[1] ?? 0, [other])).toBe(false)
  // After a minute, the result is read again.
  now = 100_000
  await expect.poll(() => mayOvertake(partitions[1] ?? 0, [other])).toBe(true)
  expect(mayOvertake(partitions[1] ?? 0, [other, late])).toBe(false)
})

test('a failed read is repeated after a while, not at each call', async () => {
  let asked = 0
  const away = () => Promise.reject(new Error(`away ${++asked}`))
  const relational = { pool: { ...database.pool, query: away } as unknown as typeof database.pool }
  let now = 0
  const mayOvertake = createPartitionMates({ relational, logger: silentLogger, now: () => now })
  const askOften = async (): Promise<void> => {
    for (let n = 0; n < 10; n++) {
      expect(mayOvertake(1, ['w'])).toBe(false)
      await new Promise((done) => setImmediate(done))
    }
  }
  await askOften()
  expect(asked).toBe(1)
  now = 5000
  await askOften()
  expect(asked).toBe(2)
})
