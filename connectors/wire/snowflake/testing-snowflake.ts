import { createHash, createPublicKey, createVerify, generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'

/** A column of a result, as the service describes it. */
export type TestColumn = { name: string; type: string; precision?: number | null; scale?: number | null }
export type TestResult = { columns: readonly TestColumn[]; rows: readonly (readonly (string | null)[])[] }

/** A statement as it arrived. Names are those of the request; null for what the account does not have. */
export type TestStatement = {
  sql: string
  values: readonly (string | null)[]
  role: string
  warehouse: string | null
  database: string | null
  schema: string | null
}

/** A refusal of a statement: its code, SQLSTATE, and message. */
export class TestRefusal extends Error {
  override readonly name = 'TestRefusal'
  readonly code: string
  readonly sqlState: string
  constructor(code: string, sqlState: string, words: string) {
    super(words)
    this.code = code
    this.sqlState = sqlState
  }
}

/** The engine that runs the statements of the peer. */
export type TestEngine = {
  /** The number of statements in a text. */
  count(sql: string): Promise<number>
  /** Runs one statement. Rejects with TestRefusal. */
  run(statement: TestStatement): Promise<TestResult>
}

const keys = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

/** The settings with which a client signs in to the peer. */
export const testAccess = {
  account: 'myorg-account_1',
  user: 'tributary',
  private_key: keys.privateKey,
  role: 'reader',
  warehouse: 'small',
  database: 'company',
}

/**
 * Whether a token follows docs.snowflake.com/en/developer-guide/sql-api/authenticating: RS256, issuer with account, user
 * and fingerprint, valid for at most an hour.
 */
const isSigned = (token: string, now: number): boolean => {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const verify = createVerify('RSA-SHA256').update(`${header}.${claims}`)
  if (!verify.verify(createPublicKey(keys.publicKey), signature, 'base64url')) return false
  const { iss, sub, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const der = Buffer.from(keys.publicKey.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  const fingerprint = `SHA256:${createHash('sha256').update(der).digest('base64')}`
  return (
    sub === 'MYORG-ACCOUNT_1.TRIBUTARY' &&
    iss === `${sub}.${fingerprint}` &&
    exp - iat <= 3600 &&
    iat <= now / 1000 + 5 &&
    exp > now / 1000
  )
}

type State =
  | { at: 'running' }
  | { at: 'done'; result: TestResult }
  | { at: 'failed'; status: number; error: TestRefusal }
type Running = { sql: string; handle: string; state: State; cancel(): void }

/** A text that keeps a statement running until it is canceled, or until its time limit. */
export const endless = '/* endless */'

type Options = {
  engine: TestEngine
  /** The number of rows in the first part of a result, and in each further part. */
  partRows?: number
  /** Responds instead of the peer, unless it returns undefined. `index` counts all requests. */
  instead?: ((request: TestRequest, index: number) => TestAnswer | undefined) | undefined
  /** Changes the text of a statement. */
  rewrite?: ((sql: string) => string) | undefined
  /** Whether the connection is cut before a request has its effect. */
  cut?: ((request: TestRequest) => boolean) | undefined
  /** Whether the connection is cut after a request has had its effect, and before its response. */
  after?: ((request: TestRequest) => boolean) | undefined
}
type TestRequest = { method: string; path: string; body: string }
export type TestAnswer = { status: number; headers?: Record<string, string>; body?: string | Buffer }

export type SnowflakePeer = AsyncDisposable & {
  origin: string
  /** The requests, as `POST /api/v2/statements?async=true`. */
  requests: string[]
  /** The statements that were sent, and their bodies. */
  statements: { sql: string; body: Record<string, unknown> }[]
  /** The statements that were canceled. */
  canceled: string[]
  set(options: Partial<Options>): void
  /** The number of connections since the start. */
  connections(): number
  /** Cancels everything that runs, as an administrator can. */
  cancel(): void
  /** Resolves when the condition holds; it is checked after each request. */
  until(condition: () => boolean): Promise<void>
}

const say = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const refuse = (response: ServerResponse, status: number, code: string, message: string): void =>
  say(response, status, { code, message })

const partsOf = ({ rows }: TestResult, partRows: number): (readonly (string | null)[])[][] => {
  const parts: (readonly (string | null)[])[][] = []
  for (let at = 0; at < rows.length; at += partRows) parts.push(rows.slice(at, at + partRows))
  return parts.length === 0 ? [[]] : parts
}

/** Runs a statement as its request says. */
const execute = async (engine: TestEngine, sql: string, body: Record<string, unknown>): Promise<State> => {
  const parameters = body.parameters as Record<string, string>
  try {
    const count = await engine.count(sql)
    const desired = Number(parameters.MULTI_STATEMENT_COUNT)
    if (count !== desired)
      throw new TestRefusal(
        '000008',
        '0A000',
        `Actual statement count ${count} did not match the desired statement count ${desired}.`,
      )
    const values = Object.values((body.bindings ?? {}) as Record<string, { value: string | null }>)
    const nameOf = (name: string, known: string): string | null => (body[name] === known ? known : null)
    const result = await engine.run({
      sql,
      values: values.map(({ value }) => value),
      role: String(body.role),
      warehouse: nameOf('warehouse', 'SMALL'),
      database: nameOf('database', 'COMPANY'),
      schema: typeof body.schema === 'string' && body.schema !== 'NOWHERE' ? body.schema : null,
    })
    return { at: 'done', result }
  } catch (error) {
    if (error instanceof TestRefusal) return { at: 'failed', status: 422, error }
    return { at: 'failed', status: 422, error: new TestRefusal('100000', '22000', String(error)) }
  }
}

/** Creates the statements of a peer, by their handles. */
const createRunning = (engineOf: () => TestEngine, canceled: string[]) => {
  const running = new Map<string, Running>()
  const submit = (sql: string, body: Record<string, unknown>): string => {
    const handle = randomUUID()
    const limit = Number(body.timeout)
    const entry: Running = { sql, handle, state: { at: 'running' }, cancel: () => {} }
    running.set(handle, entry)
    const end = (state: State): void => {
      if (entry.state.at === 'running') entry.state = state
    }
    entry.cancel = () => {
      canceled.push(sql)
      end({ at: 'failed', status: 422, error: new TestRefusal('000604', '57014', 'SQL execution canceled') })
    }
    if (sql.includes(endless)) {
      const words = `Statement reached its statement or warehouse timeout of ${limit} second(s) and was canceled.`
      const timer = setTimeout(
        () => end({ at: 'failed', status: 408, error: new TestRefusal('000630', '57014', words) }),
        limit * 1000,
      )
      timer.unref()
    } else void execute(engineOf(), sql, body).then(end)
    return handle
  }
  return {
    submit,
    find: (handle: string) => running.get(handle),
    cancel: () => {
      for (const each of running.values()) if (each.state.at === 'running') each.cancel()
    },
  }
}

const accepted = (response: ServerResponse, handle: string): void =>
  say(response, 202, {
    code: '333334',
    message: 'Asynchronous execution in progress. Use provided query id to perform query monitoring and management.',
    statementHandle: handle,
    statementStatusUrl: `/api/v2/statements/${handle}`,
  })

/** Responds with the state of a statement, or with a part of its result. */
const answerGet = (url: URL, { handle, state }: Running, response: ServerResponse, partRows: number): void => {
  if (state.at === 'running') return accepted(response, handle)
  if (state.at === 'failed') {
    const { code, sqlState, message } = state.error
    return say(response, state.status, { code, sqlState, message, statementHandle: handle })
  }
  const parts = partsOf(state.result, partRows)
  const part = Number(url.searchParams.get('partition') ?? 0)
  if (part > 0) {
    // Further parts are zipped, whatever the client accepts.
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    return void response.end(gzipSync(JSON.stringify({ data: parts[part] })))
  }
  say(response, 200, {
    resultSetMetaData: {
      numRows: state.result.rows.length,
      format: 'jsonv2',
      partitionInfo: parts.map((rows) => ({ rowCount: rows.length, uncompressedSize: JSON.stringify(rows).length })),
      rowType: state.result.columns.map((column) => ({ nullable: true, database: '', table: '', ...column })),
    },
    data: parts[0],
    code: '090001',
    statementStatusUrl: `/api/v2/statements/${handle}`,
    sqlState: '00000',
    statementHandle: handle,
    message: 'Statement executed successfully.',
    createdOn: 1_700_000_000_000,
  })
}

/**
 * Starts a peer that speaks the SQL API of Snowflake (docs.snowflake.com/en/developer-guide/sql-api/reference and
 * /handling-responses), for the account, role, warehouse, and database of `testAccess`. It accepts a request only as
 * documented, and runs the statements with `engine`.
 */
export const startSnowflake = async (given: Options): Promise<SnowflakePeer> => {
  const options: Options = { ...given }
  const statements: SnowflakePeer['statements'] = []
  const requests: string[] = []
  const canceled: string[] = []
  const running = createRunning(() => options.engine, canceled)
  const byRequest = new Map<string, string>()
  const watchers = new Set<() => void>()

  const answerPost = (url: URL, body: string, response: ServerResponse): void => {
    const parsed = JSON.parse(body) as Record<string, unknown>
    const sql = options.rewrite?.(String(parsed.statement)) ?? String(parsed.statement)
    const id = url.searchParams.get('requestId') ?? ''
    const known = url.searchParams.get('retry') === 'true' ? byRequest.get(id) : undefined
    if (known !== undefined) return accepted(response, known)
    if (parsed.role !== 'READER')
      return refuse(
        response,
        422,
        '390189',
        `Role '${String(parsed.role)}' specified in the connect string does not exist or not authorized.`,
      )
    statements.push({ sql, body: parsed })
    const handle = running.submit(sql, parsed)
    byRequest.set(id, handle)
    accepted(response, handle)
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { method = '', url: path = '', headers } = request
    const url = new URL(path, 'http://snowflake')
    requests.push(`${method} ${path}`)
    const other = options.instead?.({ method, path, body }, requests.length - 1)
    if (other !== undefined) {
      response.writeHead(other.status, other.headers)
      // A body that is shorter than announced breaks off.
      if (other.headers?.['content-length'] === undefined) return void response.end(other.body)
      return void response.write(other.body ?? '', () => response.destroy())
    }
    if (options.cut?.({ method, path, body }) === true) return void response.destroy()
    if (options.after?.({ method, path, body }) === true) {
      response.end = () => response.destroy()
    }
    if ((headers['user-agent'] ?? '') === '') return refuse(response, 400, '391903', 'User-Agent is missing')
    const token = headers['x-snowflake-authorization-token-type'] === 'KEYPAIR_JWT' ? headers.authorization : undefined
    if (!isSigned((token ?? '').replace(/^Bearer /, ''), Date.now()))
      return refuse(response, 401, '390144', 'JWT token is invalid.')
    if (method === 'POST' && url.pathname === '/api/v2/statements') return answerPost(url, body, response)
    const [, handle = '', isCancel] = /^\/api\/v2\/statements\/([^/]+)(\/cancel)?$/.exec(url.pathname) ?? []
    const found = running.find(handle)
    if (found === undefined) return refuse(response, 404, '391902', 'Statement handle is unknown')
    if (method === 'GET' && isCancel === undefined) return answerGet(url, found, response, options.partRows ?? 1000)
    if (method !== 'POST' || isCancel === undefined) return refuse(response, 405, '391901', 'Method is not allowed')
    found.cancel()
    say(response, 200, { code: '000604', message: 'successfully canceled', statementHandle: handle })
  }

  const server = createServer((request, response) => {
    answer(request, response)
      .catch(() => response.destroy())
      .finally(() => {
        for (const watcher of watchers) watcher()
      })
  })
  let connections = 0
  server.on('connection', () => connections++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    statements,
    canceled,
    connections: () => connections,
    cancel: running.cancel,
    set: (more) => void Object.assign(options, more),
    until: (condition) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!condition()) return
          watchers.delete(check)
          resolve()
        }
        watchers.add(check)
        check()
      }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
