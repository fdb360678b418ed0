import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigurationError, RetryableError, validateSettings } from '@tributary/connector-kit'
import { runConnectionTest, runConnector, runWithContext } from '@tributary/connector-kit/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  apiError,
  type DatabricksPeer,
  databricksAccess,
  startDatabricks,
} from '../../wire/databricks/testing-databricks.ts'
import { type ConformancePeer, warehouseConformance, writtenEvent } from '../../wire/warehouse/testing-conformance.ts'
import { databricksAt } from './definition.ts'

let url: string | undefined

/** DuckDB behind a stand-in for the APIs, which loses requests or answers. */
const openPeer = async (): Promise<ConformancePeer> => {
  const peer: DatabricksPeer = await startDatabricks()
  url = peer.url
  let left = Number.POSITIVE_INFINITY
  let when: 'before' | 'after' = 'before'
  let statements = 0
  // Polls are repeated by the client itself, and files that are not removed are removed later.
  peer.lose = ({ method }, path) => {
    const changes = method === 'PUT' || (method === 'POST' && path.endsWith('/statements'))
    if (!changes) return undefined
    statements++
    left--
    return left === 0 ? when : undefined
  }
  let schemas = 0
  return {
    settings: async () => {
      const schema = `s${++schemas}`
      await peer.duck.run(`CREATE SCHEMA ${schema}`)
      return { ...databricksAccess, schema }
    },
    query: async (settings, sql) => {
      // DuckDB reserves the name of a column that Databricks does not.
      const asked = sql.replace(/\bat\b/g, '"at"')
      const { names, rows } = await peer.duck.run(
        asked.replace(/\{(\w+)\}/g, (_, table) => `${String(settings.schema)}."${table}"`),
      )
      return rows.map((row) => Object.fromEntries(row.map((value, at) => [names[at] ?? '', value])))
    },
    failAt: (statement, moment) => {
      left = statement
      when = moment
    },
    statements: () => {
      const found = statements
      statements = 0
      return found
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  }
}

warehouseConformance(
  'Databricks',
  databricksAt(() => url),
  {
    column: (name) => `"${name}"`,
    number: (name) =>
      `CASE WHEN CAST("${name}" AS VARCHAR) LIKE '%.%' THEN rtrim(rtrim(CAST("${name}" AS VARCHAR), '0'), '.') ELSE CAST("${name}" AS VARCHAR) END`,
    time: (name) => `strftime("${name}", '%Y-%m-%d %H:%M:%S.%g')`,
    seconds: (name) => `CAST(floor(epoch("${name}")) AS BIGINT)`,
    flag: (name) => `CAST("${name}" AS VARCHAR)`,
    member: (name, member) => `json_extract_string("${name}", '$.${member}')`,
  },
  openPeer,
)

describe('the Databricks destination', () => {
  let peer: DatabricksPeer
  beforeAll(async () => {
    peer = await startDatabricks()
    await peer.duck.run('CREATE SCHEMA events')
  })
  afterAll(async () => {
    await peer?.[Symbol.asyncDispose]()
  })
  afterEach(() => {
    peer.intercept = () => undefined
    peer.expireTokens()
  })
  const definition = databricksAt(() => peer.url)
  const settings = { ...databricksAccess, schema: 'events' }
  const event = (messageId: string) => writtenEvent({ messageId, properties: { total: 1 } })
  const load = (given: Record<string, unknown> = settings) =>
    runWithContext(definition, given, async (context) => await definition.warehouse?.load(context))
  const ids = async (): Promise<string[]> =>
    (await peer.duck.run('SELECT id FROM events.tracks ORDER BY 1')).rows.map(([id]) => id ?? '')
  const isMerge = ({ method, body }: { method: string; body: string }): boolean =>
    method === 'POST' && body.includes('MERGE INTO')
  const failed = (error_code: string, message: string, sql_state: string) => ({
    status: 200,
    body: JSON.stringify({ statement_id: 'a', status: { state: 'FAILED', error: { error_code, message }, sql_state } }),
  })

  test('the connection test names the account, tries each privilege, and leaves nothing behind', async () => {
    expect(await runConnectionTest(definition, settings)).toEqual({
      ok: true,
      message: `Connected to Databricks SQL 2026.30 as ${databricksAccess.client_id}. Each privilege was tried on the table tributary_test and a file, which are removed again.`,
    })
    expect((await peer.duck.run(`SELECT table_name FROM information_schema.tables`)).rows).toEqual([])
    expect(await readdir(peer.folder)).toEqual([])
  })

  test('the connection test names missing privileges, and a missing schema', async () => {
    expect(await runConnectionTest(definition, { ...settings, schema: 'nowhere' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('The schema nowhere does not exist'),
    })
    peer.intercept = ({ method, body }) => {
      if (method === 'PUT') return apiError(403, 'PERMISSION_DENIED', 'User does not have WRITE VOLUME on Volume.')
      return body.includes('CREATE TABLE')
        ? failed('BAD_REQUEST', '[INSUFFICIENT_PERMISSIONS] No CREATE TABLE.', '42501')
        : undefined
    }
    const tried = await runConnectionTest(definition, settings)
    expect(tried.ok).toBe(false)
    expect(tried.message).toMatch(/The account lacks CREATE TABLE, WRITE VOLUME/)
  })

  test.each([
    ['a wrong secret', { client_secret: 'wrong-secret-of-it' }, /does not accept the client ID and secret/],
    ['a missing warehouse', { warehouse: '0000000000000000' }, /does not exist/],
  ])('events are held while the settings have %s', async (_, given, words) => {
    const delivered = runConnector(definition, { ...settings, ...given }, [event('held')])
    await expect(delivered).rejects.toThrow(words)
    await expect(delivered).rejects.toBeInstanceOf(ConfigurationError)
    await expect(delivered).rejects.not.toThrow(/wrong-secret-of-it/)
  })

  test('too many requests, and a suspended workspace, lose nothing', async () => {
    for (const [answer, kind] of [
      [apiError(429, 'REQUEST_LIMIT_EXCEEDED', 'Too many.'), RetryableError],
      [apiError(403, 'PERMISSION_DENIED', 'The workspace is disabled.'), ConfigurationError],
      [apiError(503, 'WORKSPACE_TEMPORARILY_UNAVAILABLE', 'Later.'), RetryableError],
    ] as const) {
      peer.intercept = ({ method }, path) => (method === 'POST' && path.endsWith('/statements') ? answer : undefined)
      await expect(runConnector(definition, settings, [event('later')])).rejects.toBeInstanceOf(kind)
    }
    peer.intercept = () => undefined
    await runConnector(definition, settings, [event('later')])
    await load()
    expect(await ids()).toEqual(['later'])
  })

  test('a statement that conflicts with another one is repeated', async () => {
    await runConnector(definition, settings, [event('merged')])
    let conflicts = 0
    peer.intercept = (request) =>
      isMerge(request) && conflicts++ < 2
        ? failed('ABORTED', '[DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Transaction conflict detected.', '2D521')
        : undefined
    await load()
    expect(conflicts).toBeGreaterThan(2)
    expect(await ids()).toContain('merged')
  })

  test('conflicts that go on, and a table that another load makes meanwhile, are tried again later', async () => {
    await runConnector(definition, settings, [event('again')])
    for (const [code, state] of [
      ['DELTA_CONCURRENT_APPEND', '2D521'],
      ['TABLE_OR_VIEW_ALREADY_EXISTS', '42P07'],
      ['FIELD_ALREADY_EXISTS', '42710'],
    ] as const) {
      peer.intercept = (request) => (isMerge(request) ? failed('BAD_REQUEST', `[${code}] Twice.`, state) : undefined)
      await expect(load()).rejects.toBeInstanceOf(RetryableError)
    }
    peer.intercept = () => undefined
    await load()
    expect(await ids()).toContain('again')
  })

  test('a token that ended is replaced, for statements and for files', async () => {
    await runWithContext(definition, settings, async (context) => {
      await definition.deliver([event('before')], context)
      peer.expireTokens()
      await definition.deliver([event('after')], context)
      peer.expireTokens()
      await definition.warehouse?.load(context)
    })
    expect(await ids()).toEqual(expect.arrayContaining(['before', 'after']))
  })

  test('a file that a kill has left behind is removed a day later, and others stay', async () => {
    const old = join(peer.folder, '00000000-0000-4000-8000-000000000000.json')
    for (const path of [
      old,
      join(peer.folder, 'of-a-person.json'),
      join(peer.folder, '00000000-0000-4000-8000-000000000001.json'),
    ])
      await writeFile(path, '{}')
    const long = new Date(Date.now() - 25 * 60 * 60 * 1000)
    await utimes(old, long, long)
    await utimes(join(peer.folder, 'of-a-person.json'), long, long)
    await runConnector(definition, settings, [event('files')])
    expect((await readdir(peer.folder)).toSorted()).toEqual([
      '00000000-0000-4000-8000-000000000001.json',
      'of-a-person.json',
    ])
  })

  test.each([
    ['schema', { schema: 'a/b' }],
    ['schema', { schema: 'a.b' }],
    ['schema', { schema: '..' }],
    ['catalog', { catalog: 'a`b' }],
    ['catalog', { catalog: "a'b" }],
    ['host', { host: 'https://example.com' }],
    ['load_hours', { load_hours: '25-3' }],
  ])('the setting %s is refused as %j', (name, given) => {
    const checked = validateSettings(
      databricksAt(() => undefined),
      { ...settings, ...given },
    )
    expect(checked.ok ? [] : Object.keys(checked.errors)).toEqual([name])
  })
})
