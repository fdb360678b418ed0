import { createHash, timingSafeEqual } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip, gzip } from 'node:zlib'
import type { Engine, EngineResult } from './engine.ts'
import { EngineError, parseEngineError, statusOf, tooBusy } from './engine-error.ts'
import { type ParsedCall, parseCall, parseInsert, parseMultipart, slotOf } from './request.ts'
import { substituteParams } from './substitute.ts'

export type ServerOptions = {
  engine: Engine
  user: string
  secret: string
  dataDir: string
  /** Maximum bytes of one request body after decompression. */
  maxBodyBytes: number
  /** Maximum bytes of all bodies in memory; further ones are rejected with 503. */
  maxBodiesBytes: number
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
const gzipBytes = promisify(gzip)

const credentialsOf = (request: IncomingMessage, search: URLSearchParams): { user: string; password: string } => {
  const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? '')
  if (basic?.[1] !== undefined) {
    const text = Buffer.from(basic[1], 'base64').toString()
    const colon = text.indexOf(':')
    return { user: text.slice(0, colon), password: text.slice(colon + 1) }
  }
  const header = (key: string): string => String(request.headers[key] ?? '')
  return {
    user: header('x-clickhouse-user') || (search.get('user') ?? ''),
    password: header('x-clickhouse-key') || (search.get('password') ?? ''),
  }
}

const send = (
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: Uint8Array | string,
): void => {
  if (response.destroyed) return
  response.writeHead(status, {
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    'x-clickhouse-timezone': 'UTC',
  })
  response.end(body)
}

const sendError = (response: ServerResponse, error: unknown, queryId: string): void => {
  const known = parseEngineError(error)
  send(
    response,
    statusOf(known.code),
    {
      'content-type': 'text/plain; charset=UTF-8',
      'x-clickhouse-exception-code': String(known.code),
      'x-clickhouse-query-id': queryId,
      ...(known.code === 202 ? { 'retry-after': '1' } : {}),
    },
    known.toBody(),
  )
}

/** Creates a reader of request bodies, with a limit for each body and for all bodies together. */
const createBodyReader = ({ maxBodyBytes, maxBodiesBytes }: ServerOptions) => {
  let held = 0
  return async (request: IncomingMessage): Promise<{ body: Buffer; release: () => void }> => {
    const packed = request.headers['content-encoding'] === 'gzip'
    const chunks: Buffer[] = []
    let size = 0
    const release = (): void => {
      held -= size
      size = 0
    }
    let refusal: EngineError | undefined
    const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of source) {
        if (refusal !== undefined) continue
        size += chunk.length
        held += chunk.length
        if (size > maxBodyBytes) {
          refusal = new EngineError(307, 'TOO_MANY_BYTES', `The request is larger than ${maxBodyBytes} bytes`)
        } else if (held > maxBodiesBytes) refusal = tooBusy('Too many bytes of requests are being held')
        else chunks.push(chunk)
        if (refusal !== undefined) {
          chunks.length = 0
          release()
          // A compressed body may grow without end. A plain body is read to its end, so that its sender receives the
          // response.
          if (packed) throw refusal
        }
      }
      if (refusal !== undefined) throw refusal
    }
    try {
      if (packed) await pipeline(request, createGunzip(), collect)
      else await collect(request)
    } catch (error) {
      release()
      throw error
    }
    return { body: chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks), release }
  }
}

const empty = Buffer.alloc(0)

const withForm = (call: ParsedCall, form: ReadonlyMap<string, string> | undefined): ParsedCall => {
  if (form === undefined) return call
  const params = new Map(call.params)
  for (const [key, value] of form) if (key.startsWith('param_')) params.set(key.slice(6), value)
  return { ...call, params, query: form.get('query') ?? call.query }
}

const runCall = async (
  engine: Engine,
  call: ParsedCall,
  body: Buffer,
  signal: AbortSignal,
): Promise<EngineResult & { format: string }> => {
  const raw = body.length > 0 && call.query !== '' ? parseInsert(call.query) : undefined
  if (raw !== undefined) {
    return {
      ...(await engine.insert({ ...raw, body, database: call.database, settings: call.settings }, signal)),
      format: 'TabSeparated',
    }
  }
  const text = call.query === '' ? body.toString() : call.query
  if (text.trim() === '') throw new EngineError(62, 'SYNTAX_ERROR', 'Syntax error: the query is empty')
  const slot = slotOf(text, call.readOnly)
  const withParams = substituteParams(text, call.params)
  const sql = call.query !== '' && body.length > 0 ? `${withParams}\n${body.toString()}` : withParams
  const format = call.format ?? 'TabSeparated'
  const result = await engine.execute(
    slot ?? call.slot,
    { sql, format, database: call.database, settings: call.settings },
    signal,
  )
  return { ...result, format }
}

/**
 * Creates ClickHouse's HTTP interface for the engine, with the parts that the official client uses. It does not listen
 * yet.
 */
export const createChdbServer = (options: ServerOptions): Server => {
  const { engine } = options
  const readBody = createBodyReader(options)
  const expected = digest(`${options.user}:${options.secret}`)

  const answer = async (request: IncomingMessage, response: ServerResponse, search: URLSearchParams): Promise<void> => {
    const call = parseCall(search, request.headers)
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    let release = (): void => {}
    try {
      const { user, password } = credentialsOf(request, search)
      if (!timingSafeEqual(digest(`${user}:${password}`), expected)) {
        throw new EngineError(
          516,
          'AUTHENTICATION_FAILED',
          'Authentication failed: password is incorrect, or there is no such user',
        )
      }
      const read = await readBody(request)
      release = read.release
      const form = parseMultipart(request.headers['content-type'], read.body)
      const result = await runCall(engine, withForm(call, form), form === undefined ? read.body : empty, gone.signal)
      const packed = call.compress && result.bytes.length > 1024 ? await gzipBytes(result.bytes) : undefined
      send(
        response,
        200,
        {
          'content-type': 'text/plain; charset=UTF-8',
          'x-clickhouse-query-id': call.queryId,
          'x-clickhouse-format': result.format,
          'x-clickhouse-summary': JSON.stringify({
            read_rows: String(result.rowsRead),
            read_bytes: String(result.bytesRead),
            written_rows: '0',
            written_bytes: '0',
            total_rows_to_read: '0',
            result_rows: '0',
            result_bytes: String(result.bytes.length),
            elapsed_ns: String(Math.round(result.elapsedSeconds * 1e9)),
          }),
          ...(packed === undefined ? {} : { 'content-encoding': 'gzip' }),
        },
        packed ?? result.bytes,
      )
    } catch (error) {
      request.resume()
      sendError(response, error, call.queryId)
    } finally {
      release()
    }
  }

  const server = createServer({ maxHeaderSize: 1024 * 1024 }, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/ping') {
      // Uses the thread pool on purpose: a response proves that the pool is not starved and that the folder exists.
      stat(options.dataDir).then(
        () => send(response, 200, { 'content-type': 'text/plain' }, 'Ok.\n'),
        () => send(response, 503, { 'content-type': 'text/plain' }, 'The data folder is gone\n'),
      )
      return
    }
    if (url.pathname !== '/' || (request.method !== 'POST' && request.method !== 'GET')) {
      request.resume()
      send(response, 404, { 'content-type': 'text/plain' }, 'There is no handle for this request\n')
      return
    }
    void answer(request, response, url.searchParams)
  })
  server.keepAliveTimeout = 60_000
  server.headersTimeout = 65_000
  server.requestTimeout = 300_000
  return server
}
