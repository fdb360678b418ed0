import {
  type DataColumn,
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceContext,
  type DataSourceSession,
  type DataTable,
  DeliveryError,
  type RowsFrom,
} from '@tributary/connector-kit'
import type { Client, CustomTypesConfig, QueryArrayResult, QueryConfig } from 'pg'
import { keyCheckOf, requireDistinct } from '../../wire/access/source-answers.ts'
import { causeOf, createGuardedClient, type GuardedClient } from '../../wire/postgresql/connect.ts'
import { deliveryError, stateOf, wordsOf } from '../../wire/postgresql/failures.ts'
import type { PostgresqlSettings } from './settings.ts'
import {
  columnsStatement,
  cursorHead,
  keyStatement,
  lineOf,
  statementFrom,
  statementOf,
  tablesStatement,
} from './statements.ts'

/**
 * Maximum bytes of a response, and the target size of a batch. A batch may become eight times its target, because rows
 * may grow.
 */
const answerBytes = 8 * 1024 * 1024
const batchBytes = 1024 * 1024
/** Number of rows of the first batch, while their size is unknown, and maximum rows of later batches. */
const firstRows = 20
const maxRows = 10_000

/**
 * Sets one notation of values, whatever the server's own settings are. `default_transaction_read_only` applies to
 * statements outside of our transactions, which set it themselves.
 */
const prepareSession = `select set_config('default_transaction_read_only', 'on', false),
  set_config('datestyle', 'ISO, YMD', false), set_config('intervalstyle', 'iso_8601', false),
  set_config('timezone', 'UTC', false), set_config('bytea_output', 'hex', false),
  set_config('extra_float_digits', '1', false)`

const aboutStatement = `select current_setting('server_version') as version, current_user as account`

const asText: CustomTypesConfig = { getTypeParser: () => (value: string) => value }

/** Options that the driver's types lack: the extended protocol, which refuses a second statement. */
type Extended = QueryConfig & { rowMode: 'array'; queryMode: 'extended' }
const extended = (text: string): Extended => ({ text, rowMode: 'array', queryMode: 'extended', types: asText })

/** Whether an error during a query has its cause in the connection: it ended, or the server has no free resources. */
const isLost = (state: string): boolean => /^(08(?!P01)|28|3D|53300|57P|58)/.test(state)

/** Converts a refusal of the server to a message for the query's author. */
const queryError = (error: unknown, query: DataQuery, statementMs: number): Error => {
  const state = stateOf(error)
  if (state === '57014')
    return new DataQueryError(`The query did not finish within ${statementMs / 1000} seconds`, { cause: error })
  if (state === '25006') return new DataQueryError(`Queries can only read: ${wordsOf(error)}`, { cause: error })
  const position = error instanceof Error && 'position' in error ? Number(error.position) : Number.NaN
  const line = 'sql' in query && position > 0 ? lineOf(query.sql.trimStart(), position) : undefined
  return new DataQueryError(line === undefined ? wordsOf(error) : `Line ${line}: ${wordsOf(error)}`, { cause: error })
}

const tooLarge = (error: unknown): Error =>
  new DataQueryError(`The rows are too large: the server sent more than ${answerBytes / 1024 / 1024} MB at once`, {
    cause: error,
  })

type Asked = { client: Client; failed(error: unknown, query?: DataQuery): Error }

/** Runs work in a read-only transaction. The transaction ends in any case. */
const reading = async <T>({ client, failed }: Asked, query: DataQuery, work: () => Promise<T>): Promise<T> => {
  try {
    await client.query('begin read only')
    return await work()
  } catch (error) {
    throw error instanceof DataQueryError ? error : failed(error, query)
  } finally {
    // If the connection has ended, the transaction has ended, too.
    await client.query('rollback').catch(() => {})
  }
}

/** Declares the cursor, which plans the query without running it, and reads its columns. */
const declare = async (client: Client, query: DataQuery): Promise<DataColumn[]> => {
  await client.query(extended(cursorHead + statementOf(query)))
  const { fields }: QueryArrayResult = await client.query(extended('fetch forward 0 from rows_of_model'))
  const { rows } = await client.query<{ type: string }>(
    `select pg_catalog.format_type(oid, modifier) as type
       from rows from (unnest($1::oid[]), unnest($2::int4[])) with ordinality as types (oid, modifier, place) order by place`,
    [fields.map(({ dataTypeID }) => dataTypeID), fields.map(({ dataTypeModifier }) => dataTypeModifier)],
  )
  requireDistinct(fields)
  return fields.map(({ name }, at) => ({ name, type: rows[at]?.type ?? '' }))
}

