import { type Logger, resumeWork } from '@tributary/kernel'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { type ClientBase, Pool, type PoolConfig } from 'pg'
import { isReadTimeout } from './errors.ts'
import { preparedName } from './prepared.ts'
import type { Database } from './schema.generated.ts'

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
  /** Looks at each new connection before it is used; one for which it rejects is not. */
  admit?: (client: Pick<ClientBase, 'query'>) => Promise<void>
  /**
   * How long a statement may take, ms; 0 for ever. Then the server ends it; without an answer five seconds later, the
   * caller gets an error that the server is away. Default a minute.
   */
  statementMs?: number
}

/** The relational store. `close` waits for running queries; later calls wait for the same end. */
export type Relational = AsyncDisposable & { db: Kysely<Database>; pool: Pool; close(): Promise<void> }

/**
 * How much later than the server the client ends a statement, so that the server's own error arrives when there is one.
 */
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
  ...(statementMs === 0 ? {} : { query_timeout: statementMs + graceMs }),
  application_name: options.applicationName ?? 'tributary',
  ...(options.admit === undefined ? {} : { verify: verifyBy(options.admit) }),
  options: `-c timezone=UTC -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=60000`,
})

/**
 * The pool as Kysely takes it. A connection whose server has not answered in time is ended instead of being handed out
 * again, since everything on it would wait for that answer.
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
    // Everything else Kysely may look at is the client's own.
    return Object.assign(Object.create(client), {
      query: run,
      release: (broken?: boolean) => client.release(silent || broken === true),
    })
  },
})

/**
 * Opens a pool; connects on first use, so PostgreSQL may still be starting. A connection that breaks (restart of the
 * server, shutdown, network) is logged and replaced on the next use; the query on it fails with the driver's error.
 */
export const openRelational = (options: RelationalOptions): Relational => {
  const pool = new Pool(poolConfig(options, options.statementMs ?? 60_000))
  let closing: Promise<void> | undefined
  const onError = (error: Error): void => {
    // A server that stops right afterwards may cut what is being closed.
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
