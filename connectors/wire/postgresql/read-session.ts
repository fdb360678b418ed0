import {
  ConfigurationError,
  type DataColumn,
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceContext,
  type DataSourceSession,
  type DataTable,
  DeliveryError,
  type KnownColumn,
  type RowsFrom,
  type Settings,
} from '@tributary/connector-kit'
import type { Client, QueryArrayResult } from 'pg'
import type { DatabaseAccess } from '../access/access.ts'
import { keyCheckOf } from '../access/source-answers.ts'
import { cancelStatement } from './cancel.ts'
import { causeOf, createGuardedClient, type GuardedClient } from './connect.ts'
import { stateOf, wordsOf } from './failures.ts'
import type { SignInReply } from './messages.ts'
import { extended, lineOf } from './read-statements.ts'

/**
 * Maximum bytes of a response, and the target size of a batch. A batch may become eight times its target, because rows
 * may grow.
 */
const answerBytes = 8 * 1024 * 1024
const batchBytes = 1024 * 1024
/** Number of rows of the first batch, while their size is unknown. */
const firstRows = 20

/** Runs one of the session's own statements; its rows are objects. Throws a DeliveryError. */
export type Ask = <Row extends Record<string, unknown>>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/**
 * A statement with the text of a query. `queryAt` is the number of characters before that text. If it is undefined, the
 * server's positions are left out.
 */
export type QueryStatement = { text: string; queryAt: number | undefined }

/** The differences between servers that speak the protocol of PostgreSQL. */
export type ReadDialect<S extends Settings> = {
  /** Maximum ms of a wait for a lock; undefined if the server has no such limit. */
  lockMs?: number
  /** Creates the answer to a request to sign in that the driver lacks. */
  signInReply?: (settings: S) => SignInReply
  /** Returns the statements that give the session one notation of values, whatever the server's own settings are. */
  prepare: (statementMs: number) => readonly string[]
  about: (ask: Ask) => Promise<string>
  listTables: (ask: Ask, page: { search: string; offset: number; limit: number }) => Promise<DataTable[]>
  listColumns: (ask: Ask, table: { schema: string; table: string }, limit: number) => Promise<KnownColumn[]>
  /** Returns the statements that begin the transaction in which a query runs, and which nothing can write in. */
  begin: (query: DataQuery) => readonly string[]
  /** Finds the columns of a query inside the transaction, without running it. */
  describe: (client: Client, query: DataQuery) => Promise<DataColumn[]>
  /** The number of characters before the query in the statement of `describe`. */
  describedAt: number
  /** Returns the statement that opens the cursor `rows_of_model`. */
  cursor: (query: DataQuery, bounds: { limit: number; from: RowsFrom | undefined }) => QueryStatement
  keyStatement: (query: DataQuery, key: readonly string[]) => string
  /** Maximum rows of one fetch. */
  maxRows: number
  /** Returns the conversion of values whose text depends on the server's version; undefined if there are none. */
  convert?: (types: readonly number[]) => ((row: DataRow) => DataRow) | undefined
  /** Converts an error outside of a query. */
  deliveryError: (error: unknown) => DeliveryError
  /** Whether an error during a query has its cause in the connection. */
  isLost: (state: string) => boolean
  /** Returns the words for the author of a query, if the server's message is not enough. */
  queryWords?: (error: unknown, statementMs: number) => string | undefined
}

/** Converts a refusal of the server to a message for the query's author. */
const queryError = (
  error: unknown,
  words: string | undefined,
  query: DataQuery,
  queryAt: number | undefined,
): Error => {
  if (words !== undefined) return new DataQueryError(words, { cause: error })
  if (stateOf(error) === '25006')
    return new DataQueryError(`Queries can only read: ${wordsOf(error)}`, { cause: error })
  const position = error instanceof Error && 'position' in error ? Number(error.position) : Number.NaN
  const line =
    'sql' in query && queryAt !== undefined && position > 0
      ? lineOf(query.sql.trimStart(), position - queryAt)
      : undefined
  return new DataQueryError(line === undefined ? wordsOf(error) : `Line ${line}: ${wordsOf(error)}`, { cause: error })
}

/** Whether the guard of the socket ended the connection because of the bytes of an answer. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof DeliveryError && error.message.includes('answered with more than')

const tooLarge = (error: unknown): Error =>
  new DataQueryError(`The rows are too large: the server sent more than ${answerBytes / 1024 / 1024} MB at once`, {
    cause: error,
  })

type Asked<S extends Settings> = {
  client: Client
  dialect: ReadDialect<S>
  failed(error: unknown, query?: DataQuery, queryAt?: number): Error
}

/** Runs work in a read-only transaction. The transaction ends in any case. */
const reading = async <S extends Settings, T>(
  { client, dialect, failed }: Asked<S>,
  { query, queryAt }: { query: DataQuery; queryAt: number | undefined },
  work: () => Promise<T>,
): Promise<T> => {
  try {
    for (const statement of dialect.begin(query)) await client.query(statement)
    return await work()
  } catch (error) {
    throw error instanceof DataQueryError ? error : failed(error, query, queryAt)
  } finally {
    // If the connection has ended, the transaction has ended, too.
    await client.query('rollback').catch(() => {})
  }
}

const bytesOf = (rows: readonly DataRow[]): number =>
  rows.reduce((sum, row) => row.reduce((bytes, value) => bytes + (value?.length ?? 0) + 8, sum), 0)