const bytesOf = (rows: readonly DataRow[]): number =>
  rows.reduce((sum, row) => row.reduce((bytes, value) => bytes + (value?.length ?? 0) + 8, sum), 0)

async function* batches(
  asked: Asked,
  query: DataQuery,
  { limit, from }: { limit: number; from: RowsFrom | undefined },
): AsyncGenerator<readonly DataRow[], void, void> {
  const { client, failed } = asked
  let left = limit
  let wanted = Math.min(firstRows, left)
  try {
    await client.query('begin read only')
    await client.query(extended(cursorHead + statementFrom(query, from)))
    while (left > 0) {
      const { rows }: QueryArrayResult<(string | null)[]> = await client.query(
        extended(`fetch forward ${wanted} from rows_of_model`),
      )
      if (rows.length > 0) yield rows
      if (rows.length < wanted) return
      left -= rows.length
      const fitting = Math.floor((rows.length * batchBytes) / Math.max(1, bytesOf(rows)))
      wanted = Math.min(left, maxRows, Math.max(1, fitting))
    }
  } catch (error) {
    // The server's positions of errors refer to the complete statement. If it contains more than the query, they are
    // left out.
    throw failed(error, from === undefined ? query : { schema: '', table: '' })
  } finally {
    await client.query('rollback').catch(() => {})
  }
}

/** Signs in, and makes the session read-only. */
const signIn = async ({ client, socket }: GuardedClient): Promise<void> => {
  // Without a listener, an error between two statements would end the process.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(prepareSession)
  } catch (error) {
    socket.destroy()
    throw causeOf(error, socket)
  }
}

/** Connects to the database of the settings, for reading only. Throws a DeliveryError. */
export const openSession = async (context: DataSourceContext<PostgresqlSettings>): Promise<DataSourceSession> => {
  const { signal, statementMs } = context
  const limits = { statementMs, lockMs: 5000, answerBytes }
  const { client, socket } = await createGuardedClient(context.settings, context, limits).catch((error: unknown) => {
    throw deliveryError(error)
  })
  const onAbort = (): void => void socket.destroy()
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  await signIn({ client, socket }).catch((error: unknown) => {
    signal.removeEventListener('abort', onAbort)
    throw deliveryError(error)
  })
  const failed = (error: unknown, query?: DataQuery): Error => {
    const cause = causeOf(error, socket)
    const state = stateOf(cause)
    if (query === undefined || isLost(state)) return deliveryError(cause)
    if (state === '') return cause instanceof DeliveryError ? tooLarge(cause) : deliveryError(cause)
    return queryError(cause, query, statementMs)
  }
  const asked: Asked = { client, failed }
  const ask = <Row extends Record<string, unknown>>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    client.query<Row>(text, [...values]).then(
      ({ rows }) => rows,
      (error: unknown) => {
        throw failed(error)
      },
    )
  return {
    about: async () => {
      const [answer] = await ask<{ version: string; account: string }>(aboutStatement)
      return `Connected to PostgreSQL ${answer?.version.split(' ')[0] ?? ''} as ${answer?.account ?? ''}.`
    },
    listTables: async ({ search, offset, limit }) => {
      const rows = await ask<Omit<DataTable, 'rows'> & { rows: string | null }>(tablesStatement, [
        search.toLowerCase(),
        limit,
        offset,
      ])
      return rows.map(({ rows: estimate, ...table }) => ({
        ...table,
        rows: estimate === null ? null : Number(estimate),
      }))
    },
    listColumns: async ({ schema, table }, limit) =>
      await ask<{ name: string; type: string; nullable: boolean; in_key: boolean }>(columnsStatement, [
        schema,
        table,
        limit,
      ]),
    describe: (query) => reading(asked, query, () => declare(client, query)),
    read: (query, limit, from) => batches(asked, query, { limit, from }),
    checkKey: (query, key) =>
      reading(asked, query, async () => {
        const { rows }: QueryArrayResult<string[]> = await client.query(extended(keyStatement(query, key)))
        return keyCheckOf(rows[0])
      }),
    [Symbol.asyncDispose]: async () => {
      signal.removeEventListener('abort', onAbort)
      if (!socket.destroyed) await client.end().catch(() => {})
      socket.destroy()
    },
  }
}
