import { randomBytes } from 'node:crypto'
import { silentLogger } from '@tributary/kernel'
import { openRelational, type Relational } from '@tributary/storage'
import { templateDatabase, withDatabase } from './postgres.ts'
import type {} from './provided.ts'

/** A migrated, empty database of one test, which is dropped on disposal. */
export type TestDatabase = Relational & {
  /** Address to give to a product under test, in the form of `DATABASE_URL`. */
  url: string
}

/**
 * Creates a copy of the migrated template in the shared PostgreSQL of the test run (takes tens of milliseconds). Use it
 * with `await using`; it closes its own pool and cuts every other connection to the database.
 */
export const createTestDatabase = async (): Promise<TestDatabase> => {
  // Imported here, because this package is also used outside of test runs.
  const { inject } = await import('vitest')
  const adminUrl = inject('postgresUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  const url = withDatabase(adminUrl, name)
  const administer = async (statement: string): Promise<void> => {
    await using admin = openRelational({ url: adminUrl, logger: silentLogger, maxConnections: 1 })
    await admin.pool.query(statement)
  }
  await administer(`create database ${name} template ${templateDatabase} strategy file_copy`)
  const relational = openRelational({ url, logger: silentLogger, maxConnections: 5 })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    const end = closing ?? relational.close().then(() => administer(`drop database if exists ${name} with (force)`))
    closing = end
    return end
  }
  return { db: relational.db, pool: relational.pool, url, close, [Symbol.asyncDispose]: close }
}
