import { type DataQuery, DataQueryError, type RowsFrom, withoutStatementEnd } from '@tributary/connector-kit'
import { quoted } from '../../wire/snowflake/account.ts'
import { type ReadColumn, valueOf } from './types.ts'

/** Number of lines before the user's statement in the sent statement. */
export const linesBefore = 1

/**
 * Throws DataQueryError for the ways around reading in one statement. `->>` chains statements, of which each may write
 * (docs.snowflake.com/en/sql-reference/operators-flow). Functions that begin with `SYSTEM$` act on the account.
 */
export const refuseUnsafe = (sql: string): void => {
  if (sql.includes('->>')) throw new DataQueryError("Queries can only read: they can't have the operator ->>")
  const [found] = /system\$\w*/i.exec(sql) ?? []
  if (found !== undefined) throw new DataQueryError(`Queries can only read: they can't have the function ${found}`)
  // Its text can name such a function with escapes.
  if (/\bidentifier\b/i.test(sql) && sql.includes('\\'))
    throw new DataQueryError("Queries can only read: they can't have IDENTIFIER together with a backslash")
}

/** Returns a query as one statement without the final semicolon. Throws DataQueryError for an unsafe query. */
export const statementOf = (query: DataQuery, database: string): string => {
  if (!('sql' in query)) return `SELECT * FROM ${quoted(database)}.${quoted(query.schema)}.${quoted(query.table)}`
  refuseUnsafe(query.sql)
  return withoutStatementEnd(query.sql)
}

/**
 * Returns a statement in parentheses, which accept only a query. The closing parenthesis is on a new line, so that no
 * comment includes it.
 */
const inParentheses = (statement: string): string => `(\n${statement}\n)`

/** Returns the statement whose result has the columns of another statement, and no rows. It reads no table. */
export const describeStatement = (statement: string): string => `SELECT * FROM ${inParentheses(statement)} LIMIT 0`

const boundOf = ({ kind, value }: RowsFrom, column: ReadColumn | undefined): string => {
  if (kind === 'number') return value
  if (kind === 'date') return `'${value}'::DATE`
  return column?.kind === 'timestamp' ? `'${value}'::TIMESTAMP_NTZ` : `'${value} +00:00'::TIMESTAMP_TZ`
}

const whereFrom = (from: RowsFrom | undefined, columns: readonly ReadColumn[]): string => {
  if (from === undefined) return ''
  const bound = boundOf(
    from,
    columns.find(({ name }) => name === from.column),
  )
  return ` WHERE ${quoted(from.column)} >= ${bound} OR ${quoted(from.column)} IS NULL`
}

/** Returns the statement that reads the columns of another statement, optionally from a value of one column on. */
export const rowsStatement = (
  statement: string,
  columns: readonly ReadColumn[],
  { limit, from }: { limit: number; from: RowsFrom | undefined },
): string => {
  const values = columns.map(valueOf).join(', ')
  return `SELECT ${values} FROM ${inParentheses(statement)} AS ROWS_OF_MODEL${whereFrom(from, columns)} LIMIT ${limit}`
}

/** The statement that reads the version and what the session uses; null for what the role may not use. */
export const aboutStatement =
  'SELECT CURRENT_VERSION(), CURRENT_USER(), CURRENT_ROLE(), CURRENT_WAREHOUSE(), CURRENT_DATABASE()'

/** Returns the statement that lists tables and views that the role can read. `?` is the search text. */
export const tablesStatement = (database: string, { offset, limit }: { offset: number; limit: number }): string =>
  `SELECT TABLE_SCHEMA, TABLE_NAME, CASE WHEN TABLE_TYPE LIKE '%VIEW' THEN 'view' ELSE 'table' END, ROW_COUNT
  FROM ${quoted(database)}.INFORMATION_SCHEMA.TABLES
 WHERE TABLE_SCHEMA <> 'INFORMATION_SCHEMA' AND CONTAINS(LOWER(TABLE_SCHEMA || '.' || TABLE_NAME), LOWER(?))
 ORDER BY TABLE_SCHEMA, TABLE_NAME LIMIT ${limit} OFFSET ${offset}`

/** Returns the statement that lists the columns of a table. The first `?` is its schema, the second its name. */
export const columnsStatement = (database: string, limit: number): string =>
  `SELECT COLUMN_NAME, DATA_TYPE, NUMERIC_PRECISION, NUMERIC_SCALE, IS_NULLABLE
  FROM ${quoted(database)}.INFORMATION_SCHEMA.COLUMNS
 WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION LIMIT ${limit}`

/** Returns the statement that lists the columns of a table's primary key, which `INFORMATION_SCHEMA` does not have. */
export const primaryKeyStatement = (database: string, { schema, table }: { schema: string; table: string }): string =>
  `SHOW PRIMARY KEYS IN TABLE ${quoted(database)}.${quoted(schema)}.${quoted(table)}`

/**
 * Returns the statement that counts rows, rows with a null in the key, keys of several rows, and the rows with such
 * keys. Keys are compared in the form in which they are read.
 */
export const keyStatement = (statement: string, key: readonly ReadColumn[]): string => {
  const names = key.map((_, at) => `KEY_${at}`)
  const values = key.map((column, at) => `${valueOf(column)} AS KEY_${at}`)
  const sum = (when: string): string => `COALESCE(SUM(CASE WHEN ${when} THEN FOUND ELSE 0 END), 0)`
  const isRepeated = 'FOUND > 1 AND NOT HAS_NULL'
  return `SELECT COALESCE(SUM(FOUND), 0), ${sum('HAS_NULL')}, COUNT(CASE WHEN ${isRepeated} THEN 1 END), ${sum(isRepeated)}
  FROM (SELECT COUNT(*) AS FOUND, ${names.map((name) => `${name} IS NULL`).join(' OR ')} AS HAS_NULL
          FROM (SELECT ${values.join(', ')} FROM ${inParentheses(statement)} AS ROWS_OF_MODEL) AS KEYS
         GROUP BY ${names.join(', ')}) AS COUNTED`
}
