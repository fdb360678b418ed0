import {
  type DataColumn,
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceContext,
  type DataSourceSession,
  DeliveryError,
  type RowsFrom,
} from '@tributary/connector-kit'
import type { FieldPacket, PrepareStatementInfo } from 'mysql2'
import { keyCheckOf, requireDistinct, tableOf } from '../../wire/access/source-answers.ts'
import { type Answer, ask, textsOf } from '../../wire/mysql/ask.ts'
import { causeOf, createGuardedConnection, endConnection, type GuardedConnection } from '../../wire/mysql/connect.ts'
import { deliveryError, errorNumber, wordsOf } from '../../wire/mysql/failures.ts'
import { columnOf } from './columns.ts'
import { readRows } from './read-rows.ts'
import type { MysqlSettings } from './settings.ts'
import { columnsStatement, keyStatement, rowsStatement, statementOf, tablesStatement } from './statements.ts'

/** Maximum bytes of one response, and of the rows between two batches. */
const answerBytes = 8 * 1024 * 1024
/** Maximum time in s that a statement waits for a lock, and that the server waits until we read. */
const lockSeconds = 5
const readSeconds = 600
/** Additional time after the server's own limit for a statement, in ms. */
const graceMs = 5000

/**
 * Returns the statements that prepare the session: read-only transactions by default, and a time limit for statements.
 * The clock is UTC, and texts are complete, whatever the server's own settings are.
 */
const prepareSession = (isMariaDb: boolean, statementMs: number): string[] => [
  'set session transaction read only',
  `set session time_zone = '+00:00', net_write_timeout = ${readSeconds}, sql_select_limit = default,
     lock_wait_timeout = ${lockSeconds}, innodb_lock_wait_timeout = ${lockSeconds},
     ${isMariaDb ? `max_statement_time = ${statementMs / 1000}` : `max_execution_time = ${Math.ceil(statementMs)}`}`,
]

const onlyReads = 'Queries can only read: write one SELECT statement'

const tooLong = (statementMs: number, error: unknown): DataQueryError =>
  new DataQueryError(`The query did not finish within ${statementMs / 1000} seconds`, { cause: error })

/** Error codes of the connection: too many connections, a shutdown, a killed connection, a refused account. */
const lost = new Set([1040, 1044, 1045, 1049, 1053, 1130, 1203, 1226, 1698, 1927])

/** Converts a refusal of the server to a message for the query's author. */
const queryError = (error: unknown, statementMs: number): Error => {
  const number = errorNumber(error)
  // A statement that exceeds its time limit: 1969 in MariaDB, 3024 in MySQL.
  if (number === 1969 || number === 3024) return tooLong(statementMs, error)
  // Error 1792: a write in a read-only transaction.
  if (number === 1792) return new DataQueryError(`Queries can only read: ${wordsOf(error)}`, { cause: error })
  if (number === 1295) return new DataQueryError(onlyReads, { cause: error })
  return new DataQueryError(wordsOf(error), { cause: error })
}

const tooLarge = (error: unknown): Error =>
  new DataQueryError(`The rows are too large: the server sent more than ${answerBytes / 1024 / 1024} MB at once`, {
    cause: error,
  })

const failureOf = (error: unknown, statementMs: number): Error => {
  if (error instanceof DataQueryError) return error
  const number = errorNumber(error)
  if (number === 0 && error instanceof DeliveryError) return tooLarge(error)
  if (number === 0 || lost.has(number)) return deliveryError(error)
  return queryError(error, statementMs)
}

/** Makes the server parse a statement, without running it. */
const prepare = ({ connection, socket, renew }: GuardedConnection, sql: string): Promise<PrepareStatementInfo> => {
  renew()
  return new Promise((resolve, reject) => {
    connection.prepare(sql, (error, statement) => {
      if (error !== null) return reject(causeOf(error, socket))
      connection.unprepare(sql)
      resolve(statement)
    })
  })
}

/** The driver's description of a prepared statement. The driver's types lack these fields. */
type Prepared = { columns: FieldPacket[]; parameters: unknown[] }

/**
 * Returns the columns of a query. The query must be valid alone and return rows, which writes do not, even to a file.
 * It must also be valid in parentheses, which accept only queries.
 */
