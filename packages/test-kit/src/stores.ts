import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestEventStore, type TestEventStore } from './event-store.ts'

/**
 * A database and an event store for the tests of a file, which share them: to be called where the file begins. They are
 * gone after its last test.
 */
export const createTestStores = async (): Promise<{ database: TestDatabase; store: TestEventStore }> => {
  // Imported here: this package is used outside of test runs, too.
  const { afterAll } = await import('vitest')
  const [database, store] = await Promise.all([createTestDatabase(), createTestEventStore()])
  afterAll(async () => {
    await database.close()
    await store.close()
  })
  return { database, store }
}
