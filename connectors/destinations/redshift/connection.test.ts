import {
  ConfigurationError,
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  RetryableError,
  type Settings,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { createPostgresPeer, type PostgresPeer } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest'
import { type RedshiftProxy, redshiftCatalogs, startRedshiftProxy } from '../../wire/redshift/testing-redshift.ts'
import { refuseRequest, startTestBucket, type TestBucket } from '../../wire/s3/testing-storage.ts'
import { writtenEvent } from '../../wire/warehouse/testing-conformance.ts'
import { redshift } from './definition.ts'
import { minutesOf } from './settings.ts'

let peer: PostgresPeer
let proxy: RedshiftProxy
let bucket: TestBucket
/** Runs in place of COPY. */
let copy: (statement: string) => string = () => 'select 1'
beforeAll(async () => {
  peer = await createPostgresPeer(inject('postgresUrl'))
  await peer.query(redshiftCatalogs)
  bucket = await startTestBucket()
  proxy = await startRedshiftProxy(peer.access.port, {
    before: (statement) => (statement.startsWith('copy ') ? copy(statement) : statement),
  })
})
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await bucket?.[Symbol.asyncDispose]()
  await peer?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  copy = () => 'select 1'
  bucket.answer = () => false
  bucket.asked.splice(0)
  proxy.statements.splice(0)
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const contextOf = (given: Settings = {}, signal = new AbortController().signal): DeliverContext => {
  const checked = validateSettings(redshift, { ...peer.access, port: proxy.port, tls: 'off', ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  const lifetime = createLifetime()
  closing.push(async () => {
    await lifetime.end()
    await client.close()
  })
  const { request, connect } = client
  return { settings: checked.settings, request, connect, lifetime, clock: Date.now, logger: silentLogger, signal }
}

const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)
const secretOf = (): string => bucket.access.secret_access_key

test('the connection test names what it tried, and leaves nothing behind', async () => {
  const missing = await redshift.testConnection?.(contextOf({ schema: 'not_yet' }))
  expect(missing).toMatchObject({ ok: true, message: expect.stringMatching(/not_yet will be created when/) })
  await peer.query(`create schema ready authorization ${peer.access.user}`)
  const ready = await redshift.testConnection?.(contextOf({ schema: 'ready', ...bucket.access }))
  expect(ready).toEqual({
    ok: true,
    message: `Connected to Amazon Redshift as ${peer.access.user}. Each privilege was tried on the table tributary_test, which is removed again. An object was written to the bucket and deleted.`,
  })
  expect(await peer.query(`select 1 from pg_tables where schemaname = 'ready'`)).toEqual([])
  expect(bucket.objects.size).toBe(0)
})

test('the connection test says which privilege is missing', async () => {
  await peer.query('create schema closed')
  expect(await redshift.testConnection?.(contextOf({ schema: 'closed' }))).toMatchObject({
    ok: false,
    message: expect.stringMatching(/permission denied|lacks CREATE/),
  })
  await peer.query(`grant usage on schema closed to ${peer.access.user}`)
  expect(await redshift.testConnection?.(contextOf({ schema: 'closed' }))).toMatchObject({
    ok: false,
    message: expect.stringMatching(/The user lacks CREATE on the schema; see the setup guide\.$/),
  })
})

test.each<[string, Settings, RegExp]>([
  ['a wrong password', { password: 'wrong' }, /Wrong user or password/],
  ['a missing database', { database: 'nowhere' }, /The database does not exist/],
  ['a paused cluster', { port: 1 }, /Connection refused/],
])('the connection test of %s has a readable message', async (_, given, words) => {
  const tried = await redshift.testConnection?.(contextOf(given))
  expect(tried).toMatchObject({ ok: false, message: expect.stringMatching(words) })
})

test.each([
  [403, 'AccessDenied', ConfigurationError, /^The S3 bucket pictures refused the request: AccessDenied: About/],
  [404, 'NoSuchBucket', ConfigurationError, /NoSuchBucket/],
  [503, 'SlowDown', RetryableError, /SlowDown/],
])('a bucket that answers %i stops staging with a readable message', async (status, code, type, words) => {
  bucket.answer = (_, response) => {
    refuseRequest(response, status, code)
    return true
  }
  const context = contextOf({ schema: 'bucketed', ...bucket.access })
  const error = await failure(redshift.deliver([writtenEvent()], context))
  expect(error).toBeInstanceOf(type)
  expect((error as Error).message).toMatch(words)
  expect(proxy.statements.filter((each) => each.startsWith('copy'))).toEqual([])
  const tried = await redshift.testConnection?.(context)
  expect(tried).toMatchObject({ ok: false, message: expect.stringContaining(code) })
})

test('a COPY that fails has no secret in its error, and leaves no object', async () => {
  copy = (statement) =>
    `do $x$ begin raise exception using message = '${statement.replaceAll("'", "''")}', errcode = 'XX000'; end $x$`
  const context = contextOf({ schema: 'failed', ...bucket.access })
  const error = await failure(redshift.deliver([writtenEvent()], context))
  expect(error).toBeInstanceOf(RetryableError)
  expect(JSON.stringify([error, (error as Error).message])).not.toContain(secretOf())
  expect((error as Error).message).toContain(bucket.access.access_key_id)
  expect(bucket.objects.size).toBe(0)
})

test('a COPY with a role has no secret', async () => {
  const role = 'arn:aws:iam::123456789012:role/copy'
  const context = contextOf({ schema: 'role', ...bucket.access, copy_role: role, prefix: '/a//b/' })
  await redshift.deliver([writtenEvent()], context)
  const [statement = ''] = proxy.statements.filter((each) => each.startsWith('copy'))
  expect(statement).toMatch(
    /^copy "role"\."tributary_stage" \(batch, .*\)\nfrom 's3:\/\/pictures\/a\/b\/[0-9a-f-]{36}\.json\.gz' iam_role 'arn:aws:iam::123456789012:role\/copy' region 'eu-central-1'\ngzip format as json 'auto'/,
  )
  expect(statement).not.toContain(secretOf())
  expect(bucket.asked.map((each) => each.split(' ')[0])).toEqual(['PUT', 'DELETE'])
})

test('an object that cannot be deleted does not fail the batch', async () => {
  bucket.answer = (request, response) => {
    if (request.method !== 'DELETE') return false
    refuseRequest(response, 403, 'AccessDenied')
    return true
  }
  const context = contextOf({ schema: 'kept', ...bucket.access })
  expect(await redshift.deliver([writtenEvent()], context)).toMatchObject({ outcomes: { kind: 'delivered' } })
  expect(bucket.objects.size).toBe(1)
  bucket.objects.clear()
})

test('a batch of ten thousand events is staged, whole or not at all', async () => {
  const events = Array.from({ length: 10_000 }, (_, at) =>
    writtenEvent({ properties: { at, text: "it's \\ \u0001 😀" } }),
  )
  const context = contextOf({ schema: 'many' })
  await redshift.deliver(events, context)
  expect(await peer.query('select count(*)::int as count from many.tributary_stage')).toEqual([{ count: 20_001 }])
  expect(proxy.statements.filter((each) => each.startsWith('insert')).length).toBeGreaterThan(1)
  expect(proxy.statements.slice(-1)).toEqual(['commit'])
})

test('a load that is interrupted cancels its statement', async () => {
  const context = contextOf({ schema: 'slow' })
  await redshift.deliver([writtenEvent()], context)
  await peer.query('begin; lock table slow.tracks in access exclusive mode; select 1; commit')
  const abort = new AbortController()
  await peer.query(`create function public.wait() returns trigger language plpgsql as
    'begin perform pg_sleep(300); return new; end'`)
  await peer.query('create trigger slow before insert on slow.tracks execute function public.wait()')
  const loading = failure(redshift.warehouse?.load({ ...context, signal: abort.signal }) ?? Promise.resolve())
  const running = (): Promise<unknown[]> =>
    peer.query(`select 1 from pg_stat_activity where query like 'INSERT INTO "slow"%' and state = 'active'`)
  await expect.poll(running).toHaveLength(1)
  abort.abort()
  expect(await loading).toEqual(new RetryableError('Interrupted'))
  await expect.poll(running).toHaveLength(0)
})

test.each([
  [{ bucket: 'b' }, { bucket: expect.any(String), region: expect.any(String), access_key_id: expect.any(String) }],
  [{ schema: 'pg_mine' }, { schema: expect.any(String) }],
  [{ schema: 'a"b' }, { schema: expect.any(String) }],
  [{ copy_role: "x' or" }, { copy_role: expect.any(String) }],
  [{ copy_role: 'default' }, {}],
  [{ copy_role: 'arn:aws:iam::123456789012:role/a,arn:aws:iam::123456789012:role/b' }, {}],
])('the settings %j have the problems %j', (given, problems) => {
  const checked = validateSettings(redshift, { ...peer.access, tls: 'off', ...given })
  expect(checked.ok ? {} : checked.errors).toEqual(problems)
})

test.each([
  ['c.abc.eu-central-1.redshift.amazonaws.com', 'usual', 5],
  ['w.123456789012.eu-central-1.redshift-serverless.amazonaws.com', 'usual', 60],
  ['w.123456789012.cn-north-1.redshift-serverless.amazonaws.com.cn', 'usual', 60],
  ['redshift-serverless.amazonaws.com.evil.example', 'usual', 5],
  ['w.1.eu-central-1.redshift-serverless.amazonaws.com', '15', 15],
] as const)('a destination at %s with %s is loaded every %i minutes', (host, load_minutes, minutes) => {
  expect(minutesOf({ host, load_minutes })).toBe(minutes)
})
