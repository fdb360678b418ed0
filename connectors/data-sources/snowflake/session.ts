import {
  ConfigurationError,
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceContext,
  type DataSourceSession,
  type RowsFrom,
} from '@tributary/connector-kit'
import { keyCheckOf, requireDistinct, tableOf } from '../../wire/access/source-answers.ts'
import { storedName } from '../../wire/snowflake/account.ts'
import { createSnowflakeClient, type SnowflakeClient, type SnowflakeStatement } from '../../wire/snowflake/client.ts'
import { deliveryError, queryError, SnowflakeError } from '../../wire/snowflake/failures.ts'
import type { SnowflakeSettings } from './settings.ts'
import {
  aboutStatement,
  columnsStatement,
  describeStatement,
  keyStatement,
  linesBefore,
  primaryKeyStatement,
  rowsStatement,
  statementOf,
  tablesStatement,
} from './statements.ts'
import { columnOf, createDecoder, type ReadColumn, typeName } from './types.ts'

type About = { version: string; account: string; role: string }

/** Signs in, and checks that the role can use the warehouse and the database. Throws a DeliveryError. */
const signIn = async (client: SnowflakeClient, settings: SnowflakeSettings): Promise<About> => {
  const { rows } = await client.run({ sql: aboutStatement }).catch((error: unknown) => {
    throw deliveryError(error)
  })
  const [version, account, role, warehouse, database] = rows[0] ?? []
  const missing = warehouse === null ? `warehouse ${settings.warehouse}` : `database ${settings.database}`
  if (warehouse === null || database === null)
    throw new ConfigurationError(`The ${missing} does not exist, or the role ${role ?? ''} has no USAGE on it`)
  return { version: version ?? '', account: account ?? '', role: role ?? '' }
}

/** Returns the numbers in a column of a list; null for an empty text. */
const digitsOf = (text: string | null | undefined): number | null =>
  text === null || text === undefined || text === '' ? null : Number(text)

/**
 * Connects to the account of the settings, for reading only. Throws a DeliveryError. `origin` replaces the address of
 * the account in tests.
 */
export const openSession = async (
  context: DataSourceContext<SnowflakeSettings>,
  origin?: string,
): Promise<DataSourceSession> => {
  const { settings, connect, statementMs } = context
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  const limitMs = Math.min(statementMs, (settings.max_seconds ?? Number.POSITIVE_INFINITY) * 1000)
  const client = createSnowflakeClient(settings, { connect, signal, limitMs, origin })
  const database = storedName(settings.database)
  const close = async (): Promise<void> => {
    ending.abort()
    await client.close()
  }
  const about = await signIn(client, settings).catch(async (error: unknown) => {
    await close()
    throw error
  })

  const listed = async (statement: SnowflakeStatement): Promise<DataRow[]> => {
    try {
      return (await client.run(statement)).rows
    } catch (error) {
      throw deliveryError(error)
    }
  }
  const failed = (error: unknown): Error => queryError(error, limitMs, linesBefore)
  const asked = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw failed(error)
    })
  const columnsOf = async (statement: string): Promise<ReadColumn[]> => {
    const { columns } = await client.run({ sql: describeStatement(statement) })
    requireDistinct(columns)
    return columns.map(columnOf)
  }
  /** The columns of a table's primary key; none for a view. */
  const keyOf = async (table: { schema: string; table: string }): Promise<ReadonlySet<string>> => {
    try {
      const { columns, rows } = await client.run({ sql: primaryKeyStatement(database, table) })
      const at = columns.findIndex(({ name }) => name.toLowerCase() === 'column_name')
      return new Set(rows.map((row) => row[at] ?? ''))
    } catch (error) {
      if (error instanceof SnowflakeError) return new Set()
      throw deliveryError(error)
    }
  }
  async function* batches(query: DataQuery, limit: number, from?: RowsFrom) {
    try {
      const statement = statementOf(query, database)
      const columns = await columnsOf(statement)
      const decode = createDecoder(columns)
      const sql = rowsStatement(statement, columns, { limit, from })
      for await (const rows of client.read({ sql }, columns.length)) yield rows.map(decode)
    } catch (error) {
      throw failed(error)
    }
  }
  return {
    about: async () => `Connected to Snowflake ${about.version} as ${about.account} with the role ${about.role}.`,
    listTables: async ({ search, ...page }) =>
      (await listed({ sql: tablesStatement(database, page), values: [search] })).map(tableOf),
    async listColumns({ schema, table }, limit) {
      const rows = await listed({ sql: columnsStatement(database, limit), values: [schema, table] })
      const key = rows.length === 0 ? new Set<string>() : await keyOf({ schema, table })
      return rows.map(([name, type, precision, scale, nullable]) => ({
        name: name ?? '',
        type: typeName({ type: type ?? '', precision: digitsOf(precision), scale: digitsOf(scale) }),
        nullable: nullable === 'YES',
        in_key: key.has(name ?? ''),
      }))
    },
    describe: (query) =>
      asked(async () => (await columnsOf(statementOf(query, database))).map(({ name, type }) => ({ name, type }))),
    read: batches,
    checkKey: (query, key) =>
      asked(async () => {
        const statement = statementOf(query, database)
        const columns = await columnsOf(statement)
        const found = key.map((name) => {
          const column = columns.find((each) => each.name === name)
          if (column === undefined) throw new DataQueryError(`The query has no column ${name}`)
          return column
        })
        const { rows } = await client.run({ sql: keyStatement(statement, found) })
        return keyCheckOf(rows[0])
      }),
    [Symbol.asyncDispose]: close,
  }
}
