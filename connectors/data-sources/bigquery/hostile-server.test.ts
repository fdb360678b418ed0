import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import {
  ConfigurationError,
  createEgressPolicy,
  createRequestClient,
  DataQueryError,
  type DataSourceContext,
  type DataSourceSession,
  DeliveryError,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { afterEach, expect, test } from 'vitest'
import { keyFileOf, keys } from '../../wire/bigquery/testing-bigquery.ts'
import { bigquery } from './definition.ts'
import { openSession } from './session.ts'
import type { BigQuerySettings } from './settings.ts'

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type Answer = (response: ServerResponse) => void
const say =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
const pour =
  (piece: string, head: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(200, head)
    response.on('error', () => {})
    const more = (): void => {
      if (response.destroyed) return
      if (response.write(piece)) setImmediate(more)
      else response.once('drain', more)
    }
    more()
  }

const column = { name: 'n', type: 'INTEGER', mode: 'NULLABLE' }
const schema = { fields: [column] }
const jobReference = { projectId: 'my-project', jobId: 'job_1', location: 'EU' }
const complete = { jobReference, jobComplete: true, schema, totalRows: '2' }
const row = (...values: unknown[]) => ({ f: values.map((v) => ({ v })) })

const usual = {
  token: say({ access_token: 'ya29.token', expires_in: 3599 }),
  dryRun: say({ statistics: { query: { statementType: 'SELECT', totalBytesProcessed: '0', schema } } }),
  start: say({ ...complete, rows: [row('1')], pageToken: 'a' }),
  page: say({ ...complete, rows: [row('2')] }),
  list: say({}),
}

/** Opens a session on a server with these answers, and counts its requests. */
const open = async (given: Partial<typeof usual>): Promise<{ session: DataSourceSession; asked: string[] }> => {
  const answers = { ...usual, ...given }
  const asked: string[] = []
  const server = createServer((request, response) => {
    void text(request).then(() => {
      const path = (request.url ?? '').split('?')[0] ?? ''
      asked.push(`${request.method} ${path}`)
      if (path === '/token') return answers.token(response)
      if (path.endsWith('/jobs')) return answers.dryRun(response)
      if (path.endsWith('/queries')) return answers.start(response)
      if (path.includes('/queries/')) return answers.page(response)
      return answers.list(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const service_account_key = keyFileOf(keys.known.privateKey)
  const checked = validateSettings(bigquery, { project: 'my-project', service_account_key })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  closing.push(() => client.close())
  const { signal } = new AbortController()
  const context = { settings: checked.settings, connect: client.connect, signal, statementMs: 5000 }
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const google = { api: origin, tokenUrl: `${origin}/token`, wait: async () => {} }
  return { session: openSession(context as DataSourceContext<BigQuerySettings>, google), asked }
}

const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)
const readAll = async (session: DataSourceSession): Promise<unknown[]> => {
  const rows: unknown[] = []
  for await (const batch of session.read({ schema: 'a', table: 'b' }, 1000)) rows.push(...batch)
  return rows
}

test('the usual answers of this server give all rows', async () => {
  const { session } = await open({})
  expect(await readAll(session)).toEqual([['1'], ['2']])
})

test.each<[string, Answer, RegExp]>([
  ['a web page', say('<!doctype html><title>Hello</title>'), /not one of BigQuery/],
  ['no token', say({}), /it has no access token/],
  ['a token with a line feed', say({ access_token: 'a\r\nx-evil: 1' }), /it has no access token/],
  ['a redirect', say('', 302, { location: 'http://127.0.0.1:1/' }), /status 302/],
  ['an endless answer', pour('x'.repeat(65_536)), /more than/],
  ['two announced gigabytes', pour('x'.repeat(65_536), { 'content-length': '2147483648' }), /more than/],
  ['compressed bytes', say('\x1f\x8b', 200, { 'content-encoding': 'gzip' }), /not one of BigQuery|no access token/],
  ['a fault', say('Later', 503), /status 503/],
])('an address of tokens that responds with %s gives no session', async (_, token, words) => {
  const { session } = await open({ token })
  const error = await failure(session.about())
  expect(error).toBeInstanceOf(DeliveryError)
  expect((error as Error).message).toMatch(words)
})

test.each<[string, Answer, RegExp]>([
  ['a web page', say('<!doctype html><title>Hello</title>'), /not one of BigQuery: it is no JSON$/],
  ['a web page of a proxy', say('<html>No', 502), /^Google responded with status 502$/],
  ['a list', say([]), /it is no JSON object$/],
  ['another object', say({ hello: 1 }), /it has no statistics of a query$/],
  ['no kind of statement', say({ statistics: { query: { totalBytesProcessed: '0', schema } } }), /no kind or size/],
  ['no size', say({ statistics: { query: { statementType: 'SELECT', schema } } }), /no kind or size/],
  [
    'a negative size',
    say({ statistics: { query: { statementType: 'SELECT', totalBytesProcessed: '-1', schema } } }),
    /no kind or size/,
  ],
  [
    'columns that are none',
    say({ statistics: { query: { statementType: 'SELECT', totalBytesProcessed: '0', schema: { fields: [1] } } } }),
    /a column is no column$/,
  ],
  ['an endless answer', pour('{"a":'.repeat(10_000)), /more than 8 MB/],
  ['two announced gigabytes', pour(' '.repeat(65_536), { 'content-length': '2147483648' }), /more than 8 MB/],
  ['a redirect', say('', 307, { location: 'http://127.0.0.1:1/' }), /a redirect, which is not followed$/],
])('a dry run that answers with %s describes nothing', async (_, dryRun, words) => {
  const { session, asked } = await open({ dryRun })
  const error = await failure(session.describe({ sql: 'SELECT 1 AS n' }))
  expect(error).toBeInstanceOf(Error)
  expect((error as Error).message).toMatch(words)
  expect(await failure(readAll(session))).toBeInstanceOf(Error)
  expect(asked.filter((at) => at.includes('/queries'))).toEqual([])
})

const nested = (depth: number): object =>
  depth === 0 ? column : { name: 'a', type: 'RECORD', mode: 'NULLABLE', fields: [nested(depth - 1)] }

test.each<[string, Partial<typeof usual>, RegExp]>([
  ['a page that is missing', { page: say({ ...complete, jobComplete: false }) }, /page of a complete job is missing/],
  ['an end before the last row', { page: say(complete) }, /it has 1 of 2 rows/],
  ['more rows than announced', { page: say({ ...complete, rows: [row('2'), row('3')] }) }, /it has 3 of 2 rows/],
  ['pages without end', { page: say({ ...complete, pageToken: 'a' }) }, /it has 1 of 2 rows/],
  ['the same page again and again', { page: say({ ...complete, rows: [row('2')], pageToken: 'a' }) }, /it has 3 of 2/],
  [
    'another type of a column in a page',
    { page: say({ ...complete, schema: { fields: [{ ...column, type: 'STRING' }] }, rows: [row('2')] }) },
    /a page has other columns than the first/,
  ],
  [
    'another name of a column in a page',
    { page: say({ ...complete, schema: { fields: [{ ...column, name: 'm' }] }, rows: [row('2')] }) },
    /a page has other columns than the first/,
  ],
  [
    'one more column than the query',
    {
      start: say({
        ...complete,
        schema: { fields: [column, { ...column, name: 'm' }] },
        rows: [row('1', '2')],
        totalRows: '1',
      }),
    },
    /the result has other columns than the query/,
  ],
  ['a row with too many values', { page: say({ ...complete, rows: [row('2', '3')] }) }, /a row has other columns/],
  ['a row with too few values', { page: say({ ...complete, rows: [row()] }) }, /a row has other columns/],
  ['a row that is none', { page: say({ ...complete, rows: ['2'] }) }, /a row has other columns/],
  ['rows that are no list', { page: say({ ...complete, rows: { a: 1 } }) }, /its rows are no list/],
  ['a number that is no text', { page: say({ ...complete, rows: [row(2)] }) }, /a value of INT64 is no text/],
  ['a value that is an object', { page: say({ ...complete, rows: [row({ f: [] })] }) }, /a value of INT64 is no text/],
  ['no number of rows', { start: say({ ...complete, totalRows: undefined, rows: [] }) }, /it has no number of rows/],
  ['a wrong number of rows', { start: say({ ...complete, totalRows: '-1', rows: [] }) }, /it has no number of rows/],
  ['no columns', { start: say({ ...complete, schema: undefined }) }, /it has no columns/],
  ['no job', { start: say({ ...complete, jobReference: undefined }) }, /it names no job/],
  [
    'columns that are nested without end',
    { start: say({ ...complete, schema: { fields: [nested(1000)] } }) },
    /a column is no column/,
  ],
  ['a page that breaks off', { page: (response) => void response.writeHead(200).end('{"rows":[') }, /it is no JSON/],
  ['a page of a proxy', { page: say('<html>', 504) }, /status 504/],
])('rows with %s are not treated as the complete result', async (_, given, words) => {
  const { session } = await open(given)
  const error = await failure(readAll(session))
  expect(error).toBeInstanceOf(RetryableError)
  expect((error as Error).message).toMatch(words)
})

test('a page without end is a row that is too large, and uses no memory', async () => {
  const { session } = await open({ page: pour('x'.repeat(65_536)) })
  const error = await failure(readAll(session))
  expect(error).toBeInstanceOf(DataQueryError)
  expect((error as Error).message).toBe('The rows are too large: BigQuery sent more than 24 MB at once')
})

test.each<[string, Answer, RegExp]>([
  ['a list that is none', say({ datasets: 'x' }), /its datasets are no list/],
  ['a web page', say('<html>'), /it is no JSON/],
  ['a redirect', say('', 301, { location: 'http://127.0.0.1:1/' }), /a redirect, which is not followed/],
])('%s lists no tables', async (_, list, words) => {
  const { session } = await open({ list })
  const error = await failure(session.listTables({ search: '', offset: 0, limit: 10 }))
  expect(error).toBeInstanceOf(DeliveryError)
  expect((error as Error).message).toMatch(words)
})

test('an error message of a megabyte is cut', async () => {
  const message = '\ud83d'.repeat(1_000_000)
  const { session } = await open({ dryRun: say({ error: { message, errors: [{ reason: 'accessDenied' }] } }, 403) })
  const error = await failure(session.about())
  expect(error).toBeInstanceOf(ConfigurationError)
  expect((error as Error).message.length).toBeLessThan(1200)
  expect((error as Error).message.isWellFormed()).toBe(true)
})
