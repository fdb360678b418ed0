import {
  ConfigurationError,
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  isJsonObject,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BigQueryPeer, email, keyFileOf, keys, startBigQuery } from '../../wire/bigquery/testing-bigquery.ts'
import { errorBody } from '../../wire/bigquery/testing-refusals.ts'
import { writtenEvent } from '../../wire/warehouse/testing-conformance.ts'
import { bigquery } from './definition.ts'
import { createDialect } from './dialect.ts'
import { destinationAt, keyFile } from './testing-peer.ts'

const ignore = (): void => {}
const silentLogger = { debug: ignore, info: ignore, warn: ignore, error: ignore }

// What the suite of warehouses does not ask for: the ways of BigQuery to refuse, to lose, and to limit.
let peer: BigQueryPeer
const waits: number[] = []
const destination = destinationAt(
  () => peer.url,
  (ms) => waits.push(ms),
)
beforeAll(async () => {
  peer = await startBigQuery()
})
afterAll(async () => {
  await peer?.[Symbol.asyncDispose]()
})

let dataset = ''
let datasets = 0
const closing: (() => Promise<void>)[] = []
beforeEach(async () => {
  dataset = `d${++datasets}`
  await peer.duck.run(`create schema "my-project".${dataset}`)
})
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
  peer.answerInstead = undefined
  peer.losesAnswer = undefined
  peer.jobs.set.maxLoads = 1500
  peer.jobs.set.isSlow = false
  peer.jobs.cancelled.length = 0
  peer.asked.length = 0
  waits.length = 0
})

const contextOf = (given: Record<string, unknown> = {}, signal = new AbortController().signal): DeliverContext => {
  const settings = { project: 'my-project', dataset, service_account_key: keyFile, ...given }
  const checked = validateSettings(destination, settings)
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  const lifetime = createLifetime()
  closing.push(async () => {
    await lifetime.end()
    await client.close()
  })
  return {
    settings: checked.settings,
    request: client.request,
    connect: client.connect,
    lifetime,
    clock: Date.now,
    logger: silentLogger,
    signal,
  }
}

const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)
const deliver = (context = contextOf(), ...events: ReturnType<typeof writtenEvent>[]) =>
  destination.deliver(events.length === 0 ? [writtenEvent()] : events, context)
const load = async (context = contextOf()) => await destination.warehouse?.load(context)
const rowsOf = async (table: string, columns = 'count(*)'): Promise<unknown[]> =>
  (await peer.duck.run(`select ${columns} from "my-project".${dataset}."${table}"`)).rows.map((row) => row[0])
const uploads = () => peer.asked.filter(({ at }) => at.startsWith('POST /upload/'))
const jobIds = () =>
  uploads().map(({ body: { jobReference } }) => (isJsonObject(jobReference) ? String(jobReference['jobId']) : ''))
const refusing = (code: number, reason: string, message: string) => ({
  status: code,
  body: errorBody(code, reason, message),
})

describe('the connection test', () => {
  test('tries each permission, and leaves nothing behind', async () => {
    expect(await destination.testConnection(contextOf())).toEqual({
      ok: true,
      message: `Connected to BigQuery in the project my-project as ${email}. Each permission was tried on the table tributary_test, which is removed again.`,
    })
    const tables = `select count(*)::int from information_schema.tables where table_schema = '${dataset}'`
    expect((await peer.duck.run(tables)).rows).toEqual([[0]])
  })

  test.each<[string, string, string]>([
    ['CREATE TABLE', 'create a table', 'Permission bigquery.tables.create denied on dataset my-project:d'],
    ['ALTER TABLE', 'add a column', 'Permission bigquery.tables.update denied on table my-project:d.tributary_test'],
    ['DELETE FROM', 'delete rows', 'Permission bigquery.tables.updateData denied on table my-project:d'],
  ])('says that %s is not allowed', async (statement, step, words) => {
    peer.answerInstead = (request, at) =>
      at.endsWith('/jobs') && request.body.includes(statement)
        ? refusing(403, 'accessDenied', `Access Denied: Dataset my-project:d: ${words}`)
        : undefined
    expect(await destination.testConnection(contextOf())).toEqual({
      ok: false,
      message: `Could not ${step} in the dataset ${dataset}: The service account is missing a role; see the setup guide: Access Denied: Dataset my-project:d: ${words}`,
    })
  })

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['a dataset that is missing', { dataset: 'nowhere' }, /Not found: Dataset my-project:nowhere/],
    ['a project that is missing', { project: 'other-project' }, /Not found: Project other-project/],
    [
      'a key that Google does not know',
      { service_account_key: keyFileOf(keys.other.privateKey) },
      /Google does not accept the service account key: Invalid JWT Signature/,
    ],
    [
      'a private key that is none',
      { service_account_key: keyFileOf('-----BEGIN PRIVATE KEY-----\nsecret-text\n-----END PRIVATE KEY-----\n') },
      /The private key in the service account key cannot be read/,
    ],
  ])('with %s results in a readable message without any secret', async (_, given, words) => {
    const tested = await destination.testConnection(contextOf(given))
    expect(tested).toMatchObject({ ok: false, message: expect.stringMatching(words) as string })
    expect(JSON.stringify(tested)).not.toMatch(/PRIVATE KEY|secret-text|ya29/)
  })
})

