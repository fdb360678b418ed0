import { type DataColumn, type DataQuery, type RowsFrom, withoutStatementEnd } from '@tributary/connector-kit'
import { quoted } from '../../wire/databricks/identifiers.ts'
import { isComposite, isMoment } from './types.ts'

/** Returns a query as one statement without the final semicolon. */
export const statementOf = (query: DataQuery, catalog: string): string =>
  'sql' in query
    ? withoutStatementEnd(query.sql)
    : `SELECT * FROM ${quoted(catalog)}.${quoted(query.schema)}.${quoted(query.table)}`

/** The largest number of a LIMIT. */
export const maxLimit = 2_147_483_647

/** Number of lines before the user's statement in the sent statement. */
export const linesBefore = 1

/**
 * Returns a statement in parentheses, where the grammar of Databricks allows only a query: no INSERT, MERGE, DELETE,
 * DDL, SET, or script. A second statement is a syntax error, because the API runs one statement only. The closing
 * parenthesis is on a new line, so that no comment includes it.
 */
const inParentheses = (statement: string): string => `(\n${statement}\n)`

/** Returns the statement that lists the columns of another statement without running it. */
export const describeStatement = (statement: string): string =>
  `DESCRIBE QUERY SELECT * FROM ${inParentheses(statement)} AS rows_of_model`

/**
 * Returns the expression that reads a column as text. No expression depends on the time zone of the session, which the
 * API cannot set: a moment is read as microseconds since 1970.
 */
const valueOf = ({ name, type }: DataColumn): string => {
  const column = `rows_of_model.${quoted(name)}`
  if (isComposite(type)) return `to_json(${column}, map('ignoreNullFields', 'false'))`
  if (isMoment(type)) return `CAST(unix_micros(${column}) AS STRING)`
  if (type === 'boolean') return `CASE WHEN ${column} THEN 't' WHEN NOT ${column} THEN 'f' END`
  if (type === 'binary') return `'\\\\x' || lower(hex(${column}))`
  return `CAST(${column} AS STRING)`
}

const boundOf = ({ kind, value }: RowsFrom, type: string): string => {
  if (kind === 'number') return value
  if (kind === 'date') return `DATE'${value}'`
  return isMoment(type) ? `TIMESTAMP'${value}Z'` : `TIMESTAMP_NTZ'${value}'`
}

const whereFrom = (from: RowsFrom | undefined, columns: readonly DataColumn[]): string => {
  if (from === undefined) return ''
  const type = columns.find(({ name }) => name === from.column)?.type ?? ''
  const column = `rows_of_model.${quoted(from.column)}`
  return ` WHERE ${column} >= ${boundOf(from, type)} OR ${column} IS NULL`
}

/** Returns the statement that reads the columns of another statement, optionally from a value of one column on. */
export const rowsStatement = (
  statement: string,
  columns: readonly DataColumn[],
  { limit, from }: { limit: number; from: RowsFrom | undefined },
): string =>
  `SELECT ${columns.map(valueOf).join(', ')} FROM ${inParentheses(statement)} AS rows_of_model${whereFrom(from, columns)} LIMIT ${Math.min(limit, maxLimit)}`

/** The statement that reads the version of the warehouse and the account. */
export const aboutStatement = 'SELECT current_version().dbsql_version, current_user()'

const inCatalog = (catalog: string, view: string): string => `${quoted(catalog)}.information_schema.${view}`

/**
 * Returns the statement that lists the tables and views that the account can read; `information_schema` has no others
 * (docs.databricks.com/aws/en/sql/language-manual/sql-ref-information-schema). `:search` is a text in lower case.
 */
export const tablesStatement = (
  catalog: string,
  { search, offset, limit }: { search: string; offset: number; limit: number },
): string =>
  `SELECT table_schema, table_name, CASE WHEN table_type LIKE '%VIEW%' THEN 'view' ELSE 'table' END, CAST(NULL AS STRING)
     FROM ${inCatalog(catalog, 'tables')}
    WHERE table_schema <> 'information_schema'
      ${search === '' ? '' : "AND contains(lower(concat(table_schema, '.', table_name)), :search)"}
    ORDER BY table_schema, table_name LIMIT ${limit} OFFSET ${offset}`

/** Returns the statement that lists the columns of the table `:table` in the schema `:schema`, in order. */
export const columnsStatement = (catalog: string, limit: number): string =>
  `SELECT listed.column_name, listed.full_data_type, listed.is_nullable, CASE WHEN keys.column_name IS NULL THEN 'NO' ELSE 'YES' END
     FROM ${inCatalog(catalog, 'columns')} AS listed
     LEFT JOIN (SELECT used.column_name
                  FROM ${inCatalog(catalog, 'key_column_usage')} AS used
                  JOIN ${inCatalog(catalog, 'table_constraints')} AS made
                    ON made.constraint_schema = used.constraint_schema AND made.constraint_name = used.constraint_name
                 WHERE made.constraint_type = 'PRIMARY KEY'
                   AND used.table_schema = :schema AND used.table_name = :table) AS keys
       ON keys.column_name = listed.column_name
    WHERE listed.table_schema = :schema AND listed.table_name = :table
    ORDER BY listed.ordinal_position LIMIT ${limit}`

/**
 * Returns the statement that counts rows, rows with a null in the key, keys of several rows, and the rows with such
 * keys. Keys are compared in the form in which they are read.
 */
export const keyStatement = (statement: string, key: readonly DataColumn[]): string => {
  const names = key.map((_, at) => `key_${at}`)
  const values = key.map((column, at) => `${valueOf(column)} AS key_${at}`)
  return `SELECT coalesce(sum(found), 0), coalesce(sum(CASE WHEN has_null THEN found END), 0),
      coalesce(sum(CASE WHEN found > 1 AND NOT has_null THEN 1 END), 0), coalesce(sum(CASE WHEN found > 1 AND NOT has_null THEN found END), 0)
  FROM (SELECT count(*) AS found, ${names.map((name) => `${name} IS NULL`).join(' OR ')} AS has_null
          FROM (SELECT ${values.join(', ')} FROM ${inParentheses(statement)} AS rows_of_model) AS keys_of_model
         GROUP BY ${names.join(', ')}) AS counted`
}
