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
import { warehouseId, workspaceOrigin } from '../../wire/databricks/access.ts'
import { deliveryError, queryError } from '../../wire/databricks/failures.ts'
import { runStatement, type Statement, type Workspace } from '../../wire/databricks/run-statement.ts'
import { createSignIn } from '../../wire/databricks/sign-in.ts'
import { refuseReachingOut } from './allowed.ts'
import type { DatabricksSettings } from './settings.ts'
import {
  aboutStatement,
  columnsStatement,
  describeStatement,
  keyStatement,
  linesBefore,
  maxLimit,
  rowsStatement,
  statementOf,
  tablesStatement,
} from './statements.ts'
import { isMoment, plainType, timeOfMicroseconds } from './types.ts'

/** Maximum number of columns of a query. */
const maxColumns = 10_000

const workspaceOf = (
  { settings, connect }: Pick<DataSourceContext<DatabricksSettings>, 'settings' | 'connect'>,
  address: string | undefined,
): Workspace => {
  const [origin, warehouse] = [address ?? workspaceOrigin(settings.host), warehouseId(settings.warehouse)]
  if (origin === undefined || warehouse === undefined)
    throw new ConfigurationError('The host or the HTTP path is not one of Databricks')
  const signIn = createSignIn(settings, origin)
  return { origin, warehouseId: warehouse, catalog: settings.catalog, signIn, connect }
}

/** Replaces the line in the server's words by the line of the user's statement. */
const withOwnLine = (words: string): string =>
  words.replace(/\bline (\d{1,9})([,)]? ?pos(?:ition)?)/, (_, line: string, rest: string) => {
    return `line ${Math.max(1, Number(line) - linesBefore)}${rest}`
  })

/** Returns the rows with times in UTC instead of microseconds. */
const withTimes = (batch: readonly DataRow[], columns: readonly DataColumn[]): readonly DataRow[] => {
  const times = new Set(columns.flatMap(({ type }, at) => (isMoment(type) ? [at] : [])))
  if (times.size === 0) return batch
  return batch.map((row) =>
    row.map((value, at) =>
      value !== null && times.has(at) && /^-?\d+$/.test(value) ? timeOfMicroseconds(value) : value,
    ),
  )
}

/**
 * Connects to the warehouse of the settings, for reading only. `address` replaces the origin of the host. Throws a
 * DeliveryError.
 */
export const openSession = async (
  context: DataSourceContext<DatabricksSettings>,
  address?: string,
): Promise<DataSourceSession> => {
  const { settings, statementMs } = context
  const ending = new AbortController()
  const signal = AbortSignal.any([context.signal, ending.signal])
  const workspace = workspaceOf(context, address)
  const { catalog, max_seconds } = settings
  const limitMs = Math.min(statementMs, (max_seconds ?? Number.POSITIVE_INFINITY) * 1000)

  const run = (sql: string, more: Pick<Statement, 'width' | 'maxRows' | 'parameters'>) =>
    runStatement(workspace, { sql, limitMs, signal, ...more })
  /** Reads all rows of a short result. */
  const all = async (...given: Parameters<typeof run>): Promise<DataRow[]> => {
    const rows: DataRow[] = []
    for await (const batch of run(...given)) rows.push(...batch)
    return rows
  }
  const listed = (...given: Parameters<typeof run>): Promise<DataRow[]> =>
    all(...given).catch((error: unknown) => {
      throw deliveryError(error)
    })
  const asked = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: unknown) => {
      throw queryError(error, withOwnLine)
    })

  const [about] = await listed(aboutStatement, { width: 2, maxRows: 1 })
  /** Returns the columns of a query, which the server analyzes without running it. */
  const columnsOf = async (query: DataQuery): Promise<DataColumn[]> => {
    if ('sql' in query) refuseReachingOut(query.sql)
    const rows = await all(describeStatement(statementOf(query, catalog)), { width: 3, maxRows: maxColumns })
    const columns = rows.map(([name, type]) => ({ name: name ?? '', type: plainType(type ?? '') }))
    requireDistinct(columns, (name) => name.toLowerCase())
    return columns
  }
  async function* batches(
    query: DataQuery,
    limit: number,
    from?: RowsFrom,
  ): AsyncGenerator<readonly DataRow[], void, void> {
    try {
      const columns = await columnsOf(query)
      const sql = rowsStatement(statementOf(query, catalog), columns, { limit, from })
      for await (const batch of run(sql, { width: columns.length, maxRows: Math.min(limit, maxLimit) }))
        yield withTimes(batch, columns)
    } catch (error) {
      throw queryError(error, withOwnLine)
    }
  }
  return {
    about: async () => `Connected to Databricks SQL ${about?.[0] ?? ''} as ${about?.[1] ?? ''}.`,
    listTables: async (options) => {
      const search = options.search.toLowerCase()
      const parameters: Record<string, string> = search === '' ? {} : { search }
      return (await listed(tablesStatement(catalog, options), { width: 4, maxRows: options.limit, parameters })).map(
        tableOf,
      )
    },
    listColumns: async ({ schema, table }, limit) => {
      const parameters = { schema, table }
      const rows = await listed(columnsStatement(catalog, limit), { width: 4, maxRows: limit, parameters })
      return rows.map(([name, type, nullable, inKey]) => ({
        name: name ?? '',
        type: plainType(type ?? ''),
        nullable: nullable !== 'NO',
        in_key: inKey === 'YES',
      }))
    },
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
        const [counts] = await all(keyStatement(statementOf(query, catalog), found), { width: 4, maxRows: 1 })
        return keyCheckOf(counts)
      }),
    [Symbol.asyncDispose]: async () => ending.abort(),
  }
}