describe('staging in BigQuery', () => {
  test('a batch is one load job, whose ID is made of its lines', async () => {
    await deliver(contextOf(), writtenEvent(), writtenEvent())
    expect(uploads()).toHaveLength(1)
    expect(uploads()[0]?.body).toMatchObject({
      jobReference: { projectId: 'my-project', location: 'europe-west3' },
      configuration: {
        load: {
          destinationTable: { projectId: 'my-project', datasetId: dataset, tableId: 'tributary_stage' },
          sourceFormat: 'NEWLINE_DELIMITED_JSON',
          writeDisposition: 'WRITE_APPEND',
          createDisposition: 'CREATE_NEVER',
        },
      },
    })
    expect(jobIds()).toEqual([expect.stringMatching(/^tributary_[0-9a-f]{64}_0$/)])
  })

  test('an upload whose answer is lost is the same job, and its rows are staged once', async () => {
    let lost = 0
    peer.losesAnswer = (_, at) => at.startsWith('POST /upload/') && ++lost === 1
    await deliver()
    // The second one is refused as a duplicate.
    expect(uploads()).toHaveLength(2)
    expect(await rowsOf('tributary_stage', 'place')).toHaveLength(3)
  })

  test('a load job that failed is started again under another ID', async () => {
    const context = contextOf()
    await deliver(context)
    await peer.duck.run(`alter table "my-project".${dataset}.tributary_stage rename to aside`)
    const event = writtenEvent()
    // The clock stands, so the lines of the batch are the same.
    const now = Date.now()
    const still = { ...context, clock: () => now }
    expect(await failure(deliver(still, event))).toBeInstanceOf(RetryableError)
    await peer.duck.run(`alter table "my-project".${dataset}.aside rename to tributary_stage`)
    await deliver(still, event)
    expect(jobIds().map((id) => id.slice(-2))).toEqual(['_0', '_0', '_0', '_1'])
    await load()
    expect(await rowsOf('tracks')).toEqual(['2'])
  })

  test('above 1,500 loads a day, statements insert the rows, in parts', async () => {
    peer.jobs.set.maxLoads = 0
    const text = 'ü"\\\n'.repeat(100_000)
    await deliver(contextOf(), ...[1, 2, 3, 4, 5].map((at) => writtenEvent({ properties: { number: at, text } })))
    const inserts = peer.jobs.ran.filter((sql) => sql.startsWith('INSERT INTO') && sql.includes('@lines'))
    expect(inserts.length).toBeGreaterThan(1)
    await load()
    expect((await rowsOf('order_completed', 'cast(number as int)')).toSorted()).toEqual([1, 2, 3, 4, 5])
    expect(await rowsOf('order_completed', 'text')).toEqual([text, text, text, text, text])
    // A quota of a day is not asked for again after a second.
    expect(waits).toEqual([])
  })

  test('a stage that was dropped is created again with the next try', async () => {
    const context = contextOf()
    await deliver(context)
    await peer.duck.run(`drop table "my-project".${dataset}.tributary_stage`)
    expect(await failure(deliver(context))).toBeInstanceOf(RetryableError)
    await deliver(context)
    expect(await load(context)).toMatchObject({ rows: { tracks: 1 } })
  })

  // docs.cloud.google.com/bigquery/docs/error-messages has the reasons.
  test.each<[number, string, string, new (...given: never[]) => Error]>([
    [403, 'accessDenied', 'Access Denied', ConfigurationError],
    [403, 'billingNotEnabled', 'Billing has not been enabled', ConfigurationError],
    [403, 'forbidden', "Consumer 'project:1' has been suspended.", ConfigurationError],
    [403, 'quotaExceeded', 'Quota exceeded: the project', RetryableError],
    [403, 'rateLimitExceeded', 'Exceeded rate limits: too many table update operations', RetryableError],
    [400, 'invalidQuery', 'Exceeded rate limits: too many table update operations', RetryableError],
    [
      400,
      'invalidQuery',
      'Could not serialize access to table my-project:d.t due to concurrent update',
      RetryableError,
    ],
    [
      400,
      'invalidQuery',
      'Query error: Transaction is aborted due to concurrent update against table my-project:d.t. Transaction ID: x at [1:1]',
      RetryableError,
    ],
    [400, 'invalidQuery', 'Syntax error: Unexpected identifier', ConfigurationError],
    [503, 'backendError', 'Later', RetryableError],
    [500, 'internalError', 'Later', RetryableError],
    [400, 'jobInternalError', 'Later', RetryableError],
  ])('a statement that is refused with %i %s holds or repeats the events: %s', async (code, reason, words, kind) => {
    peer.answerInstead = (_, at) => (at.endsWith('/jobs') ? refusing(code, reason, words) : undefined)
    const error = await failure(deliver())
    expect(error).toBeInstanceOf(kind)
    expect((error as Error).message).toContain(words)
  })

  test.each([
    ['a web page', '<!doctype html>'],
    ['a list', '[]'],
    ['a job without status', '{}'],
    ['a status that is none', '{"status":1}'],
  ])('a load job whose state is %s is not taken as done', async (_, body) => {
    peer.answerInstead = (__, at) => (/^GET .*\/jobs\//.test(at) ? { status: 200, body } : undefined)
    expect(await failure(deliver())).toBeInstanceOf(RetryableError)
  })

  test('no error, and no request that is kept, has the key or a token', async () => {
    const exchanges: unknown[] = []
    const context = { ...contextOf(), onExchange: (exchange: unknown) => void exchanges.push(exchange) }
    await destination.deliver([writtenEvent()], context)
    peer.answerInstead = (request, at) =>
      at.endsWith('/jobs')
        ? refusing(400, 'invalidQuery', `Syntax error: ${request.headers.authorization ?? ''}`.slice(0, 13))
        : undefined
    const error = await failure(load(contextOf()))
    expect(error).toBeInstanceOf(ConfigurationError)
    const kept = JSON.stringify([exchanges, (error as ConfigurationError).exchange, String(error)])
    expect(kept).not.toMatch(/PRIVATE KEY|ya29/)
    expect(kept).toContain('CREATE TABLE IF NOT EXISTS')
  })
})

describe('loading in BigQuery', () => {
  test('a load that is stopped cancels its statement', async () => {
    await deliver()
    const stop = new AbortController()
    peer.jobs.set.isSlow = true
    peer.answerInstead = (_, at) => {
      if (at.startsWith('GET ') && at.includes('/queries/')) stop.abort()
      return undefined
    }
    const error = await failure(load(contextOf({}, stop.signal)))
    expect(error).toBeInstanceOf(RetryableError)
    expect((error as Error).message).toBe('Interrupted')
    expect(peer.jobs.cancelled).toHaveLength(1)
  })

  test('a token that ends during a load is replaced', async () => {
    await deliver()
    let count = 0
    peer.answerInstead = (_, at) => {
      if (at.endsWith('/jobs') && ++count === 4) peer.endTokens()
      return undefined
    }
    expect(await load()).toMatchObject({ rows: { tracks: 1, order_completed: 1 } })
    expect(peer.asked.filter(({ at }) => at === 'POST /token').length).toBeGreaterThan(1)
  })

  test('tables of events are partitioned by day, and users are clustered by ID', async () => {
    peer.jobs.ran.length = 0
    await deliver(contextOf(), writtenEvent({ type: 'identify', event: '', traits: { plan: 'a' } }))
    const made = peer.jobs.ran.filter((sql) => sql.startsWith('CREATE TABLE'))
    expect(made.find((sql) => sql.includes('`identifies`'))).toMatch(/ PARTITION BY DATE\(`received_at`\)$/)
    expect(made.find((sql) => sql.includes('`users`'))).toMatch(/ CLUSTER BY `id`$/)
  })

  test('an event named Information Schema has a table beside the views of the dataset', async () => {
    await deliver(contextOf(), writtenEvent({ event: 'Information Schema' }))
    expect(await load()).toMatchObject({ rows: { information_schema: 1 } })
    expect(await rowsOf('information_schema_')).toEqual(['1'])
    expect((await destination.warehouse?.tables(contextOf()))?.map(({ name }) => name)).toContain('information_schema')
  })

  test('the longest statement of a table with all columns is shorter than BigQuery accepts', () => {
    const dialect = createDialect('my-project', 'tributary')
    const long = (at: number): string => `${'щ'.repeat(29)}_${String(at).padStart(4, '0')}`
    const columns = ['id', 'received_at', ...Array.from({ length: dialect.maxColumns - 2 }, (_, at) => long(at))].map(
      (name) => ({ name, type: 'TIMESTAMP' }),
    )
    const batches = Array.from({ length: 200 }, (_, at) => `20260102T030405678Z-${String(at).padStart(16, '0')}`)
    const rows = { table: 'users', batches, columns, key: 'id', since: '2026-01-02T03:04:05.678Z' }
    const longest = Math.max(
      ...[...dialect.insertNew(rows), ...dialect.merge(rows)].map((sql) => Buffer.byteLength(sql)),
    )
    expect(longest).toBeGreaterThan(900_000)
    expect(longest).toBeLessThan(1024 * 1024)
  })
})

test.each([
  ['project', { project: 'My Project' }],
  ['dataset', { dataset: 'a.b' }],
  ['service_account_key', { service_account_key: '{"type":"authorized_user"}' }],
  ['load_minutes', { load_minutes: '2' }],
  ['load_hours', { load_hours: '22-22' }],
])('the setting %s is rejected if it is invalid: %j', (name, given) => {
  const settings = { project: 'my-project', dataset: 'd', service_account_key: keyFile, ...given }
  expect(validateSettings(bigquery, settings)).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
})
