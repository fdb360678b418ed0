import type { Logger } from '@tributary/kernel'
import { Kysely, PostgresDialect } from 'kysely'
import { Pool, type PoolConfig } from 'pg'
import type { Database } from './schema.ts'

export type RelationalOptions = {
  /**
   * Address of PostgreSQL: `postgres://user:password@host:5432/database` over the network, or
   * `postgres://user@/database?host=/socket/folder` over a Unix socket. `sslmode` and the other parameters of libpq
   * that node-postgres understands may follow. Embedded and remote use the same form.
   */
  url: string
  logger: Logger
  /** Most connections at a time; further callers wait. Default 10. */
  maxConnections?: number
  /** Name shown in pg_stat_activity. */
  applicationName?: string
}

/** The relational store. `close` waits for running queries; later calls wait for the same end. */
export type Relational = AsyncDisposable & { db: Kysely<Database>; pool: Pool; close(): Promise<void> }

const poolConfig = (options: RelationalOptions): PoolConfig => ({
  connectionString: options.url,
  max: options.maxConnections ?? 10,
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  application_name: options.applicationName ?? 'tributary',
  options: '-c timezone=UTC -c statement_timeout=60000 -c idle_in_transaction_session_timeout=60000',
})

/**
 * Opens a pool; connects on first use, so PostgreSQL may still be starting. A connection that breaks (restart of the
 * server, shutdown, network) is logged and replaced on the next use; the query on it fails with the driver's error.
 */
export const openRelational = (options: RelationalOptions): Relational => {
  const pool = new Pool(poolConfig(options))
  const onError = (error: Error): void => {
    options.logger.warn({ error: error.message }, 'a connection to PostgreSQL was lost')
  }
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= db.destroy().then(async () => {
      if (!pool.ended) await pool.end()
    })
    return closing
  }
  return { db, pool, close, [Symbol.asyncDispose]: close }
}