const describeQuery = async (guarded: GuardedConnection, statement: string): Promise<DataColumn[]> => {
  const { columns, parameters } = (await prepare(guarded, statement)) as unknown as Prepared
  if (columns.length === 0) throw new DataQueryError(onlyReads)
  if (parameters.length > 0) throw new DataQueryError('The query has a ? outside of quotes, which stands for a value')
  // The server ignores letter case when it compares names.
  requireDistinct(columns, (name) => name.toLowerCase())
  await prepare(guarded, rowsStatement(statement, 1)).catch((error: unknown) => {
    throw errorNumber(error) === 1064 ? new DataQueryError(onlyReads, { cause: error }) : error
  })
  return columns.map(columnOf)
}

/** Connects, and makes the session read-only. */
const signIn = async (context: DataSourceContext<MysqlSettings>): Promise<GuardedConnection> => {
  const { statementMs, settings } = context
  const guarded = await createGuardedConnection(settings, context, { answerBytes })
  try {
    for (const statement of prepareSession(guarded.isMariaDb, statementMs)) await ask(guarded, statement, statementMs)
  } catch (error) {
    guarded.socket.destroy()
    throw error
  }
  return guarded
}

/** The connection of a session, which ends when the caller aborts. */
const openConnection = async (context: DataSourceContext<MysqlSettings>) => {
  const { signal } = context
  const open = (): Promise<GuardedConnection> =>
    signIn(context).catch((error: unknown) => {
      throw deliveryError(error)
    })
  let guarded: GuardedConnection | undefined = await open()
  const close = (): void => {
    guarded?.socket.destroy()
    guarded = undefined
  }
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
  return {
    close,
    /** Returns the connection; a new one if a caller stopped before all rows were read. */
    current: async (): Promise<GuardedConnection> => (guarded ??= await open()),
    async endTransaction(): Promise<void> {
      if (guarded !== undefined) await ask(guarded, 'rollback', graceMs).catch(close)
    },
    async end(): Promise<void> {
      signal.removeEventListener('abort', close)
      const ending = guarded
      guarded = undefined
      if (ending !== undefined) await endConnection(ending)
    },
  }
}

/** Connects to the database of the settings, for reading only. Throws a DeliveryError. */
export const openSession = async (context: DataSourceContext<MysqlSettings>): Promise<DataSourceSession> => {
  const { statementMs } = context
  const { current, close, endTransaction, end } = await openConnection(context)
  const askFor = async (sql: string): Promise<Answer> => await ask(await current(), sql, statementMs + graceMs)
  const texts = (sql: string): Promise<(string | null)[][]> =>
    askFor(sql).then(
      ({ rows }) => rows.map(textsOf),
      (error: unknown) => {
        throw deliveryError(error)
      },
    )
  /** Runs work in a separate read-only transaction. */
  const reading = async <T>(work: (guarded: GuardedConnection) => Promise<T>): Promise<T> => {
    try {
      await askFor('start transaction read only')
      return await work(await current())
    } catch (error) {
      throw failureOf(error, statementMs)
    } finally {
      await endTransaction()
    }
  }
  async function* batches(
    query: DataQuery,
    limit: number,
    from?: RowsFrom,
  ): AsyncGenerator<readonly DataRow[], void, void> {
    const statement = statementOf(query)
    try {
      await askFor('start transaction read only')
      const connected = await current()
      if ('sql' in query) await describeQuery(connected, statement)
      yield* readRows(connected, rowsStatement(statement, limit, from), close)
    } catch (error) {
      throw failureOf(error, statementMs)
    } finally {
      await endTransaction()
    }
  }
  return {
    about: async () => {
      const [[version, account] = []] = await texts('select version(), current_user()')
      const [number = ''] = (version ?? '').split('-')
      return `Connected to ${version?.includes('MariaDB') === true ? 'MariaDB' : 'MySQL'} ${number} as ${account ?? ''}.`
    },
    listTables: async (options) => (await texts(tablesStatement(options))).map(tableOf),
    listColumns: async ({ schema, table }, limit) =>
      (await texts(columnsStatement(schema, table, limit))).map(([name, type, nullable, key]) => ({
        name: name ?? '',
        type: type ?? '',
        nullable: nullable === 'YES',
        in_key: key === 'PRI',
      })),
    describe: (query) => reading((connected) => describeQuery(connected, statementOf(query))),
    read: batches,
    checkKey: (query, key) =>
      reading(async (connected) => {
        await describeQuery(connected, statementOf(query))
        const { rows } = await ask(connected, keyStatement(statementOf(query), key), statementMs + graceMs)
        return keyCheckOf(textsOf(rows[0] ?? []))
      }),
    [Symbol.asyncDispose]: end,
  }
}