/** Throws a ConfigurationError if a fetch has other columns than the first one, or a row has other values than columns. */
const requireColumns = (rows: readonly DataRow[], names: readonly string[], first: readonly string[]): void => {
  const isSame = names.length === first.length && names.every((name, at) => name === first[at])
  if (!isSame || rows.some((row) => row.length !== names.length))
    throw new ConfigurationError('The server does not respond as a database: the columns of the rows changed')
}

async function* batches<S extends Settings>(
  { client, dialect, failed }: Asked<S>,
  query: DataQuery,
  bounds: { limit: number; from: RowsFrom | undefined },
): AsyncGenerator<readonly DataRow[], void, void> {
  const { text, queryAt } = dialect.cursor(query, bounds)
  let left = bounds.limit
  let wanted = Math.min(firstRows, left)
  let first: readonly string[] | undefined
  try {
    for (const statement of dialect.begin(query)) await client.query(statement)
    await client.query(extended(text))
    while (left > 0) {
      const { rows, fields }: QueryArrayResult<(string | null)[]> = await client.query(
        extended(`fetch forward ${wanted} from rows_of_model`),
      )
      const names = fields.map(({ name }) => name)
      first ??= names
      requireColumns(rows, names, first)
      const convert = dialect.convert?.(fields.map(({ dataTypeID }) => dataTypeID))
      if (rows.length > 0) yield convert === undefined ? rows : rows.map(convert)
      if (rows.length < wanted) return
      left -= rows.length
      const fitting = Math.floor((rows.length * batchBytes) / Math.max(1, bytesOf(rows)))
      wanted = Math.min(left, dialect.maxRows, Math.max(1, fitting))
    }
  } catch (error) {
    throw failed(error, query, queryAt)
  } finally {
    await client.query('rollback').catch(() => {})
  }
}

/** Signs in, and prepares the session. */
const signIn = async ({ client, socket }: GuardedClient, statements: readonly string[]): Promise<void> => {
  // Without a listener, an error between two statements would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    for (const statement of statements) await client.query(statement)
  } catch (error) {
    socket.destroy()
    throw causeOf(error, socket)
  }
}

/** Makes the client count its open statements. Returns whether there is one. */
const countStatements = (client: Client): (() => boolean) => {
  const ask = client.query.bind(client) as (...args: unknown[]) => unknown
  let open = 0
  const query = (...args: unknown[]): unknown => {
    const asked = ask(...args)
    if (!(asked instanceof Promise)) return asked
    open++
    const ended = (): void => void open--
    asked.then(ended, ended)
    return asked
  }
  Object.assign(client, { query })
  return () => open > 0
}

/**
 * Connects to a database for reading only. Throws a DeliveryError. When the signal aborts, the connection ends, and the
 * server is asked to cancel the statement that runs.
 */
export const openReadSession = async <S extends Settings & DatabaseAccess>(
  context: DataSourceContext<S>,
  dialect: ReadDialect<S>,
): Promise<DataSourceSession> => {
  const { signal, statementMs, settings, connect } = context
  const { lockMs, deliveryError } = dialect
  const limits = { statementMs, answerBytes, ...(lockMs === undefined ? {} : { lockMs }) }
  const { client, socket } = await createGuardedClient(
    settings,
    context,
    limits,
    dialect.signInReply?.(settings),
  ).catch((error: unknown) => {
    throw deliveryError(error)
  })
  const isBusy = countStatements(client)
  let cancelled = Promise.resolve()
  const onAbort = (): void => {
    if (isBusy() && !socket.destroyed) cancelled = cancelStatement(client, settings, connect)
    socket.destroy()
  }
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  await signIn({ client, socket }, dialect.prepare(statementMs)).catch((error: unknown) => {
    signal.removeEventListener('abort', onAbort)
    throw deliveryError(error)
  })
  const failed = (error: unknown, query?: DataQuery, queryAt?: number): Error => {
    const cause = causeOf(error, socket)
    const state = stateOf(cause)
    if (query === undefined || dialect.isLost(state)) return deliveryError(cause)
    if (state === '') return isTooLarge(cause) ? tooLarge(cause) : deliveryError(cause)
    return queryError(cause, dialect.queryWords?.(cause, statementMs), query, queryAt)
  }
  const asked: Asked<S> = { client, dialect, failed }
  const ask: Ask = (text, values = []) =>
    client.query(text, [...values]).then(
      ({ rows }) => rows,
      (error: unknown) => {
        throw failed(error)
      },
    )
  return {
    about: () => dialect.about(ask),
    listTables: (page) => dialect.listTables(ask, page),
    listColumns: (table, limit) => dialect.listColumns(ask, table, limit),
    describe: (query) => reading(asked, { query, queryAt: dialect.describedAt }, () => dialect.describe(client, query)),
    read: (query, limit, from) => batches(asked, query, { limit, from }),
    checkKey: (query, key) =>
      reading(asked, { query, queryAt: undefined }, async () => {
        const { rows }: QueryArrayResult<string[]> = await client.query(extended(dialect.keyStatement(query, key)))
        return keyCheckOf(rows[0])
      }),
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', onAbort)
      if (!socket.destroyed) await client.end().catch(() => {})
      socket.destroy()
      await cancelled
    },
  }
}
