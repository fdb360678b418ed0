/** A test double of Snowflake's SQL: small translations of the statements that we send to those of DuckDB. */

/** Returns where a text in single quotes or a name in double quotes ends that begins at `start`. */
const tokenEnd = (sql: string, start: number): number => {
  const sign = sql[start]
  for (let at = start + 1; at < sql.length; at++) {
    if (sign === "'" && sql[at] === '\\') at++
    else if (sql[at] === sign && sql[at + 1] === sign) at++
    else if (sql[at] === sign) return at + 1
  }
  return sql.length
}

const beginsToken = (sign: string | undefined): boolean => sign === "'" || sign === '"'

/** Rewrites what is outside of texts and names, and the texts and names themselves. */
const outside = (
  sql: string,
  rewrite: (part: string) => string,
  rewriteToken: (token: string) => string = (token) => token,
): string => {
  let result = ''
  let start = 0
  for (let at = 0; at < sql.length; at++) {
    if (!beginsToken(sql[at])) continue
    const end = tokenEnd(sql, at)
    result += rewrite(sql.slice(start, at)) + rewriteToken(sql.slice(at, end))
    start = end
    at = end - 1
  }
  return result + rewrite(sql.slice(start))
}

/** Returns the arguments of a call whose parenthesis opens at `open`, and where it closes. */
const argumentsAt = (sql: string, open: number): { args: string[]; close: number } => {
  const args: string[] = []
  let depth = 0
  let start = open + 1
  for (let at = open; at < sql.length; at++) {
    const sign = sql[at]
    if (beginsToken(sign)) at = tokenEnd(sql, at) - 1
    else if (sign === '(') depth++
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
  let result = ''
  let word = ''
  for (let at = 0; at < sql.length; at++) {
    const sign = sql[at] ?? ''
    const rewrite = sign === '(' ? calls[word] : undefined
    if (rewrite !== undefined) {
      const { args, close } = argumentsAt(sql, at)
      const made = rewrite(args.map(rewritten))
      const isText = word === 'GET' && sql.startsWith('::VARCHAR', close + 1)
      result = result.slice(0, -word.length) + (isText ? made.replace('json_extract(', 'json_extract_string(') : made)
      at = close
    } else if (beginsToken(sign)) {
      const end = tokenEnd(sql, at)
      result += sql.slice(at, end)
      at = end - 1
    } else result += sign
    word = /[A-Z_]/.test(sign) ? word + sign : ''
  }
  return result
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
  outside(
    sql,
    (part) => part,
    (token) => (token.startsWith("'") ? token.replace(/\\(.)/gs, '$1') : token),
  )

const addedColumns = (sql: string): string[] => {
  const [, table, list] = /^(ALTER TABLE \S+) ADD COLUMN (.*)$/s.exec(sql) ?? []
  if (table === undefined) return [sql]
  return argumentsAt(`(${list})`, 0).args.map((definition) => `${table} ADD COLUMN ${definition}`)
}

/** Returns the statements of a block, or of a text that is none. A handler of errors is left out. */
export const statementsIn = (sql: string): string[] => {
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
