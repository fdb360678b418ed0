import { randomBytes } from 'node:crypto'
import {
  ConfigurationError,
  type DataColumn,
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceContext,
  type DataSourceSession,
  type RowsFrom,
} from '@tributary/connector-kit'
import { keyCheckOf, requireDistinct, tableOf } from '../../wire/access/source-answers.ts'
import {
  deliveryError,
  notClickHouse,
  queryError,
  ServerException,
  UnfinishedAnswer,
} from '../../wire/clickhouse/failures.ts'
import { type RowShape, readRows, rowFormat } from '../../wire/clickhouse/read-rows.ts'
import { sendQuery } from '../../wire/clickhouse/send-query.ts'
import { isNullable, plainType } from '../../wire/clickhouse/types.ts'
import { refuseUnsafe } from './allowed.ts'
import type { ClickhouseSettings } from './settings.ts'
import {
  aboutStatement,
  columnsStatement,
  describeStatement,
  keyStatement,
  rowsStatement,
  statementOf,
  syntaxStatement,
  tablesStatement,
} from './statements.ts'

/** What the server reports about itself and about the account. */
type Server = {
  version: string
  account: string
  tableFunctions: ReadonlySet<string>
  settings: Record<string, string>
}

/**
 * Returns the settings of each statement: the same notation of values whatever the settings of the account are, a time
 * limit, and no writes. An account with `readonly` 2 also allows no writes, and cannot change the setting to 1.
 */
const settingsOf = (readonly: string, statementMs: number): Record<string, string> => ({
  max_execution_time: String(statementMs / 1000),
  timeout_overflow_mode: 'throw',
  cancel_http_readonly_queries_on_client_close: '1',
  describe_include_subcolumns: '0',
  date_time_output_format: 'iso',
  output_format_decimal_trailing_zeros: '1',
  output_format_json_quote_64bit_integers: '0',
  output_format_json_quote_decimals: '0',
  output_format_json_named_tuples_as_objects: '1',
  ...(readonly === '0' ? { readonly: '1' } : {}),
})

/** Sends a statement, and reads its rows with `width` values each. */
async function* rowsOf(
  context: DataSourceContext<ClickhouseSettings>,
  sql: string,
  { settings, ...shape }: Omit<RowShape, 'end'> & { settings: Record<string, string> },
): AsyncGenerator<readonly DataRow[], void, void> {
  const end = randomBytes(16).toString('hex')
  const answered = await sendQuery(context.settings, context, sql, { ...settings, ...rowFormat(end) })
  try {
    yield* readRows(answered, { ...shape, end })
  } finally {
    answered.stream.destroy()
  }
}

/** Reads all rows of a short response. */
const shortRows = async (
  context: DataSourceContext<ClickhouseSettings>,
  sql: string,
  { width, settings }: { width: number; settings: Record<string, string> },
): Promise<DataRow[]> => {
  const rows: DataRow[] = []
  for await (const batch of rowsOf(context, sql, { width, settings, isLong: false })) rows.push(...batch)
  return rows
}

const cannotChange =
  "The user's settings can't be changed (readonly = 1), so queries could have no time limit. Remove it, or set readonly = 2; see the setup guide"

/** Connects, and reads the names of the server and the user. Throws a DeliveryError. */
const signIn = async (context: DataSourceContext<ClickhouseSettings>): Promise<Server> => {
  const [about] = await shortRows(context, aboutStatement, { width: 4, settings: {} }).catch((error: unknown) => {
    if (error instanceof ServerException && error.code === 164) throw new ConfigurationError(cannotChange)
    if (error instanceof UnfinishedAnswer || error instanceof DataQueryError) throw notClickHouse(error)
    throw deliveryError(error)
  })
  const [version, account, readonly, functions] = about ?? []
  const tableFunctions = new Set((functions ?? '').toLowerCase().split(','))
  return {
    version: version ?? '',
    account: account ?? '',
    tableFunctions,
    settings: settingsOf(readonly ?? '', context.statementMs),
  }
}

/** Connects to the database of the settings, for reading only. Throws a DeliveryError. */
export const openSession = async (context: DataSourceContext<ClickhouseSettings>): Promise<DataSourceSession> => {
  const { statementMs } = context
  const ending = new AbortController()
  const way = { ...context, signal: AbortSignal.any([context.signal, ending.signal]) }
  const { version, account, tableFunctions, settings } = await signIn(way)

  const all = (sql: string, width: number): Promise<DataRow[]> => shortRows(way, sql, { width, settings })
  const listed = (sql: string, width: number): Promise<DataRow[]> =>
    all(sql, width).catch((error: unknown) => {
      throw deliveryError(error)
    })
  const asked = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw queryError(error, statementMs)
    })
  /** Returns the columns of a query. First refuses queries that could circumvent the read-only mode. */
  const columnsOf = async (query: DataQuery): Promise<DataColumn[]> => {
    const statement = statementOf(query)
    if ('sql' in query) {
      const nodes = await all(syntaxStatement(statement), 1)
      refuseUnsafe(
        nodes.flatMap(([node]) => (node ?? '').split('\n')),
        tableFunctions,
      )
    }
    const columns = (await all(describeStatement(statement), 7)).map(([name, type]) => ({
      name: name ?? '',
      type: plainType(type ?? ''),
    }))
    requireDistinct(columns)
    return columns
  }
  async function* batches(
    query: DataQuery,
    limit: number,
    from?: RowsFrom,
  ): AsyncGenerator<readonly DataRow[], void, void> {
    try {
      const columns = await columnsOf(query)
      const sql = rowsStatement(statementOf(query), columns, { limit, from })
      yield* rowsOf(way, sql, { width: columns.length, isLong: true, settings })
    } catch (error) {
      throw queryError(error, statementMs)
    }
  }
  return {
    about: async () => `Connected to ClickHouse ${version} as ${account}.`,
    listTables: async (options) => (await listed(tablesStatement(options), 4)).map(tableOf),
    listColumns: async ({ schema, table }, limit) =>
      (await listed(columnsStatement(schema, table, limit), 3)).map(([name, type, inKey]) => ({
        name: name ?? '',
        type: plainType(type ?? ''),
        nullable: isNullable(type ?? ''),
        in_key: inKey === '1',
      })),
    describe: (query) => asked(() => columnsOf(query)),
    read: batches,
    checkKey: (query, key) =>
      asked(async () => {
        const columns = await columnsOf(query)
        const found = key.map((name) => {
          const column = columns.find((each) => each.name === name)
          if (column === undefined) throw new DataQueryError(`The query has no column ${name}`)
          return column
        })
        const [counts] = await all(keyStatement(statementOf(query), found), 4)
        return keyCheckOf(counts)
      }),
    [Symbol.asyncDispose]: async () => ending.abort(),
  }
}
