import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { createEmbeddedPostgres, createSupervisor, installJobs, migrate, openRelational } from '@tributary/storage'

/** The migrated database that is copied for each test database. */
export const templateDatabase = 'tributary_template'

/** Replaces the database in the address of a PostgreSQL server. */
export const withDatabase = (url: string, database: string): string =>
  url.replace(/(^postgres(?:ql)?:\/\/[^/]*\/)[^?]*/, `$1${database}`)

export type SharedPostgres = AsyncDisposable & {
  /** Address of the administrative database. `withDatabase` makes the addresses of other databases from it. */
  url: string
}

/**
 * Starts one PostgreSQL for a whole test run, in a temporary folder, with a migrated template database. It does not
 * sync to disk: tests of durability start their own with the product's settings.
 */
export const startSharedPostgres = async (): Promise<SharedPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-test-'))
  const supervisor = createSupervisor({ logger: silentLogger })
  const dispose = async (): Promise<void> => {
    await supervisor.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const { spec, url: productUrl } = await createEmbeddedPostgres({
      dir: join(folder, 'postgres'),
      logger: silentLogger,
      durable: false,
      settings: { max_connections: '300', autovacuum: 'off', shared_buffers: '64MB' },
    })
    await supervisor.add(spec)
    const url = withDatabase(productUrl, 'postgres')
    await using admin = openRelational({ url, logger: silentLogger, maxConnections: 1 })
    await admin.pool.query(`create database ${templateDatabase}`)
    // Roles of `createPostgresPeer` must use a password.
    await appendFile(join(folder, 'postgres', 'pg_hba.conf'), 'local all /^peer_ scram-sha-256\n')
    await admin.pool.query('select pg_reload_conf()')
    await using template = openRelational({
      url: withDatabase(url, templateDatabase),
      logger: silentLogger,
      maxConnections: 1,
    })
    await migrate(template.db)
    await installJobs(template.pool)
    return { url, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}
