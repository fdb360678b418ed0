import type { IncomingHttpHeaders } from 'node:http'
import type { SlotKind } from './engine.ts'
import { EngineError } from './engine-error.ts'

/** Header that requests a kind of slot; a ClickHouse server ignores it. */
export const slotHeader = 'x-tributary-slot'

export type ParsedCall = {
  /** The `query` parameter. The body is appended to it, or contains the rows of an insert. */
  query: string
  database: string
  queryId: string
  format: string | undefined
  compress: boolean
  params: Map<string, string>
  settings: Record<string, string>
  slot: SlotKind
  /** Whether the statement must not change anything (`readonly` of the HTTP interface). */
  readOnly: boolean
}

// Parameters of the HTTP interface that are not settings of the engine.
// biome-ignore format: a table
const reserved: ReadonlySet<string> = new Set([
  'query', 'database', 'query_id', 'session_id', 'session_check', 'session_timeout', 'role', 'user', 'password',
  'default_format', 'enable_http_compression', 'http_zlib_compression_level', 'compress', 'decompress',
  'wait_end_of_query', 'buffer_size', 'quota_key', 'send_progress_in_http_headers', 'http_headers_progress_interval_ms',
  'http_write_exception_in_output_format', 'client_protocol_version', 'cancel_http_readonly_queries_on_client_close',
  'readonly',
])

/** Parses the parts of a call that ClickHouse's HTTP interface reads from the URL and the headers. */
export const parseCall = (search: URLSearchParams, headers: IncomingHttpHeaders): ParsedCall => {
  const params = new Map<string, string>()
  const settings: Record<string, string> = {}
  for (const [key, value] of search) {
    if (key.startsWith('param_')) params.set(key.slice(6), value)
    else if (!reserved.has(key)) settings[key] = value
  }
  const header = (key: string): string | undefined => {
    const value = headers[key]
    return Array.isArray(value) ? value[0] : value
  }
  return {
    query: search.get('query') ?? '',
    database: search.get('database') ?? header('x-clickhouse-database') ?? 'default',
    queryId: search.get('query_id') ?? crypto.randomUUID(),
    format: search.get('default_format') ?? header('x-clickhouse-format'),
    compress: search.get('enable_http_compression') === '1' && /\bgzip\b/.test(header('accept-encoding') ?? ''),
    params,
    settings,
    readOnly: !['', '0'].includes(search.get('readonly') ?? ''),
    slot: header(slotHeader) === 'heavy' ? 'heavy' : 'short',
  }
}

/**
 * The named parts of a multipart form, in which the client sends long parameters: `query` and `param_<name>`. Undefined
 * for any other content type.
 */
export const parseMultipart = (contentType: string | undefined, body: Buffer): Map<string, string> | undefined => {
  const boundary = /^multipart\/form-data;\s*boundary="?([^";]+)"?/i.exec(contentType ?? '')?.[1]
  if (boundary === undefined) return undefined
  const parts = new Map<string, string>()
  for (const part of `\r\n${body.toString()}`.split(`\r\n--${boundary}`).slice(1, -1)) {
    const found = /^\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(part)
    const partName = /name="([^"]*)"/i.exec(found?.[1] ?? '')?.[1]
    if (partName === undefined || found === null)
      throw new EngineError(36, 'BAD_ARGUMENTS', 'The multipart form cannot be read')
    parts.set(partName, found[2] ?? '')
  }
  return parts
}

/** The accepted formats of inserted rows. */
const insertFormats = ['JSONEachRow', 'JSONCompactEachRow', 'RowBinary'] as const

const insertHead = /^\s*INSERT\s+INTO\s+(?:TABLE\s+(?!(?:SELECT|WITH|FORMAT)\b))?([\w.`"]+)\s*/i

/**
 * Splits an insert into its table, its columns, and the text after them; undefined for any other statement. Takes
 * linear time.
 */
const insertOf = (query: string): { table: string; columns: string | undefined; rest: string } | undefined => {
  const [head = '', table] = insertHead.exec(query) ?? []
  if (table === undefined) return undefined
  const rest = query.slice(head.length)
  const [list, columns] = /^\(([^()]*)\)\s*/.exec(rest) ?? []
  return { table, columns, rest: rest.slice(list?.length ?? 0) }
}

const formatText = /^FORMAT\s+(\w+)\s*;?$/i

/** Splits `INSERT INTO [db.]table [(columns)] FORMAT x`, whose rows are in the body; undefined for any other text. */
export const parseInsert = (
  query: string,
): { table: string; columns: string[] | undefined; format: string } | undefined => {
  const insert = insertOf(query)
  const named = formatText.exec(insert?.rest.trimEnd() ?? '')?.[1]?.toLowerCase()
  const format = insertFormats.find((known) => known.toLowerCase() === named)
  if (insert === undefined || format === undefined) return undefined
  const bare = (text: string): string => text.trim().replace(/^[`"]|[`"]$/g, '')
  const table = insert.table.split('.').map(bare).join('.')
  const columns = insert.columns?.split(',').map(bare)
  if (!/^\w+(?:\.\w+)?$/.test(table) || columns?.some((column) => !/^\w+$/.test(column))) return undefined
  return { table, columns, format }
}

const leading = /^(?:\s+|--[^\n]*\n|\/\*[\s\S]*?\*\/)*/

/** Whether a statement inserts the result of a query, which may scan and group for a long time. */
const insertsQuery = (statement: string): boolean => /^(?:SELECT|WITH)\b/i.test(insertOf(statement)?.rest ?? '')

const readingWords = new Set(['', 'SELECT', 'WITH', 'SHOW', 'DESCRIBE', 'DESC', 'EXPLAIN', 'EXISTS'])

/**
 * The kind of slot of a statement by its first word; undefined for a statement that only reads, whose caller chooses.
 * Throws for statements that are meaningless between requests (48) and, if `readOnly`, for those that change something
 * (164).
 */
export const slotOf = (sql: string, readOnly: boolean): SlotKind | undefined => {
  const statement = sql.replace(leading, '')
  const first = (/^[A-Za-z]+/.exec(statement)?.[0] ?? '').toUpperCase()
  if (first === 'SET' || first === 'USE') {
    throw new EngineError(
      48,
      'NOT_IMPLEMENTED',
      `${first} has no effect between requests: pass settings and the database with each one`,
    )
  }
  if (readingWords.has(first)) return undefined
  if (readOnly) throw new EngineError(164, 'READONLY', `Cannot execute ${first} in readonly mode`)
  // Statements that change tables may take long (mutations), so they never run before the queries of pages.
  return first === 'INSERT' && !insertsQuery(statement) ? 'insert' : 'heavy'
}
