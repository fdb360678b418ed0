/** A test double of Snowflake's SQL: small translations of the statements that we send to those of DuckDB. */

/** Texts in single quotes and names in double quotes, which stay as they are. */
const token = /'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"/gs

/** Rewrites what is outside of texts and names. */
const outside = (sql: string, rewrite: (part: string) => string): string => {
  let result = ''
  let end = 0
  for (const { 0: found, index } of sql.matchAll(token)) {
    result += rewrite(sql.slice(end, index)) + found
    end = index + found.length
  }
  return result + rewrite(sql.slice(end))
}

/** Returns the arguments of a call whose parenthesis opens at `open`, and where it closes. */
const argumentsAt = (sql: string, open: number): { args: string[]; close: number } => {
  const args: string[] = []
  let depth = 0
  let start = open + 1
  for (let at = open; at < sql.length; at++) {
    const sign = sql[at]
    if (sign === "'" || sign === '"') {
      const end = new RegExp(token.source, 'ys')
      end.lastIndex = at
      at += (end.exec(sql)?.[0].length ?? 1) - 1
    } else if (sign === '(') depth++
    else if (sign === ')' && --depth === 0) {
      const last = sql.slice(start, at).trim()
      return { args: last === '' && args.length === 0 ? [] : [...args, last], close: at }
    } else if (sign === ',' && depth === 1) {
      args.push(sql.slice(start, at).trim())
      start = at + 1
    }
  }
  return { args, close: sql.length }
}

const timeFormats: Readonly<Record<string, string>> = {
  "'YYYY-MM-DD'": '%Y-%m-%d',
  "'YYYY-MM-DD HH24:MI:SS.FF6'": '%Y-%m-%d %H:%M:%S.%f',
  "'YYYY-MM-DD HH24:MI:SS.FF9'": '%Y-%m-%d %H:%M:%S.%n',
}

const formatted = (value: string, format: string | undefined): string => {
  if (format === undefined) return `CAST(${value} AS VARCHAR)`
  if (format === "'HEX'") return `hex(${value})`
  if (format === "'HH24:MI:SS.FF9'") return `strftime(DATE '2000-01-01' + ${value}, '%H:%M:%S.%n')`
  return `strftime(${value}, '${timeFormats[format]}')`
}

const calls: Readonly<Record<string, (args: string[]) => string>> = {
  TRY_TO_DECIMAL: ([text, precision, scale]) => `TRY_CAST(${text} AS DECIMAL(${precision},${scale}))`,
  TRY_TO_DOUBLE: ([text]) => `TRY_CAST(${text} AS DOUBLE)`,
  TRY_TO_DATE: ([text]) => `TRY_CAST(${text} AS DATE)`,
  TRY_TO_TIMESTAMP_TZ: ([text]) => `TRY_CAST(${text} AS TIMESTAMPTZ)`,
  TRY_TO_TIMESTAMP_LTZ: ([text]) => `TRY_CAST(${text} AS TIMESTAMPTZ)`,
  TRY_TO_TIMESTAMP_NTZ: ([text]) => `TRY_CAST(${text} AS TIMESTAMP)`,
  TRY_PARSE_JSON: ([text]) => `TRY_CAST(${text} AS JSON)`,
  GET: ([object, name]) => `json_extract(${object}, '$."' || ${name} || '"')`,
  TO_JSON: ([value]) => `CAST(to_json(${value}) AS VARCHAR)`,
  TO_VARIANT: ([value]) => `to_json(${value})`,
  CONVERT_TIMEZONE: ([zone, time]) => `timezone(${zone}, ${time})`,
  TO_VARCHAR: ([value = '', format]) => formatted(value, format),
  OBJECT_INSERT: ([object, name, value]) => `json_merge_patch(${object}, json_object(${name}, ${value}))`,
  OBJECT_DELETE: ([object, name]) => `json_merge_patch(${object}, json_object(${name}, NULL))`,
  OBJECT_CONSTRUCT: () => "CAST('{}' AS JSON)",
  AS_OBJECT: ([value]) => value ?? '',
  ARRAY_SIZE: ([list]) => `len(${list})`,
  OBJECT_KEYS: ([object]) => `json_keys(${object})`,
  CURRENT_TIMESTAMP: () => 'now()',
  TABLE: ([flatten = '']) => flatten,
  FLATTEN: ([input = '']) => `(SELECT unnest(json_extract(${input.replace('INPUT => ', '')}, '$[*]')) AS VALUE)`,
  PARSE_JSON: ([text]) => `CAST(${text} AS JSON)`,
}

/** Rewrites the calls of functions that DuckDB does not have, from the inside. */
const rewritten = (sql: string): string => {
  const name = /'(?:[^'\\]|\\.|'')*'|"(?:[^"]|"")*"|\b([A-Z_]+)\(/gs
  for (let found = name.exec(sql); found !== null; found = name.exec(sql)) {
    const rewrite = calls[found[1] ?? '']
    if (rewrite === undefined) continue
    const open = found.index + found[0].length - 1
    const { args, close } = argumentsAt(sql, open)
    const made = rewrite(args.map(rewritten))
    const isText = found[1] === 'GET' && sql.startsWith('::VARCHAR', close + 1)
    const value = isText ? made.replace('json_extract(', 'json_extract_string(') : made
    sql = sql.slice(0, found.index) + value + sql.slice(close + 1)
    name.lastIndex = found.index + value.length
  }
  return sql
}

const types: readonly [RegExp, string][] = [
  [/\bNUMBER\((\d+),(\d+)\)/g, 'DECIMAL($1,$2)'],
  [/::NUMBER\b/g, '::DECIMAL(38,0)'],
  [/\bVARIANT\b/g, 'JSON'],
  [/::ARRAY\b/g, ''],
  [/\bTIMESTAMP_(?:TZ|LTZ)\b/g, 'TIMESTAMPTZ'],
  [/\bTIMESTAMP_NTZ\b/g, 'TIMESTAMP'],
  [/\bTRANSIENT TABLE\b/g, 'TABLE'],
  [/\bDATA_RETENTION_TIME_IN_DAYS = 0/g, ''],
]

/** Backslashes escape in texts of Snowflake only. */
const literals = (sql: string): string =>
  sql.replace(token, (text) => (text.startsWith("'") ? text.replace(/\\(.)/gs, '$1') : text))

const addedColumns = (sql: string): string[] => {
  const [, table, list] = /^(ALTER TABLE \S+) ADD COLUMN (.*)$/s.exec(sql) ?? []
  if (table === undefined) return [sql]
  return argumentsAt(`(${list})`, 0).args.map((definition) => `${table} ADD COLUMN ${definition}`)
}

/** Returns the statements of a block, or of a text that is none. A handler of errors is left out. */
const statementsIn = (sql: string): string[] => {
  const [, body] = /^EXECUTE IMMEDIATE \$\$\nBEGIN\n(.*)\nEND\n\$\$$/s.exec(sql) ?? []
  if (body === undefined) return [sql]
  const [work = ''] = body.split(/\nEXCEPTION WHEN OTHER THEN\n/)
  return work.replace(/;$/, '').split(';\n')
}

/** Whether a text is a block, which counts as one statement. */
export const isBlock = (sql: string): boolean => sql.startsWith('EXECUTE IMMEDIATE $$')

/** Returns a statement of Snowflake as one or several of DuckDB. */
export const translated = (sql: string): string =>
  statementsIn(sql)
    .map((statement) =>
      outside(rewritten(statement), (part) => types.reduce((text, [from, to]) => text.replace(from, to), part)),
    )
    .flatMap(addedColumns)
    .map(literals)
    .join(';\n')
