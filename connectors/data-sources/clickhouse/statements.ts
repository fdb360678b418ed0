import type { DataColumn, DataQuery, RowsFrom } from '@tributary/connector-kit'
import { withoutStatementEnd } from '@tributary/connector-kit'
import { isComposite } from './types.ts'

const escaped = (text: string): string => text.replaceAll('\0', '').replace(/[\\'`]/g, '\\$&')

/** A quoted identifier for a statement, with any characters. */
export const quoted = (identifier: string): string => `\`${escaped(identifier)}\``

const literal = (text: string): string => `'${escaped(text)}'`

/** A query as one statement without the final semicolon. */
export const statementOf = (query: DataQuery): string =>
  'sql' in query ? withoutStatementEnd(query.sql) : `SELECT * FROM ${quoted(query.schema)}.${quoted(query.table)}`

/** Lines of the statement before the user's own. */
export const linesBefore = 1

/**
 * A statement in parentheses, which accept only a query. The text after it is on a new line, so that no comment
 * includes it.
 */
const inParentheses = (statement: string): string => `(\n${statement}\n)`

/** The statement that parses another one. It runs nothing and reads no table. */
export const syntaxStatement = (statement: string): string =>
  `EXPLAIN AST SELECT * FROM ${inParentheses(statement)} AS rows_of_model`

/** The statement that lists the columns of another one. */
export const describeStatement = (statement: string): string => `DESCRIBE TABLE ${inParentheses(statement)}`

/** The expression that reads a column: composite values as JSON. */
const valueOf = ({ name, type }: DataColumn): string =>
  isComposite(type) ? `if(isNull(${quoted(name)}), NULL, toJSONString(${quoted(name)}))` : quoted(name)

const boundOf = ({ kind, value }: RowsFrom): string =>
  kind === 'number' ? value : kind === 'date' ? `toDate32('${value}')` : `toDateTime64('${value}', 3, 'UTC')`

const whereFrom = (from: RowsFrom | undefined): string =>
  from === undefined ? '' : ` WHERE ${quoted(from.column)} >= ${boundOf(from)} OR isNull(${quoted(from.column)})`

/** Reads the columns of a statement, starting at a value of one column. */
export const rowsStatement = (
  statement: string,
  columns: readonly DataColumn[],
  { limit, from }: { limit: number; from: RowsFrom | undefined },
): string =>
  `SELECT ${columns.map(valueOf).join(', ')} FROM ${inParentheses(statement)} AS rows_of_model${whereFrom(from)} LIMIT ${limit}`

/** Version, user, what the user's settings let change, and the names of all table functions. */
export const aboutStatement = `SELECT version(), currentUser(), toString(getSetting('readonly')),
  (SELECT arrayStringConcat(groupArray(name), ',') FROM system.table_functions)`

const ownSchemas = `('system', 'information_schema', 'INFORMATION_SCHEMA', '_temporary_and_external_tables')`

/** Tables and views that the account can read. */
export const tablesStatement = ({ search, offset, limit }: { search: string; offset: number; limit: number }): string =>
  `SELECT database, name, if(endsWith(engine, 'View'), 'view', 'table'), toString(total_rows)
     FROM system.tables
    WHERE database NOT IN ${ownSchemas} AND NOT is_temporary AND NOT startsWith(name, '.inner')
      ${search === '' ? '' : `AND positionCaseInsensitiveUTF8(concat(database, '.', name), ${literal(search)}) > 0`}
    ORDER BY database, name LIMIT ${limit} OFFSET ${offset}`

/** The columns that `SELECT *` returns for a table, in order. */
export const columnsStatement = (schema: string, table: string, limit: number): string =>
  `SELECT name, type, toString(is_in_primary_key)
     FROM system.columns
    WHERE database = ${literal(schema)} AND table = ${literal(table)} AND default_kind NOT IN ('ALIAS', 'MATERIALIZED', 'EPHEMERAL')
    ORDER BY position LIMIT ${limit}`

/**
 * Counts rows, rows with a null in the key, keys of several rows, and the rows of such keys; keys are compared as they
 * are read.
 */
export const keyStatement = (statement: string, key: readonly DataColumn[]): string => {
  const names = key.map((_, at) => `key_${at}`)
  const values = key.map((column, at) => `toString(${valueOf(column)}) AS key_${at}`)
  return `SELECT sum(found), sumIf(found, has_null), countIf(found > 1 AND NOT has_null), sumIf(found, found > 1 AND NOT has_null)
  FROM (SELECT count() AS found, ${names.map((name) => `isNull(${name})`).join(' OR ')} AS has_null
          FROM (SELECT ${values.join(', ')} FROM ${inParentheses(statement)} AS model) AS rows_of_model
         GROUP BY ${names.join(', ')}) AS counted`
}
