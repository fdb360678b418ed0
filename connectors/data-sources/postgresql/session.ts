import type {
  DataColumn,
  DataQuery,
  DataSourceContext,
  DataSourceSession,
  DataTable,
  KnownColumn,
} from '@tributary/connector-kit'
import type { Client, QueryArrayResult } from 'pg'
import { requireDistinct } from '../../wire/access/source-answers.ts'
import { deliveryError, stateOf } from '../../wire/postgresql/failures.ts'
import { openReadSession, type ReadDialect } from '../../wire/postgresql/read-session.ts'
import { extended, statementOf } from '../../wire/postgresql/read-statements.ts'
import type { PostgresqlSettings } from './settings.ts'
import { columnsStatement, cursorHead, keyStatement, statementFrom, tablesStatement } from './statements.ts'

/**
 * Sets one notation of values, whatever the server's own settings are. `default_transaction_read_only` applies to
 * statements outside of our transactions, which set it themselves.
 */
const prepareSession = `select set_config('default_transaction_read_only', 'on', false),
  set_config('datestyle', 'ISO, YMD', false), set_config('intervalstyle', 'iso_8601', false),
  set_config('timezone', 'UTC', false), set_config('bytea_output', 'hex', false),
  set_config('extra_float_digits', '1', false)`

const aboutStatement = `select current_setting('server_version') as version, current_user as account`

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

const dialect: ReadDialect<PostgresqlSettings> = {
  lockMs: 5000,
  prepare: () => [prepareSession],
  about: async (ask) => {
    const [answer] = await ask<{ version: string; account: string }>(aboutStatement)
    return `Connected to PostgreSQL ${answer?.version.split(' ')[0] ?? ''} as ${answer?.account ?? ''}.`
  },
  listTables: async (ask, { search, offset, limit }) => {
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
  listColumns: (ask, { schema, table }, limit) => ask<KnownColumn>(columnsStatement, [schema, table, limit]),
  begin: () => ['begin read only'],
  describe: declare,
  describedAt: cursorHead.length,
  cursor: (query, { from }) => ({
    text: cursorHead + statementFrom(query, from),
    queryAt: from === undefined ? cursorHead.length : undefined,
  }),
  keyStatement,
  maxRows: 10_000,
  deliveryError,
  // The connection ended, or the server has no free resources.
  isLost: (state) => /^(08(?!P01)|28|3D|53300|57P|58)/.test(state),
  queryWords: (error, statementMs) =>
    stateOf(error) === '57014' ? `The query did not finish within ${statementMs / 1000} seconds` : undefined,
}

/** Connects to the database of the settings, for reading only. Throws a DeliveryError. */
export const openSession = (context: DataSourceContext<PostgresqlSettings>): Promise<DataSourceSession> =>
  openReadSession(context, dialect)
