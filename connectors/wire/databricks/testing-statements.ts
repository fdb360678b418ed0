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

/** Functions of Databricks that DuckDB has by another name. */
export const macros = [
  'CREATE MACRO unix_micros(t) AS epoch_us(t)',
  'CREATE MACRO make_dt_interval(d, h, m, s) AS to_microseconds(CAST(s * 1000000 AS BIGINT))',
  `CREATE MACRO get_json_object(j, p) AS json_extract_string(j, '$."' || p[4:-3] || '"')`,
]

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

/** Returns a literal or a quoted name of Databricks as DuckDB writes it. */
const requoted = (token: string): string => {
  if (token.startsWith('--')) return token
  const inner = token.slice(1, -1)
  if (token.startsWith('`')) return `"${inner.replaceAll('``', '`').replaceAll('"', '""')}"`
  const text = inner.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code?: string, letter = '') =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  )
  return `'${text.replaceAll("'", "''")}'`
}

/** Parts of statements that DuckDB writes differently. `§` is around the number of a literal or a quoted name. */
const rewritten: readonly [RegExp, string][] = [
  [/current_version\(\)\.dbsql_version/g, "'2026.30'"],
  [/current_user\(\)/g, `'${databricksAccount}'`],
  [/, map\(§\d+§, §\d+§\)/g, ''],
  [/^DESCRIBE QUERY/, 'DESCRIBE'],
  [/ TBLPROPERTIES \([^()]{0,300}\)/, ''],
  [/\bfull_data_type\b/g, 'data_type'],
  [/\bmap\((§\d{1,5}§), CAST\(/g, 'map([$1], [to_json('],
  [/ AS variant\)\)/g, ')])'],
  [
    /\bmap_filter\(from_json\(coalesce\((\S{1,9}), (\S{1,9})\), \S{1,9}\), \(k, v\) -> k <> (§\d{1,5}§)\)/g,
    'map_from_entries(list_filter(map_entries(CAST(CAST(coalesce($1, $2) AS JSON) AS MAP(VARCHAR, JSON))), lambda e: e.key <> $3))',
  ],
  [/\bsize\(/g, 'cardinality('],
  [/\bstring\b/gi, 'VARCHAR'],
  [/\btimestamp\b/gi, 'TIMESTAMPTZ'],
  [/\btimestamp_ntz\b/gi, 'TIMESTAMP'],
]

const readFiles = /\bread_files\((§\d{1,5}§), .{1,100}? schema => (§\d{1,5}§)\)/

/** Returns the end of the literal, the quoted name, or the comment that begins at a position, if one does. */
const endOfToken = (sql: string, start: number): number | undefined => {
  const quote = sql[start]
  if (sql.startsWith('--', start)) {
    const end = sql.indexOf('\n', start)
    return end < 0 ? sql.length : end
  }
  if (quote !== "'" && quote !== '`') return undefined
  for (let at = start + 1; at < sql.length; at++) {
    if (sql[at] === '\\' && quote === "'") at++
    else if (sql[at] === quote && sql[at + 1] === quote && quote === '`') at++
    else if (sql[at] === quote) return at + 1
  }
  return sql.length
}

/**
 * Translates a statement for DuckDB, which may need several. `fileAt` returns the local path of a file in a volume.
 */
export const translated = (sql: string, fileAt: (path: string) => string = (path) => path): string[] => {
  const tokens: string[] = []
  let marked = ''
  for (let at = 0; at < sql.length; ) {
    const end = endOfToken(sql, at)
    if (end === undefined) marked += sql[at]
    else marked += `§${tokens.push(sql.slice(at, end)) - 1}§`
    at = end ?? at + 1
  }
  const tokenOf = (mark: string): string => requoted(tokens[Number(mark.slice(1, -1))] ?? '')
  const read = marked.replace(readFiles, (_, path: string, schema: string) => {
    const columns = tokenOf(schema)
      .slice(1, -1)
      .replace(/\b(\w{1,40}) (\w{1,40})/g, "$1: '$2'")
      .replaceAll("'string'", "'VARCHAR'")
    return `read_json('${fileAt(tokenOf(path).slice(1, -1))}', format = 'newline_delimited', columns = {${columns}})`
  })
  const other = rewritten.reduce((text, [pattern, by]) => text.replace(pattern, by), read)
  const added = /^(ALTER TABLE \S+) ADD COLUMNS \((.*)\)$/s.exec(other)
  const statements =
    added === null ? [other] : (added[2] ?? '').split(/, (?=§)/).map((column) => `${added[1]} ADD COLUMN ${column}`)
  return statements.map((text) =>
    text.replace(/§\d+§/g, tokenOf).replaceAll('"company".information_schema.', 'information_schema.'),
  )
}

/** Returns a result with the names of types that Databricks has. */
export const withTypes = (sql: string, { names, types, rows }: DuckResult): DuckResult => {
  if (sql.startsWith('DESCRIBE QUERY'))
    return { names, types, rows: rows.map(([name, type]) => [name ?? '', databricksType(type ?? ''), null]) }
  const at = names.indexOf('data_type')
  if (at < 0) return { names, types, rows }
  return { names, types, rows: rows.map((row) => row.with(at, databricksType(row[at] ?? ''))) }
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
