import { type Logger, resumeWork } from '@tributary/kernel'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { type ClientBase, Pool, type PoolConfig } from 'pg'
import { isReadTimeout } from './errors.ts'
import { preparedName } from './prepared.ts'
import type { Database } from './schema.generated.ts'

export type RelationalOptions = {
  /**
   * Address of PostgreSQL: `postgres://user:password@host:5432/database` over the network, or
   * `postgres://user@/database?host=/socket/folder` over a Unix socket. `sslmode` and other libpq parameters that
   * node-postgres supports may follow. Embedded and remote use the same form.
   */
  url: string
  logger: Logger
  /** Maximum concurrent connections; further callers wait. Default 10. */
  maxConnections?: number
  /** The application name in pg_stat_activity. */
  applicationName?: string
  /** Checks each new connection before it is used; if it rejects, the connection is not used. */
  admit?: (client: Pick<ClientBase, 'query'>) => Promise<void>
  /**
   * Maximum time of a statement, in ms; 0 means no limit. The server then ends it. Without a response five seconds
   * later, the caller gets an error that the server is unavailable. Default one minute.
   */
  statementMs?: number
}

/** The relational store. `close` waits for running queries; later calls wait for the same end. */
export type Relational = AsyncDisposable & { db: Kysely<Database>; pool: Pool; close(): Promise<void> }

/** How much later than the server the client ends a statement, so that the server's own error can arrive. */
const graceMs = 5000

const verifyBy =
  (admit: NonNullable<RelationalOptions['admit']>): NonNullable<PoolConfig['verify']> =>
  (client, done) => {
    admit(client).then(
      () => done(),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    )
  }

const poolConfig = (options: RelationalOptions, statementMs: number): PoolConfig => ({
  connectionString: options.url,
  max: options.maxConnections ?? 10,
  connectionTimeoutMillis: 10_000,
  idleTimeoutMillis: 30_000,
  keepAlive: true,
  // By default, Linux checks a silent connection after two hours.
  keepAliveInitialDelayMillis: 30_000,
  ...(statementMs === 0 ? {} : { query_timeout: statementMs + graceMs }),
  application_name: options.applicationName ?? 'tributary',
  ...(options.admit === undefined ? {} : { verify: verifyBy(options.admit) }),
  options: `-c timezone=UTC -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=60000`,
})

/**
 * The pool for Kysely. A connection whose server has not responded in time is closed instead of reused, because
 * everything on it would wait for that response.
 */
const withoutSilentConnections = (pool: Pool): PostgresPool => ({
  options: pool.options,
  end: () => pool.end(),
  async connect() {
    const client = await pool.connect()
    let silent = false
    const run = async (text: string, values: readonly unknown[] = []) => {
      try {
        const name = preparedName(text)
        const answer = await client.query({ text, values: [...values], ...(name === undefined ? {} : { name }) })
        resumeWork()
        return answer
      } catch (error) {
        silent ||= isReadTimeout(error)
        throw error
      }
    }
    // All other properties are those of the client.
    return Object.assign(Object.create(client), {
      query: run,
      release: (broken?: boolean) => client.release(silent || broken === true),
    })
  },
})

/**
 * Opens a pool, which connects on first use, so PostgreSQL may still be starting. A broken connection (restart of the
 * server, shutdown, network) is logged and replaced on the next use; its query fails with the driver's error.
 */
export const openRelational = (options: RelationalOptions): Relational => {
  const pool = new Pool(poolConfig(options, options.statementMs ?? 60_000))
  let closing: Promise<void> | undefined
  const onError = (error: Error): void => {
    // Errors are expected while the pool closes, because a stopping server may cut its connections.
    if (closing === undefined) options.logger.warn({ error: error.message }, 'a connection to PostgreSQL was lost')
  }
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: withoutSilentConnections(pool) }) })
  const close = (): Promise<void> => {
    closing ??= db.destroy().then(async () => {
      if (!pool.ended) await pool.end()
    })
    return closing
  }
  return { db, pool, close, [Symbol.asyncDispose]: close }
}
