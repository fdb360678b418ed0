import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestEventStore, type TestEventStore } from './event-store.ts'

/**
 * Creates a database and an event store that all tests of a file share; call it at the top of the file. They are
 * removed after its last test.
 */
export const createTestStores = async (): Promise<{ database: TestDatabase; store: TestEventStore }> => {
  // Imported here, because this package is also used outside of test runs.
  const { afterAll } = await import('vitest')
  const [database, store] = await Promise.all([createTestDatabase(), createTestEventStore()])
  afterAll(async () => {
    await database.close()
    await store.close()
  })
  return { database, store }
}
