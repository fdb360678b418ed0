import {
  ConfigurationError,
  DataQueryError,
  EgressRefusedError,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { describe, expect, test } from 'vitest'
import { email, keyFileOf, keys } from '../../wire/bigquery/testing-bigquery.ts'
import { bigquery } from './definition.ts'
import { failure, keyFile, refusing, rowsOf, useCompany } from './testing-session.ts'

// The stand-in follows Google's documentation: methods, scopes of tokens, forms of rows, limits, and reasons of errors.
// DuckDB runs the statements. These tests do not cover the parts that are only in the service, such as its parser.
const { peer, open } = useCompany()

describe('connecting to BigQuery', () => {
  test('the connection test names the project and the account', async () => {
    expect(await (await open()).about()).toBe(`Connected to BigQuery in the project my-project as ${email}.`)
  })

  test.each<[string, Record<string, unknown>, RegExp]>([
    [
      'a key that Google does not know',
      { service_account_key: keyFileOf(keys.other.privateKey) },
      /^Google does not accept the service account key: Invalid JWT Signature\.$/,
    ],
    [
      'a private key that is none',
      { service_account_key: keyFileOf('-----BEGIN PRIVATE KEY-----\nsecret-text\n-----END PRIVATE KEY-----\n') },
      /^The private key in the service account key cannot be read$/,
    ],
    ['a project that is not there', { project: 'other-project' }, /^Not found: Project other-project/],
    ['a default dataset that is not there', { dataset: 'nowhere' }, /^Not found: Dataset my-project:nowhere/],
  ])('connecting with %s results in a readable message without any secret', async (_, given, words) => {
    const error = await failure((await open({ given })).about())
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).not.toMatch(/PRIVATE KEY|secret-text|ya29/)
  })

  // docs.cloud.google.com/bigquery/docs/error-messages has the reasons; the words are those of the service.
  test.each<[number, string, string, new (...given: never[]) => Error, RegExp]>([
    [
      403,
      'accessDenied',
      'Access Denied: Project my-project: User does not have bigquery.jobs.create permission in project my-project.',
      ConfigurationError,
      /^The service account is missing a role; see the setup guide: Access Denied: Project/,
    ],
    [403, 'accessNotConfigured', 'BigQuery API has not been used', ConfigurationError, /API is not enabled/],
    [403, 'billingNotEnabled', 'Billing has not been enabled', ConfigurationError, /no billing account/],
    [403, 'forbidden', "Consumer 'project:1' has been suspended.", ConfigurationError, /has been suspended/],
    [403, 'blocked', 'Blocked', ConfigurationError, /^Google has blocked the project/],
    [403, 'rateLimitExceeded', 'Exceeded rate limits: too many api requests', RetryableError, /^Exceeded rate limits/],
    [403, 'quotaExceeded', 'Quota exceeded: Your project exceeded quota', RetryableError, /^Quota exceeded/],
    [400, 'jobRateLimitExceeded', 'Exceeded rate limits', RetryableError, /^Exceeded rate limits/],
    [400, 'invalidQuery', 'Exceeded rate limits: too many concurrent queries', RetryableError, /^Exceeded rate/],
    [429, 'rateLimitExceeded', 'Slow down', RetryableError, /^Slow down/],
    [503, 'backendError', 'Visibility check was unavailable.', RetryableError, /^Visibility/],
    [500, 'internalError', 'An internal error occurred', RetryableError, /^An internal/],
  ])('a refusal with %i %s is understood', async (code, reason, message, type, words) => {
    const session = await open()
    peer().answerInstead = (_, at) => (at.startsWith('POST /bigquery') ? refusing(code, reason, message) : undefined)
    const error = await failure(session.about())
    expect(error).toBeInstanceOf(type)
    expect((error as Error).message).toMatch(words)
    expect(await failure(session.describe({ sql: 'SELECT 1 AS one' }))).toBeInstanceOf(type)
  })

  test('a temporary error is repeated after growing waits, and no more often than three times', async () => {
    const waits: number[] = []
    const session = await open({ wait: (ms) => waits.push(ms) })
    let count = 0
    peer().answerInstead = (_, at) =>
      at.endsWith('/jobs') && count++ < 2 ? refusing(503, 'backendError', 'Later') : undefined
    await session.about()
    expect(waits).toEqual([500, 2000])
    waits.length = 0
    count = Number.NEGATIVE_INFINITY
    expect(await failure(session.about())).toBeInstanceOf(RetryableError)
    expect(waits).toEqual([500, 2000, 5000])
  })

  test('the wait of Google is respected if it is short, and passed on if it is long', async () => {
    const waits: number[] = []
    const session = await open({ wait: (ms) => waits.push(ms) })
    let seconds = '10'
    let left = 1
    peer().answerInstead = (_, at) =>
      at.endsWith('/jobs') && left-- > 0 ? refusing(429, 'x', 'Later', { 'retry-after': seconds }) : undefined
    await session.about()
    expect(waits).toEqual([10_000])
    ;[seconds, left] = ['90', 1]
    expect(await failure(session.about())).toMatchObject({ name: 'RetryableError', retryAfterMs: 90_000 })
    expect(waits).toHaveLength(1)
  })

  test('a token that has ended is replaced once', async () => {
    const session = await open()
    await session.about()
    peer().endTokens()
    const before = peer().asked.length
    expect(await session.describe({ sql: 'SELECT 1 AS one' })).toEqual([{ name: 'one', type: 'INT64' }])
    expect(
      peer()
        .asked.slice(before)
        .map(({ at }) => at),
    ).toEqual([
      'POST /bigquery/v2/projects/my-project/jobs',
      'POST /token',
      'POST /bigquery/v2/projects/my-project/jobs',
    ])
    peer().answerInstead = (_, at) =>
      at === 'POST /token' ? undefined : refusing(401, 'authError', 'Invalid credentials')
    expect(await failure(session.about())).toEqual(
      new ConfigurationError('Google does not accept the service account: Invalid credentials'),
    )
  })

  test('a private address is refused unless the operator allows it', async () => {
    expect(await failure((await open({ allow: [] })).about())).toBeInstanceOf(EgressRefusedError)
  })

  test.each([
    ['project', { project: 'My Project' }],
    ['project', { project: '../x' }],
    ['dataset', { dataset: 'a.b' }],
    ['service_account_key', { service_account_key: '{"type":"authorized_user"}' }],
    ['max_gigabytes', { max_gigabytes: 0 }],
  ])('the setting %s is rejected if it is invalid: %j', (name, given) => {
    const checked = validateSettings(bigquery, { project: 'my-project', service_account_key: keyFile, ...given })
    expect(checked).toMatchObject({ ok: false, errors: { [name]: expect.any(String) } })
  })
})

