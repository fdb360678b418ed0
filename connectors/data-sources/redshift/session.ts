import {
  type DataColumn,
  type DataQuery,
  DataQueryError,
  type DataSourceContext,
  type DataSourceSession,
} from '@tributary/connector-kit'
import type { Client, FieldDef, QueryArrayResult } from 'pg'
import { requireDistinct, tableOf } from '../../wire/access/source-answers.ts'
import { describeStatement } from '../../wire/postgresql/describe.ts'
import { openReadSession, type ReadDialect } from '../../wire/postgresql/read-session.ts'
import { extended } from '../../wire/postgresql/read-statements.ts'
import { digestReply } from '../../wire/redshift/digest.ts'
import { canceledWords, deliveryError, isLost } from '../../wire/redshift/failures.ts'
import { shortestFloats } from '../../wire/redshift/floats.ts'
import { prepareStatements } from '../../wire/redshift/prepare.ts'
import { type CatalogColumn, columnOf } from './columns.ts'
import type { RedshiftSettings } from './settings.ts'
import {
  columnsStatement,
  cursor,
  described,
  describedAt,
  keyColumnsStatement,
  keyStatement,
  tablesStatement,
} from './statements.ts'

/**
 * Maximum rows of one fetch. A cluster of one node refuses more than 1,000, and not every
 * account can read the number of nodes. Source: https://docs.aws.amazon.com/redshift/latest/dg/declare.html
 */
const maxRows = 1000

/** Returns the names of the types, as a table has them. */
const typesOf = async (client: Client, fields: readonly FieldDef[]): Promise<readonly (string | null)[]> => {
  const types = fields.map(
    ({ dataTypeID, dataTypeModifier }) => `pg_catalog.format_type(${Number(dataTypeID)}, ${Number(dataTypeModifier)})`,
  )
  const { rows }: QueryArrayResult<(string | null)[]> = await client.query(extended(`select ${types.join(', ')}`))
  return rows[0] ?? []
}

/** Finds the columns of a query. Then lets Redshift plan it, which also finds missing grants and unsupported functions. */
const describe = async (client: Client, query: DataQuery): Promise<DataColumn[]> => {
  const statement = described(query)
  const { parameters, fields } = await describeStatement(client, statement)
  if (parameters > 0) throw new DataQueryError(`The query requires ${parameters} parameters, such as $1`)
  if (fields.length === 0) throw new DataQueryError('The query has no columns')
  requireDistinct(fields)
  await client.query(extended(`explain ${statement}`))
  const types = await typesOf(client, fields)
  return fields.map(({ name }, at) => ({ name, type: types[at] ?? '' }))
}

const dialect: ReadDialect<RedshiftSettings> = {
  signInReply: ({ password = '' }) => digestReply(password),
  prepare: prepareStatements,
  about: async (ask) => {
    const [answer] = await ask<{ version: string; account: string }>(
      'select version() as version, current_user as account',
    )
    const [, version] = /Redshift ([0-9.]{1,30})/.exec(answer?.version ?? '') ?? []
    return `Connected to Amazon Redshift${version === undefined ? '' : ` ${version}`} as ${answer?.account ?? ''}.`
  },
  listTables: async (ask, page) => {
    const rows = await ask<{ table_schema: string; table_name: string; table_kind: string }>(
      tablesStatement(page),
      page.search === '' ? [] : [page.search.toLowerCase()],
    )
    return rows.map(({ table_schema, table_name, table_kind }) => tableOf([table_schema, table_name, table_kind]))
  },
  listColumns: async (ask, { schema, table }, limit) => {
    const columns = await ask<CatalogColumn>(columnsStatement(limit), [schema, table])
    if (columns.length === 0) return []
    const key = await ask<{ attname: string }>(keyColumnsStatement, [schema, table])
    const names = new Set(key.map(({ attname }) => attname))
    return columns.map((column) => columnOf(column, names))
  },
  // A table of a lake can have nested values, which Redshift then returns as JSON. In a query, its author chooses.
  // Source: https://docs.aws.amazon.com/redshift/latest/dg/r_json_serialization_enable.html
  begin: (query) => ['begin read only', ...('sql' in query ? [] : ['set json_serialization_enable to true'])],
  describe,
  describedAt,
  cursor,
  keyStatement,
  maxRows,
  convert: shortestFloats,
  deliveryError,
  isLost,
  queryWords: canceledWords,
}

/** Connects to the database of the settings, for reading only. Throws a DeliveryError. */
export const openSession = (context: DataSourceContext<RedshiftSettings>): Promise<DataSourceSession> =>
  openReadSession(context, dialect)
