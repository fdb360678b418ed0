import type { DuckResult } from '../warehouse-testing/duckdb-texts.ts'

/** The account that signs in. */
export const databricksAccount = '5f1f0e58-0000-4000-8000-000000000001'

const typeNames: readonly [RegExp, string][] = [
  [/\bHUGEINT\b/g, 'decimal(38,0)'],
  [/\bTIMESTAMP WITH TIME ZONE\b/g, 'timestamp'],
  [/\bTIMESTAMP\b/g, 'timestamp_ntz'],
  [/\bINTEGER\b/g, 'int'],
  [/\bVARCHAR\b/g, 'string'],
  [/\bBLOB\b/g, 'binary'],
  [/\bJSON\b/g, 'variant'],
  [/^MAP\((.*)\)$/, 'map<$1>'],
  [/^STRUCT\((.*)\)$/, 'struct<$1>'],
]

/** Returns the name that Databricks has for a type of DuckDB. */
export const databricksType = (type: string): string => {
  if (type.endsWith('[]')) return `array<${databricksType(type.slice(0, -2))}>`
  const named = typeNames.reduce((text, [pattern, name]) => text.replace(pattern, name), type)
  if (named.startsWith('struct<')) {
    const fields = named.slice('struct<'.length, -1).split(', ')
    const pairs = fields.map((field) => field.split(' ')).map(([name, of]) => `${name}:${of?.toLowerCase()}`)
    return `struct<${pairs.join(',')}>`
  }
  return named.toLowerCase().replace(/, /g, ',')
}

/** Translates the parts of the statements that DuckDB writes differently. */
export const translated = (sql: string): string =>
  sql
    .replaceAll('`company`.information_schema.', 'information_schema.')
    .replaceAll('listed.full_data_type', 'listed.data_type')
    .replaceAll('current_version().dbsql_version', "'2026.30'")
    .replaceAll('current_user()', `'${databricksAccount}'`)
    .replaceAll(", map('ignoreNullFields', 'false')", '')
    .replace(/^DESCRIBE QUERY/, 'DESCRIBE')
    .replace(/\bAS STRING\b/g, 'AS VARCHAR')
    .replace(/\bunix_micros\(/g, 'epoch_us(')
    .replace(/TIMESTAMP'([^']+)Z'/g, "TIMESTAMPTZ'$1+00'")
    .replace(/\bTIMESTAMP_NTZ'/g, "TIMESTAMP'")
    .replaceAll("'\\\\x'", "'\\x'")
    .replace(/`((?:[^`]|``)*)`/g, (_, name: string) => `"${name.replaceAll('``', '`').replaceAll('"', '""')}"`)

/** Returns a result with the names of types that Databricks has. */
export const withTypes = (sql: string, { names, types, rows }: DuckResult): DuckResult => {
  if (sql.startsWith('DESCRIBE QUERY'))
    return { names, types, rows: rows.map(([name, type]) => [name ?? '', databricksType(type ?? ''), null]) }
  if (!sql.includes('full_data_type')) return { names, types, rows }
  return { names, types, rows: rows.map((row) => row.with(1, databricksType(row[1] ?? ''))) }
}

/** Error conditions (docs.databricks.com/en/error-messages/error-classes) by the kinds of errors of DuckDB. */
const conditions: readonly [RegExp, string, string][] = [
  [/^Parser Error/, 'PARSE_SYNTAX_ERROR', '42601'],
  [/Table with name|does not exist/, 'TABLE_OR_VIEW_NOT_FOUND', '42P01'],
  [/^Binder Error/, 'UNRESOLVED_COLUMN.WITH_SUGGESTION', '42703'],
]

/** Returns the status of a statement that failed. */
export const failureIn = (error: unknown, sql: string) => {
  const text = String(error).replace(/^Error: /, '')
  const [, condition, sqlState] = conditions.find(([pattern]) => pattern.test(text)) ?? [0, 'INTERNAL', 'XXKDA']
  const line = /^LINE (\d+):/m.exec(text)?.[1] ?? '1'
  const words = text.split('\n')[0]?.replace(/^\w+ Error: /, '') ?? ''
  const message = `[${condition}] ${words} SQLSTATE: ${sqlState}; line ${line} pos 0\n\n== SQL ==\n${sql}`
  return { state: 'FAILED', error: { error_code: 'BAD_REQUEST', message }, sql_state: sqlState }
}
