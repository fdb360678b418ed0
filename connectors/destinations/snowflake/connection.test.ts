import {
  ConfigurationError,
  type DeliverContext,
  type OutgoingEvent,
  type OutgoingRow,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { runConnectionTest, runConnector, runConnectorRows, runWithContext } from '@tributary/connector-kit/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tableObject } from '../../wire/access/table-object.ts'
import { openEngine } from '../../wire/snowflake/testing-engine.ts'
import {
  endless,
  type SnowflakePeer,
  startSnowflake,
  type TestEngine,
  TestRefusal,
  testAccess,
} from '../../wire/snowflake/testing-snowflake.ts'
import { defineSnowflake, snowflake } from './definition.ts'
import { createDialect, foldName } from './dialect.ts'
import { fitOf, literal, typeOf } from './types.ts'

let engine: Awaited<ReturnType<typeof openEngine>>
let peer: SnowflakePeer
let settings: Record<string, unknown>
let schemas = 0
const destination = defineSnowflake(() => peer.origin)

beforeAll(async () => {
  engine = await openEngine()
  peer = await startSnowflake({ engine })
})
afterAll(async () => {
  await peer?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
})
beforeEach(async () => {
  peer.set({ engine, instead: undefined, after: undefined, cut: undefined })
  for (const list of [peer.requests, peer.statements, peer.canceled]) list.length = 0
  const schema = `C${++schemas}`
  await engine.database.run(`CREATE SCHEMA "COMPANY"."${schema}"`)
  settings = { ...testAccess, schema }
})

const track = (at: number, properties: Record<string, unknown> = {}): OutgoingEvent => {
  const ids = { eventId: `0-${at}-0`, messageId: `m${at}`, type: 'track' as const, event: 'Order Completed' }
  const time = '2026-01-02T03:04:05.678Z'
  const json = JSON.stringify({ ...ids, userId: 'u', context: {}, receivedAt: time, timestamp: time, properties })
  return { ...ids, json, action: 'write_event' }
}
const deliver = (events: readonly OutgoingEvent[]) => runConnector(destination, settings, events)
const rowsOf = async (sql: string) =>
  (await engine.database.run(sql.replaceAll('{}', `"COMPANY"."${String(settings.schema)}"`))).rows
const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

/** An engine that refuses some statements. */
const refusing = (part: string, refusal: TestRefusal): TestEngine => ({
  count: engine.count,
  run: (statement) => (statement.sql.includes(part) ? Promise.reject(refusal) : engine.run(statement)),
})

describe('staging in Snowflake', () => {
  test('a large batch is staged in statements of about a megabyte, and each row once', async () => {
    const text = `'\\"?${'x'.repeat(20_000)}`
    await deliver(Array.from({ length: 100 }, (_, at) => track(at, { text })))
    const staging = peer.statements.filter(({ sql }) => sql.startsWith('INSERT'))
    expect(staging.length).toBeGreaterThan(1)
    for (const { body } of staging) expect(JSON.stringify(body.bindings).length).toBeLessThan(2_500_000)
    expect(await rowsOf(`SELECT count(*), count(DISTINCT place) FROM {}.TRIBUTARY_STAGE`)).toEqual([['201', '201']])
    const texts = await rowsOf(
      `SELECT DISTINCT json_extract_string(row_values, '$.text') FROM {}.TRIBUTARY_STAGE WHERE table_name = 'order_completed'`,
    )
    expect(texts).toEqual([[text]])
  })

  test('no statement of staging or loading has a second statement, or a value of an event', async () => {
    await deliver([track(1, { text: "secret'; DROP TABLE x --" })])
    await runWithContext(destination, settings, async (context) => await destination.warehouse?.load(context))
    for (const { sql, body } of peer.statements) {
      expect(sql).not.toContain('secret')
      expect(body.parameters).toMatchObject({ MULTI_STATEMENT_COUNT: '1', timezone: 'UTC' })
    }
  })

  test.each([
    ['a suspended account', new TestRefusal('000666', '57014', 'Your account is suspended'), ConfigurationError],
    ['a missing privilege', new TestRefusal('003001', '42501', 'Insufficient privileges'), ConfigurationError],
    ['a warehouse without quota', new TestRefusal('090073', '22000', 'resource monitor exceeded'), ConfigurationError],
    ['a table that is locked too long', new TestRefusal('000625', '57014', 'has locked table'), RetryableError],
    ['a statement that is canceled', new TestRefusal('000604', '57014', 'SQL execution canceled'), RetryableError],
    ['a statement that takes too long', new TestRefusal('000630', '57014', 'reached its timeout'), RetryableError],
  ])('%s holds the events, or retries them', async (_, refusal, kind) => {
    peer.set({ engine: refusing('INSERT', refusal) })
    const error = await failure(deliver([track(1)]))
    expect(error).toBeInstanceOf(kind)
    expect((error as Error).message).toContain(refusal.message)
  })

  test('a column that another process adds meanwhile is no failure that stays', async () => {
    await deliver([track(0)])
    peer.set({ engine: refusing('ADD COLUMN', new TestRefusal('001430', '42601', "column 'X' already exists")) })
    expect(await failure(deliver([track(1, { x: 1 })]))).toBeInstanceOf(RetryableError)
    peer.set({ engine })
    expect(await deliver([track(1, { x: 1 })])).toMatchObject({ outcomes: { kind: 'delivered' } })
  })

  test('a wrong key holds the events without naming the key', async () => {
    const error = await failure(runConnector(destination, { ...settings, user: 'other' }, [track(1)]))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(JSON.stringify([String(error), (error as ConfigurationError).exchange])).not.toContain('PRIVATE')
  })

  test('a load that is interrupted cancels its statement in the service', async () => {
    await deliver([track(1)])
    const abort = new AbortController()
    peer.set({
      engine: { count: engine.count, run: (statement) => engine.run(statement) },
      rewrite: (sql) => (sql.includes('MERGE') ? `${sql} ${endless}` : sql),
    })
    const load = failure(
      runWithContext(destination, settings, async (context: DeliverContext) => {
        return await destination.warehouse?.load({ ...context, signal: abort.signal })
      }),
    )
    await peer.until(() => peer.statements.some(({ sql }) => sql.includes('MERGE')))
    abort.abort()
    expect(await load).toBeInstanceOf(RetryableError)
    expect(peer.canceled).toHaveLength(1)
    peer.set({ rewrite: undefined })
    await runWithContext(destination, settings, async (context) => await destination.warehouse?.load(context))
    expect(await rowsOf('SELECT "ID" FROM {}.TRACKS')).toEqual([['m1']])
  })
})

describe('rows of a sync', () => {
  test('names are read without regard to case, as Snowflake does', async () => {
    const row = (key: string, table: string, json: string): OutgoingRow =>
      ({
        recordId: `r${key}`,
        operation: 'upsert',
        object: tableObject({ table, key: 'Id' }),
        key,
        version: 1,
        json,
      }) as OutgoingRow
    await runConnectorRows(destination, settings, [row('a', 'CUSTOMERS', '{"Id":"a","SPENT":12345678901234567890.10}')])
    await runConnectorRows(destination, settings, [row('a', 'Customers', '{"Id":"a","Plan":"x"}')])
    expect(await rowsOf('SELECT "ID", "SPENT", "PLAN" FROM {}.CUSTOMERS')).toEqual([
      ['a', '12345678901234567890.1000000000', 'x'],
    ])
  })
})

describe('the connection test of Snowflake', () => {
  test('it tries what loads do, and leaves nothing behind', async () => {
    expect(await runConnectionTest(destination, settings)).toEqual({
      ok: true,
      message:
        'Connected to Snowflake 9.40.1 as TRIBUTARY with the role READER. What loads do was tried on the table tributary_test, which is removed again.',
    })
    expect(await rowsOf(`SELECT table_name FROM duckdb_tables() WHERE table_name ILIKE 'tributary_test'`)).toEqual([])
  })

  test.each([
    ['schema', { schema: 'nowhere' }, /The schema nowhere does not exist, or the role has no USAGE on it\.$/],
    ['warehouse', { warehouse: 'big' }, /The warehouse big does not exist/],
    ['role', { role: 'nobody' }, /^The role does not exist, or the user does not have it/],
    ['user', { user: 'nobody' }, /^Snowflake does not accept the account, the user, or the key/],
  ])('it names a wrong %s', async (_, given, words) => {
    const { ok, message } = await runConnectionTest(destination, { ...settings, ...given })
    expect(ok).toBe(false)
    expect(message).toMatch(words)
  })

  test('it names what the role may not do', async () => {
    peer.set({ engine: refusing('CREATE TABLE', new TestRefusal('003001', '42501', "Insufficient privileges on 'C'")) })
    expect(await runConnectionTest(destination, settings)).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /The role can’t create a table; see the setup guide\. Insufficient privileges on 'C'/,
      ),
    })
  })
})