describe('a query that does not end', () => {
  test.each(['its time is over', 'its caller disconnects'])('is cancelled when %s', async (reason) => {
    const abort = new AbortController()
    peer().jobs.set.isSlow = true
    const isAborted = reason === 'its caller disconnects'
    const session = await open({
      signal: abort.signal,
      statementMs: isAborted ? 20_000 : 40,
      wait: () => (isAborted ? abort.abort() : undefined),
    })
    await session.describe({ sql: 'SELECT 1 AS one' })
    const error = await failure(rowsOf(session, { sql: 'SELECT 1 AS one' }))
    expect(error).toBeInstanceOf(isAborted ? RetryableError : DataQueryError)
    if (!isAborted) expect((error as Error).message).toBe('The query did not finish within 0.04 seconds')
    expect(peer().jobs.cancelled).toHaveLength(1)
  })

  test('is asked for after growing pauses', async () => {
    const waits: number[] = []
    peer().jobs.set.isSlow = true
    const session = await open({
      wait: (ms) => {
        waits.push(ms)
        if (waits.length === 5) peer().jobs.set.isSlow = false
      },
    })
    expect(await rowsOf(session, { sql: 'SELECT 1 AS one' })).toEqual([['1']])
    expect(waits).toEqual([100, 200, 400, 800, 1600])
    expect(peer().jobs.cancelled).toEqual([])
  })

  test('stops with a message if it is cancelled in BigQuery', async () => {
    peer().jobs.set.isSlow = true
    const session = await open()
    peer().answerInstead = (_, at) =>
      at.startsWith('GET ') && at.includes('/queries/')
        ? refusing(400, 'stopped', 'Job execution was cancelled: User requested cancellation')
        : undefined
    const error = await failure(rowsOf(session, { sql: 'SELECT 1 AS one' }))
    expect(error).toEqual(new DataQueryError('Job execution was cancelled: User requested cancellation'))
  })
})
