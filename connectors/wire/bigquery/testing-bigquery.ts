import { createPublicKey, createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { isJsonObject, type JsonObject } from '@tributary/connector-kit'
import { type PeerAnswer, type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import { type DuckDb, openDuckDb } from '../warehouse-testing/duckdb.ts'
import { createJobs } from './testing-jobs.ts'
import { Refusal, refuse } from './testing-refusals.ts'
import { location } from './testing-statements.ts'
import { listDatasets, listTables, tableOf } from './testing-tables.ts'
import { macros } from './testing-translate.ts'

/** The project and the account of the tests. */
export const project = 'my-project'
export const email = 'reader@my-project.iam.gserviceaccount.com'

const pair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })

/** A key file in the form that Google's page shows; its addresses are those that do not exist. */
export const keyFileOf = (privateKey: string): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: project,
    private_key_id: 'abcdef1234567890',
    private_key: privateKey,
    client_email: email,
    token_uri: 'https://tokens.example.com/token',
  })

/** Two key files: one that the peer accepts, and one that it refuses. */
export const keys = { known: pair(), other: pair() }

const scopes = {
  read: 'https://www.googleapis.com/auth/cloud-platform.read-only',
  full: 'https://www.googleapis.com/auth/bigquery',
}

type Claims = { iss?: unknown; aud?: unknown; scope?: unknown; exp?: unknown; iat?: unknown }

/**
 * Checks an assertion (developers.google.com/identity/protocols/oauth2/service-account): RS256 over header and claims,
 * the account as issuer, the address of tokens as audience, at most an hour, one scope. Returns the scope.
 */
const scopeIn = (assertion: string, audience: string, key: KeyObject): string | undefined => {
  const [header = '', claims = '', signature = ''] = assertion.split('.')
  const isSigned = createVerify('RSA-SHA256').update(`${header}.${claims}`).verify(key, signature, 'base64url')
  if (!isSigned) return undefined
  const { iss, aud, scope, exp, iat }: Claims = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const isFresh = typeof iat === 'number' && exp === iat + 3600 && Math.abs(Date.now() / 1000 - iat) < 60
  return iss === email && aud === audience && isFresh && typeof scope === 'string' ? scope : undefined
}

/** A peer that answers as Google's address of tokens and as BigQuery, whose statements DuckDB runs. */
export type BigQueryPeer = AsyncDisposable & {
  url: string
  duck: DuckDb
  /** Every request, as `POST /bigquery/v2/projects/my-project/queries` with its JSON. */
  asked: { at: string; body: JsonObject; search: URLSearchParams }[]
  /** Answers of a test instead of the peer's own; undefined for the peer's own. */
  answerInstead: ((request: PeerRequest, at: string) => PeerAnswer | undefined) | undefined
  /** Whether the answer to a request is lost, after the peer has done what it asks for. */
  losesAnswer: ((request: PeerRequest, at: string) => boolean) | undefined
  /** Makes all tokens invalid, as if their time was over. */
  endTokens(): void
  jobs: ReturnType<typeof createJobs>
}

/** A call of a method. */
type Asked = {
  method: string
  path: readonly string[]
  search: URLSearchParams
  body: JsonObject
  lines: string | undefined
  scope: string
}

/** Returns the JSON and the lines of an upload in two parts (jobs.insert, "Upload URI"). */
const partsOf = (text: string, contentType: string): { body: string; lines: string } => {
  const [, boundary = '-'] = /^multipart\/related; boundary=(\S+)$/.exec(contentType) ?? []
  const [, first = '', second = '', end] = text.split(`--${boundary}`)
  if (end !== '--\r\n') return refuse(400, 'invalid', 'The upload does not have two parts')
  const contentOf = (part: string): string => part.slice(part.indexOf('\r\n\r\n') + 4, -2)
  return { body: contentOf(first), lines: contentOf(second) }
}

const json = (body: object): PeerAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: JSON.stringify(body),
})

const bodyOf = (text: string): JsonObject => {
  try {
    const parsed: unknown = JSON.parse(text)
    return isJsonObject(parsed) ? parsed : {}
  } catch {
    return {}
  }
}

const base = `/bigquery/v2/projects/${project}`

