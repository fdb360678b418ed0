import { type DataQuery, type RowsFrom, withoutStatementEnd } from '@tributary/connector-kit'
import type { CustomTypesConfig, QueryConfig } from 'pg'
import { quoted } from './identifiers.ts'

/** Options that the driver's types lack: the extended protocol, which refuses a second statement. */
type Extended = QueryConfig & { rowMode: 'array'; queryMode: 'extended' }

const asText: CustomTypesConfig = { getTypeParser: () => (value: string) => value }

/** Returns one statement whose rows are lists of texts. The server refuses a second statement in it. */
export const extended = (text: string): Extended => ({ text, rowMode: 'array', queryMode: 'extended', types: asText })

/** Returns statements whose rows are lists of texts. */
export const asTexts = (text: string): QueryConfig & { rowMode: 'array' } => ({ text, rowMode: 'array', types: asText })

/**
 * Returns a query as one statement without a semicolon. Text after the query is on a new line, so that no comment
 * includes it.
 */
export const statementOf = (query: DataQuery): string =>
  'sql' in query
    ? `${withoutStatementEnd(query.sql)}\n`
    : `select * from ${quoted(query.schema)}.${quoted(query.table)}\n`

/**
 * Returns the condition for rows from a value on. The value has the type of the column, and times are in the session's
 * time zone, which is UTC.
 */
export const conditionFrom = (from: RowsFrom): string => {
  const column = quoted(from.column)
  const value = from.kind === 'number' ? from.value : `'${from.value}'`
  return `${column} >= ${value} or ${column} is null`
}

/**
 * Returns the line of the query at a position in it; undefined if the position is outside of the query. Lines and
 * positions begin with 1.
 */
export const lineOf = (sql: string, position: number): number | undefined => {
  const at = position - 1
  // The server counts characters, not UTF-16 units.
  const characters = Array.from(sql)
  return at < 0 || at > characters.length
    ? undefined
    : characters.slice(0, at).filter((each) => each === '\n').length + 1
}
