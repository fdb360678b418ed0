import type { DataColumn, DataQuery, RowsFrom } from '@tributary/connector-kit'
import { withoutStatementEnd } from '@tributary/connector-kit'
import { literal, quoted } from '../../wire/clickhouse/identifiers.ts'
import { isComposite } from '../../wire/clickhouse/types.ts'

/** Returns a query as one statement without the final semicolon. */
export const statementOf = (query: DataQuery): string =>
  'sql' in query ? withoutStatementEnd(query.sql) : `SELECT * FROM ${quoted(query.schema)}.${quoted(query.table)}`

/**
 * Returns a statement in parentheses, which accept only a query. The closing parenthesis is on a new line, so that no
 * comment includes it.
 */
const inParentheses = (statement: string): string => `(\n${statement}\n)`

/** Returns the statement that parses another statement. It runs nothing and reads no table. */
export const syntaxStatement = (statement: string): string =>
  `EXPLAIN AST SELECT * FROM ${inParentheses(statement)} AS rows_of_model`

/** Returns the statement that lists the columns of another statement. */
export const describeStatement = (statement: string): string => `DESCRIBE TABLE ${inParentheses(statement)}`

/** Returns the expression that reads a column: composite values as JSON. */
const valueOf = ({ name, type }: DataColumn): string =>
  isComposite(type) ? `if(isNull(${quoted(name)}), NULL, toJSONString(${quoted(name)}))` : quoted(name)

const boundOf = ({ kind, value }: RowsFrom): string =>
  kind === 'number' ? value : kind === 'date' ? `toDate32('${value}')` : `toDateTime64('${value}', 3, 'UTC')`

const whereFrom = (from: RowsFrom | undefined): string =>
  from === undefined ? '' : ` WHERE ${quoted(from.column)} >= ${boundOf(from)} OR isNull(${quoted(from.column)})`

/** Returns the statement that reads the columns of another statement, optionally from a value of one column on. */
export const rowsStatement = (
  statement: string,
  columns: readonly DataColumn[],
  { limit, from }: { limit: number; from: RowsFrom | undefined },
): string =>
  `SELECT ${columns.map(valueOf).join(', ')} FROM ${inParentheses(statement)} AS rows_of_model${whereFrom(from)} LIMIT ${limit}`

/** The statement that reads the version, the user, the setting `readonly`, and the names of all table functions. */
export const aboutStatement = `SELECT version(), currentUser(), toString(getSetting('readonly')),
  (SELECT arrayStringConcat(groupArray(name), ',') FROM system.table_functions)`

const ownSchemas = `('system', 'information_schema', 'INFORMATION_SCHEMA', '_temporary_and_external_tables')`

/** Returns the statement that lists tables and views that the account can read. */
export const tablesStatement = ({ search, offset, limit }: { search: string; offset: number; limit: number }): string =>
  `SELECT database, name, if(endsWith(engine, 'View'), 'view', 'table'), toString(total_rows)
     FROM system.tables
    WHERE database NOT IN ${ownSchemas} AND NOT is_temporary AND NOT startsWith(name, '.inner')
      ${search === '' ? '' : `AND positionCaseInsensitiveUTF8(concat(database, '.', name), ${literal(search)}) > 0`}
    ORDER BY database, name LIMIT ${limit} OFFSET ${offset}`

/** Returns the statement that lists the columns of `SELECT *` for a table, in order. */
export const columnsStatement = (schema: string, table: string, limit: number): string =>
  `SELECT name, type, toString(is_in_primary_key)
     FROM system.columns
    WHERE database = ${literal(schema)} AND table = ${literal(table)} AND default_kind NOT IN ('ALIAS', 'MATERIALIZED', 'EPHEMERAL')
    ORDER BY position LIMIT ${limit}`

/**
 * Returns the statement that counts rows, rows with a null in the key, keys of several rows, and the rows with such
 * keys. Keys are compared in the form in which they are read.
 */
export const keyStatement = (statement: string, key: readonly DataColumn[]): string => {
  const names = key.map((_, at) => `key_${at}`)
  const values = key.map((column, at) => `toString(${valueOf(column)}) AS key_${at}`)
  return `SELECT sum(found), sumIf(found, has_null), countIf(found > 1 AND NOT has_null), sumIf(found, found > 1 AND NOT has_null)
  FROM (SELECT count() AS found, ${names.map((name) => `isNull(${name})`).join(' OR ')} AS has_null
          FROM (SELECT ${values.join(', ')} FROM ${inParentheses(statement)} AS model) AS rows_of_model
         GROUP BY ${names.join(', ')}) AS counted`
}