/** Starts the peer with the empty project `my-project`. */
export const startBigQuery = async (): Promise<BigQueryPeer> => {
  const duck = await openDuckDb()
  await duck.run(`attach ':memory:' as "${project}"; use "${project}"; ${macros}`)
  const key = createPublicKey(keys.known.publicKey)
  const tokens = new Map<string, string>()
  const jobs = createJobs(duck, project)
  let given = 0
  const asked: BigQueryPeer['asked'] = []

  const giveToken = (text: string): PeerAnswer => {
    const form = new URLSearchParams(text)
    const scope = scopeIn(form.get('assertion') ?? '', `${peer.url}/token`, key)
    if (form.get('grant_type') !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' || scope === undefined)
      return {
        status: 400,
        body: JSON.stringify({ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }),
      }
    const token = `ya29.token-${++given}`
    tokens.set(token, scope)
    return json({ access_token: token, expires_in: 3599, token_type: 'Bearer' })
  }
  const datasetOf = async (datasetId: string): Promise<object> => {
    await duck
      .run(`use "${project}"."${datasetId}"`)
      .catch(() => refuse(404, 'notFound', `Not found: Dataset ${project}:${datasetId}`))
    return { kind: 'bigquery#dataset', datasetReference: { projectId: project, datasetId }, location }
  }
  const answerOf = async ({ method, path, search, body, lines, scope }: Asked): Promise<object> => {
    const [area = '', first = '', last = '', table = ''] = path
    const isPost = method === 'POST'
    if (area === 'datasets' && first === '') return listDatasets(duck, project, search)
    if (area === 'datasets' && last === 'tables' && table === '')
      return listTables(duck, { project, dataset: first }, search)
    if (area === 'datasets' && last === 'tables') return tableOf(duck, { project, dataset: first, table })
    if (area === 'datasets') return await datasetOf(first)
    if (area === 'queries') return isPost ? await jobs.query(body, scope === scopes.full) : jobs.results(first, search)
    // By the discovery document, these methods do not accept the scope for reading.
    if (area === 'jobs' && isPost && scope !== scopes.full)
      return refuse(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.')
    if (area === 'jobs' && last === 'cancel') return jobs.cancel(first, search)
    if (area === 'jobs') return isPost ? await jobs.insert(body, lines) : jobs.get(first, search)
    return refuse(404, 'notFound', 'Not Found')
  }
  const answer = async (request: PeerRequest): Promise<PeerAnswer> => {
    const url = new URL(request.url, 'http://google')
    const at = `${request.method} ${url.pathname}`
    const isUpload = url.pathname.startsWith('/upload/') && url.searchParams.get('uploadType') === 'multipart'
    const parts = isUpload
      ? partsOf(request.body, request.headers['content-type'] ?? '')
      : { body: request.body, lines: undefined }
    const body = bodyOf(parts.body)
    asked.push({ at, body, search: url.searchParams })
    const instead = peer.answerInstead?.(request, at)
    if (instead !== undefined) return instead
    if (at === 'POST /token') return giveToken(request.body)
    try {
      const scope = tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''))
      if (scope === undefined) refuse(401, 'authError', 'Request had invalid authentication credentials.')
      const pathname = isUpload ? url.pathname.slice('/upload'.length) : url.pathname
      if (!pathname.startsWith(`${base}/`)) refuse(404, 'notFound', 'Not found: Project other-project')
      const path = pathname
        .slice(base.length + 1)
        .split('/')
        .map(decodeURIComponent)
      const answered = json(
        await answerOf({
          method: request.method,
          path,
          search: url.searchParams,
          body,
          lines: parts.lines,
          scope: scope ?? '',
        }),
      )
      return peer.losesAnswer?.(request, at) === true ? 'reset' : answered
    } catch (error) {
      if (error instanceof Refusal) return error.answer
      throw error
    }
  }
  const server = await startPeer(answer)
  const peer: BigQueryPeer = {
    url: server.url.replace(/\/$/, ''),
    duck,
    asked,
    answerInstead: undefined,
    losesAnswer: undefined,
    endTokens: () => tokens.clear(),
    jobs,
    [Symbol.asyncDispose]: async () => {
      await server.close()
      await duck[Symbol.asyncDispose]()
    },
  }
  return peer
}
