import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type PeerAnswer, type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import { type Duck, type DuckResult, startDuck } from '../warehouse-testing/duckdb-texts.ts'
import { databricksAccount, failureIn, macros, translated, withTypes } from './testing-statements.ts'

/** The values with which the stand-in lets a client sign in. */
export const databricksAccess = {
  host: 'dbc-a1b2345c-d6e7.cloud.databricks.com',
  warehouse: '/sql/1.0/warehouses/1234567890abcdef',
  catalog: 'company',
  sign_in: 'oauth' as 'oauth' | 'token',
  client_id: databricksAccount,
  client_secret: 'dose-secret-of-the-service-principal',
}
/** A personal access token that the stand-in accepts. */
export const personalToken = 'dapi-personal-access-token'

/** Returns the answer of an error (docs.databricks.com/api/workspace/introduction, "Error handling"). */
export const apiError = (status: number, error_code: string, message: string): PeerAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ error_code, message }),
})

const json = (value: unknown): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

type Running = { sql: string; status: Record<string, unknown>; result: DuckResult | undefined; done: Promise<void> }

type Body = {
  statement: string
  warehouse_id: string
  catalog: string
  disposition: string
  wait_timeout: string
  row_limit: number
  parameters: { name: string; value: string }[]
}

/** Returns the first requirement of the API that a request does not meet. */
const problemOf = (body: Body): PeerAnswer | undefined => {
  if (body.warehouse_id !== '1234567890abcdef')
    return apiError(404, 'NOT_FOUND', `SQL warehouse ${body.warehouse_id} does not exist`)
  if (body.disposition !== 'INLINE' || !/^(?:0|[5-9]|[1-4]\d|50)s$/.test(body.wait_timeout))
    return apiError(400, 'INVALID_PARAMETER_VALUE', 'This stand-in has only INLINE, and waits of 0 or 5 to 50 seconds')
  return undefined
}

/** A stand-in for a workspace, which tests change while it runs. */
export type DatabricksPeer = AsyncDisposable & {
  /** The local folder of the files of all volumes. */
  folder: string
  /** The address that replaces `https://` and the host. */
  url: string
  duck: Duck
  /** The statements that were started. */
  statements: string[]
  /** The requests as `GET /path`. */
  asked: string[]
  /** Answers a request instead of the stand-in, if it returns an answer. */
  intercept: (request: PeerRequest, path: string) => PeerAnswer | undefined
  /** Loses a request, or the answer to it, if it returns when. */
  lose: (request: PeerRequest, path: string) => 'before' | 'after' | undefined
  /** Statements with this text never end by themselves. */
  endless: string
  /** The state of such statements: they wait for a warehouse that starts, or run. */
  endlessState: 'PENDING' | 'RUNNING'
  /** The statements that were canceled while they ran. */
  canceled: string[]
  /** Rows of a chunk, and the most bytes of a result. */
  chunkRows: number
  inlineBytes: number
  /** Makes all tokens of OAuth invalid. */
  expireTokens(): void
}

const execute = async (
  peer: DatabricksPeer,
  entry: Running,
  { statement: sql, parameters, catalog }: Body,
): Promise<void> => {
  const values = Object.fromEntries(parameters.map(({ name, value }) => [name, value]))
  try {
    if (catalog !== 'company') throw new Error(`Catalog '${catalog}' does not exist`)
    const bound = parameters.reduce((text, { name }) => text.replaceAll(`:${name}`, `$${name}`), sql)
    let result: DuckResult = { names: [], types: [], rows: [] }
    // A volume is only a folder of files here.
    if (!sql.startsWith('CREATE VOLUME'))
      for (const statement of translated(bound, (path) => join(peer.folder, basename(path))))
        result = withTypes(sql, await peer.duck.run(statement, values))
    const bytes = result.rows.reduce((sum, row) => row.reduce((all, value) => all + (value?.length ?? 1), sum), 0)
    if (bytes > peer.inlineBytes)
      throw new Error(
        'Inline byte limit exceeded. Statements executed with disposition=INLINE can have a result size of at most 26214400 bytes',
      )
    entry.result = result
    if (entry.status.state === 'PENDING') entry.status = { state: 'SUCCEEDED' }
  } catch (error) {
    entry.status = failureIn(error, sql)
  }
}

const chunkOf = ({ chunkRows }: DatabricksPeer, { rows }: DuckResult, index: number) => {
  const from = index * chunkRows
  const data_array = rows.slice(from, from + chunkRows)
  const hasMore = from + chunkRows < rows.length
  return {
    chunk_index: index,
    row_offset: from,
    row_count: data_array.length,
    ...(data_array.length === 0 ? {} : { data_array }),
    ...(hasMore ? { next_chunk_index: index + 1, next_chunk_internal_link: '/not/followed' } : {}),
  }
}

const stateOf = async (peer: DatabricksPeer, id: string, entry: Running): Promise<PeerAnswer> => {
  await entry.done
  const { result, status } = entry
  if (status.state !== 'SUCCEEDED' || result === undefined) return json({ statement_id: id, status })
  const chunks = Math.max(1, Math.ceil(result.rows.length / peer.chunkRows))
  const columns = result.names.map((name, position) => ({ name, position, type_text: 'STRING', type_name: 'STRING' }))
  const manifest = {
    format: 'JSON_ARRAY',
    schema: { column_count: columns.length, columns },
    total_chunk_count: chunks,
    total_row_count: result.rows.length,
    truncated: false,
  }
  return json({ statement_id: id, status, manifest, result: chunkOf(peer, result, 0) })
}

