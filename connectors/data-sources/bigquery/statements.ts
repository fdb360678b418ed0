import { type DataQuery, type RowsFrom, withoutStatementEnd } from '@tributary/connector-kit'
import type { Field } from '../../wire/bigquery/fields.ts'
import { quoted } from '../../wire/bigquery/identifiers.ts'

/** Returns a query as one statement without the final semicolon. */
export const statementOf = (query: DataQuery, project: string): string =>
  'sql' in query
    ? withoutStatementEnd(query.sql)
    : `SELECT * FROM ${[project, query.schema, query.table].map(quoted).join('.')}`

/** Returns a statement in parentheses. The closing one is on a new line, so that no comment includes it. */
const inParentheses = (statement: string): string => `(\n${statement}\n)`

/** The range of INT64, beyond which a number needs its type. */
const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n]

/** Returns the value of a bound. A text becomes a DATE, DATETIME, or TIMESTAMP in UTC by the type of the column. */
const boundOf = ({ kind, value }: RowsFrom): string => {
  if (kind !== 'number') return `'${value}'`
  const number = BigInt(value)
  return number < least || number > most ? `BIGNUMERIC '${value}'` : value
}

/** Returns the statement that reads a statement's rows, optionally from a value of one column on. */
export const rowsStatement = (statement: string, from: RowsFrom | undefined): string => {
  if (from === undefined) return statement
  const column = quoted(from.column)
  return `SELECT * FROM ${inParentheses(statement)} WHERE ${column} >= ${boundOf(from)} OR ${column} IS NULL`
}

/** Types that `GROUP BY` accepts as they are. Others are compared as JSON, in the form in which they are read. */
const comparable = new Set('INT64 NUMERIC BIGNUMERIC FLOAT64 BOOL STRING BYTES DATE TIME DATETIME TIMESTAMP'.split(' '))

const keyOf = ({ name, type, isList }: Field): string =>
  !isList && comparable.has(type) ? quoted(name) : `IF(${quoted(name)} IS NULL, NULL, TO_JSON_STRING(${quoted(name)}))`

/** Returns the statement that counts rows, rows with a null in the key, keys of several rows, and their rows. */
export const keyStatement = (statement: string, key: readonly Field[]): string => {
  const names = key.map((_, at) => `key_${at}`)
  const values = key.map((field, at) => `${keyOf(field)} AS key_${at}`)
  return `SELECT IFNULL(SUM(found), 0) AS all_rows, IFNULL(SUM(IF(has_null, found, 0)), 0) AS null_rows,
  COUNTIF(found > 1 AND NOT has_null) AS repeated, IFNULL(SUM(IF(found > 1 AND NOT has_null, found, 0)), 0) AS their_rows
  FROM (SELECT COUNT(*) AS found, ${names.map((name) => `${name} IS NULL`).join(' OR ')} AS has_null
          FROM (SELECT ${values.join(', ')} FROM ${inParentheses(statement)}) AS rows_of_model
         GROUP BY ${names.join(', ')}) AS counted`
}