describe('the dialect of Snowflake', () => {
  const dialect = createDialect({ database: 'DB', schema: 'S' })

  test.each([
    ['order_completed', 'ORDER_COMPLETED'],
    ['select', 'SELECT'],
    ['größe', 'größe'],
    ['имя', 'имя'],
    ['ος', 'ος'],
    ['ı', 'ı'],
  ])('the name %s is stored as %s, and read back', (name, stored) => {
    expect(foldName(name)).toBe(stored)
    expect(dialect.listed([stored, stored, 'TEXT', null, null, '16777216'])).toEqual({
      table: name,
      column: name,
      type: 'VARCHAR',
    })
  })

  test('names of others, which statements of this product could not reach, are left out', () => {
    expect(dialect.listed(['lower', 'ID', 'TEXT'])).toBeUndefined()
    expect(dialect.listed(['TRACKS', 'Mixed', 'TEXT'])).toBeUndefined()
    expect(dialect.listed(['TRIBUTARY_STAGE', 'BATCH', 'TEXT'])).toBeUndefined()
    expect(dialect.listed(['TRIBUTARY_LOCK', 'HELD_AT', 'TIMESTAMP_LTZ'])).toBeUndefined()
  })

  test('a column never has the name of a function without parentheses', () => {
    expect(dialect.isReserved('current_date')).toBe(true)
    expect(dialect.isReserved('order')).toBe(false)
  })

  test.each([
    ['NUMBER', ['38', '10', null], 'NUMBER(38,10)', { kind: 'number', before: 28, after: 10 }],
    ['NUMBER', ['5', '0', null], 'NUMBER(5,0)', { kind: 'number', before: 5, after: 0 }],
    ['TEXT', [null, null, '16777216'], 'VARCHAR', { kind: 'text', maxBytes: 16_777_216 }],
    ['TEXT', [null, null, '134217728'], 'VARCHAR', { kind: 'text', maxBytes: 16_777_216 }],
    ['TEXT', [null, null, '10'], 'VARCHAR(10)', { kind: 'text', maxBytes: 10 }],
    ['FLOAT', [null, null, null], 'FLOAT', { kind: 'double' }],
    ['BOOLEAN', [null, null, null], 'BOOLEAN', { kind: 'boolean' }],
    ['TIMESTAMP_NTZ', [null, null, null], 'TIMESTAMP_NTZ', { kind: 'time' }],
    ['DATE', [null, null, null], 'DATE', { kind: 'date' }],
    ['VARIANT', [null, null, null], 'VARIANT', { kind: 'json', maxBytes: 16_777_216 }],
    ['GEOGRAPHY', [null, null, null], 'GEOGRAPHY', undefined],
    ['BINARY', [null, null, '8388608'], 'BINARY', undefined],
  ])('the listed type %s with %j is %s', (type, parts, name, fit) => {
    expect(typeOf(type, parts)).toBe(name)
    expect(fitOf(name)).toEqual(fit)
  })

  test('a literal ends where it should, whatever is in it', () => {
    expect(literal("a'b\\'c\0")).toBe("'a''b\\\\''c'")
  })

  test('the settings of the schema cannot be changed, and the key belongs to its account', () => {
    const fields = snowflake.settings.fields
    expect(fields.filter(({ editable }) => !editable).map(({ name }) => name)).toEqual(['database', 'schema'])
    expect(fields.find(({ name }) => name === 'private_key')?.sentTo).toEqual([{ setting: 'account', by: 'value' }])
    const checked = validateSettings(snowflake, { ...testAccess, schema: '  ' })
    expect(checked).toMatchObject({ ok: false })
  })
})