const cancel = (peer: DatabricksPeer, entry: Running): PeerAnswer => {
  if (entry.status.state === 'PENDING' || entry.status.state === 'RUNNING') {
    entry.status = { state: 'CANCELED' }
    peer.canceled.push(entry.sql)
  }
  return json({})
}

/** Answers a request of the Files API (docs.databricks.com/api/workspace/files). */
const fileAnswer = async (
  { folder }: DatabricksPeer,
  { method, body }: PeerRequest,
  path: string,
): Promise<PeerAnswer> => {
  const file = join(folder, basename(path))
  if (method === 'PUT') {
    await writeFile(file, body)
    return { status: 204 }
  }
  if (method === 'DELETE') {
    await rm(file, { force: true })
    return { status: 204 }
  }
  const files = (await readdir(folder)).map(async (name) => ({
    name,
    path: `${path}/${name}`,
    is_directory: false,
    last_modified: Math.round((await stat(join(folder, name))).mtimeMs),
  }))
  return json({ contents: await Promise.all(files) })
}

/**
 * Starts a stand-in for a workspace that runs statements on DuckDB: sign-in, and the SQL Statement Execution API with
 * chunks, its limit of 25 MiB, and cancellation (docs.databricks.com/api/workspace/statementexecution). DuckDB has
 * another grammar, so these tests do not cover what the service itself accepts.
 */
export const startDatabricks = async (): Promise<DatabricksPeer> => {
  const duck = await startDuck()
  await duck.run(`ATTACH ':memory:' AS company`)
  await duck.run('USE company')
  for (const macro of macros) await duck.run(macro)
  const folder = await mkdtemp(join(tmpdir(), 'tributary-databricks-'))
  const running = new Map<string, Running>()
  let tokens = 0

  const isAuthorized = ({ headers }: PeerRequest): boolean => {
    const given = headers.authorization ?? ''
    return given === `Bearer ${personalToken}` || (tokens > 0 && given === `Bearer oauth-token-${tokens}`)
  }

  const signIn = ({ headers, body }: PeerRequest): PeerAnswer => {
    const { client_id, client_secret } = databricksAccess
    const expected = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`
    const form = new URLSearchParams(body)
    if (headers.authorization !== expected || form.get('grant_type') !== 'client_credentials')
      return {
        status: 401,
        body: JSON.stringify({ error: 'invalid_client', error_description: 'Client authentication failed' }),
      }
    tokens += 1
    return json({ access_token: `oauth-token-${tokens}`, token_type: 'Bearer', expires_in: 3600, scope: 'all-apis' })
  }

  const start = async (body: Body): Promise<PeerAnswer> => {
    const problem = problemOf(body)
    if (problem !== undefined) return problem
    const id = `01f0-${running.size + 1}`
    const { statement: sql } = body
    peer.statements.push(sql)
    const entry: Running = { sql, status: { state: 'PENDING' }, result: undefined, done: Promise.resolve() }
    running.set(id, entry)
    if (peer.endless !== '' && sql.includes(peer.endless)) entry.status = { state: peer.endlessState }
    else entry.done = execute(peer, entry, body)
    return body.wait_timeout === '0s'
      ? json({ statement_id: id, status: { state: 'PENDING' } })
      : await stateOf(peer, id, entry)
  }

  const answer = async (request: PeerRequest): Promise<PeerAnswer> => {
    const path = decodeURI(request.url.split('?')[0] ?? '')
    const lost = peer.lose(request, path)
    if (lost === 'before') return 'reset'
    const answered = await answerTo(request, path)
    return lost === 'after' ? 'reset' : answered
  }

  const answerTo = async (request: PeerRequest, path: string): Promise<PeerAnswer> => {
    peer.asked.push(`${request.method} ${path}`)
    const instead = peer.intercept(request, path)
    if (instead !== undefined) return instead
    if (request.method === 'POST' && path === '/oidc/v1/token') return signIn(request)
    if (!isAuthorized(request))
      return apiError(
        401,
        'UNAUTHENTICATED',
        `Credential was not sent or is of an unsupported type: ${request.headers.authorization}`,
      )
    if (path.startsWith('/api/2.0/fs/')) return await fileAnswer(peer, request, path.slice('/api/2.0/fs/'.length))
    const [id, action, kind, chunk] = path.replace('/api/2.0/sql/statements', '').slice(1).split('/')
    if (request.method === 'POST' && id === '') return await start(JSON.parse(request.body))
    const entry = running.get(id ?? '')
    if (entry === undefined) return apiError(404, 'NOT_FOUND', `The statement ${id} was not found.`)
    if (request.method === 'POST' && action === 'cancel') return cancel(peer, entry)
    if (request.method === 'GET' && action === undefined) return await stateOf(peer, id ?? '', entry)
    if (request.method === 'GET' && kind === 'chunks' && entry.result !== undefined)
      return json(chunkOf(peer, entry.result, Number(chunk)))
    return apiError(404, 'ENDPOINT_NOT_FOUND', `No API found for '${request.method} ${path}'`)
  }

  const server = await startPeer(answer)
  const peer: DatabricksPeer = {
    url: server.url.replace(/\/$/, ''),
    duck,
    statements: [],
    asked: [],
    intercept: () => undefined,
    lose: () => undefined,
    folder,
    endless: '',
    endlessState: 'RUNNING',
    canceled: [],
    chunkRows: 1000,
    inlineBytes: 25 * 1024 * 1024,
    expireTokens: () => {
      tokens += 1
    },
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await duck[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return peer
}
