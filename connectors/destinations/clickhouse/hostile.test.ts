import {
  ConfigurationError,
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  type OutgoingEvent,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { type ClickHousePeer, startClickHouse } from '@tributary/test-kit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { writtenEvent } from '../../wire/warehouse/testing-conformance.ts'
import { clickhouse } from './definition.ts'

let peer: ClickHousePeer
let client: ReturnType<typeof createRequestClient>
let database: string
let context: DeliverContext
let databases = 0
beforeAll(async () => {
  peer = await startClickHouse()
  client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
})
afterAll(async () => {
  await client.close()
  await peer[Symbol.asyncDispose]()
})

/** The context of a process or thread that has not read the tables yet. */
const newContext = (): DeliverContext => {
  const checked = validateSettings(clickhouse, { ...peer.access, tls: 'off', database })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const { signal } = new AbortController()
  const { settings } = checked
  return { ...client, settings, lifetime: createLifetime(), clock: Date.now, logger: silentLogger, signal }
}

beforeEach(async () => {
  database = `hostile${++databases}`
  await peer.query(`create database ${database}`)
  context = newContext()
})

const { warehouse } = clickhouse
if (warehouse === undefined) throw new Error('ClickHouse is no warehouse')
const stage = async (...events: OutgoingEvent[]): Promise<void> => {
  expect(await clickhouse.deliver(events, context)).toMatchObject({ outcomes: { kind: 'delivered' } })
}
/** Loads as the job does, which has its own tables. */
const load = () => warehouse.load(newContext())
const query = (sql: string): Promise<Record<string, unknown>[]> =>
  peer.query(sql.replace(/\{(\w+)\}/g, (_, table) => `${database}.\`${table}\``))
const ids = async (table: string): Promise<string[]> =>
  (await query(`select id from {${table}} order by id`)).map(({ id }) => String(id))
const tableNames = async (): Promise<string[]> =>
  (await query(`select name from system.tables where database = '${database}' order by name`)).map(({ name }) =>
    String(name),
  )
const extraOf = async (table: string, id: string): Promise<Record<string, unknown>> => {
  const [row] = await query(`select extra_properties as extra from {${table}} where id = '${id}'`)
  return typeof row?.extra === 'string' ? JSON.parse(row.extra) : {}
}
const staged = async (): Promise<number> =>
  Number((await query(`select toUInt32(count()) as n from {tributary_stage}`))[0]?.n)
const order = (messageId: string, properties: Record<string, unknown>): OutgoingEvent =>
  writtenEvent({ messageId, properties })

test('an event with 10,000 properties has 1,000 columns, and the others are in extra_properties', async () => {
  const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`property ${at}`, at]))
  await stage(order('wide', properties))
  await stage(order('next', { 'property 3': 'three', 'property 9999': 'last' }))
  await load()
  const [{ n } = {}] = await query(
    `select toUInt32(count()) as n from system.columns where database = '${database}' and table = 'order_completed'`,
  )
  expect(n).toBe(1000)
  const extra = await extraOf('order_completed', 'wide')
  const [first] = await query(`select property_0 as a, property_500 as b from {order_completed} where id = 'wide'`)
  expect(first).toEqual({ a: 0, b: 500 })
  for (const [name, value] of Object.entries(extra)) expect(value).toBe(properties[name])
  // The fixed columns of the table take some of the 1,000.
  expect(Object.keys(extra).length).toBeGreaterThan(9000)
  expect(Object.keys(extra).length).toBeLessThan(9020)
  expect(await extraOf('order_completed', 'next')).toEqual({ 'property 3': 'three', 'property 9999': 'last' })
})

test('5,000 events of 100 names are all there, each in the table of its name', async () => {
  const events = Array.from({ length: 5000 }, (_, at) =>
    writtenEvent({ messageId: `e${at}`, event: `Event ${at % 100}`, properties: { at } }),
  )
  await stage(...events)
  const report = await load()
  expect(Object.keys(report.rows)).toHaveLength(101)
  expect(report.rows.tracks).toBe(5000)
  expect(await query(`select toUInt32(count()) as n, toUInt32(uniqExact(id)) as u from {tracks}`)).toEqual([
    { n: 5000, u: 5000 },
  ])
  expect(await query(`select toUInt32(count()) as n, toUInt32(sum(at)) as s from {event_99}`)).toEqual([
    { n: 50, s: 99 * 50 + 100 * ((49 * 50) / 2) },
  ])
})

test('beyond 1,000 tables, the properties of an event are in its row of tracks', async () => {
  // The database has other tables too.
  for (let table = 0; table < 999; table++) await query(`create table {other_${table}} (id String) engine = Memory`)
  await stage(
    writtenEvent({ messageId: 'first', event: 'First', properties: { at: 1 } }),
    writtenEvent({ messageId: 'second', event: 'Second', properties: { at: 2, deep: { at: 2 } } }),
    writtenEvent({ messageId: 'page', type: 'page', event: 'Home', properties: { at: 3 } }),
    writtenEvent({ messageId: 'user', type: 'identify', event: '', userId: 'ada', traits: { plan: 'pro' } }),
    writtenEvent({ messageId: 'group', type: 'group', event: '', groupId: 'acme', traits: { seats: 4 } }),
  )
  await load()
  expect(await ids('tracks')).toEqual(['first', 'second'])
  expect(await ids('first')).toEqual(['first'])
  expect(await tableNames()).not.toContain('second')
  expect(await extraOf('tracks', 'second')).toEqual({ at: 2, deep: { at: 2 } })
  for (const [table, id] of Object.entries({
    pages: 'page',
    identifies: 'user',
    users: 'ada',
    groups: 'group',
    accounts: 'acme',
  }))
    expect(await ids(table)).toEqual([id])
})

test('names that differ in case only, in other scripts, empty ones, and those with dots lose no value', async () => {
  const properties: Record<string, unknown> = {
    plan: 'a',
    Plan: 'b',
    PLAN: 'c',
    'p.l.a.n': 'd',
    'p l a n': 'e',
    план: 'f',
    План: 'g',
    計画: 'h',
    خطة: 'i',
    योजना: 'j',
    '': 'k',
    ' ': 'l',
    '.': 'm',
    '..': 'n',
    '😀': 'o',
    "'; drop table tracks --": 'p',
    '`x`': 'q',
    'a\0b': 'r',
    ['x'.repeat(5000)]: 's',
    __proto__x: 't',
    constructor: 'u',
    id: 'v',
    Id: 'w',
    extra_properties: 'x',
    tributary_stage: 'y',
  }
  await stage(order('named', properties))
  await load()
  const [row = {}] = await query(`select * from {order_completed} where id = 'named'`)
  const kept = [...Object.values(row), ...Object.values(await extraOf('order_completed', 'named'))]
  for (const value of Object.values(properties)) expect(kept).toContain(value)
  expect(row).toMatchObject({ plan: 'a', план: 'f', 計画: 'h', خطة: 'i', id: 'named', property_id: 'v' })
  expect(await ids('tracks')).toEqual(['named'])
})

test('events whose name is that of a table of this product leave that table alone', async () => {
  const names = [
    'Tributary Stage',
    'tributary_stage',
    'Tributary Test',
    'tributary',
    'Users',
    '_users_versions',
    '2026 Versions',
    'accounts',
    'Tracks',
  ]
  await stage(...names.map((event, at) => writtenEvent({ messageId: `n${at}`, event, properties: { at } })))
  await stage(writtenEvent({ messageId: 'u', type: 'identify', event: '', userId: 'ada', traits: { plan: 'pro' } }))
  await load()
  expect(await staged()).toBe(0)
  expect(await ids('tracks')).toEqual(names.map((_, at) => `n${at}`))
  expect(await ids('users')).toEqual(['ada'])
  const stageColumns = await query(
    `select name from system.columns where database = '${database}' and table = 'tributary_stage'`,
  )
  expect(stageColumns).toHaveLength(9)
  // A test of the connection leaves the events alone.
  const before = await tableNames()
  expect(await clickhouse.testConnection?.(newContext())).toMatchObject({ ok: true })
  expect(await tableNames()).toEqual(before)
  for (const [at, event] of names.entries()) {
    const [table = ''] = warehouse.tablesOf({ type: 'track', event }).slice(1)
    expect(await query(`select id from {${table}} where id = 'n${at}'`)).toEqual([{ id: `n${at}` }])
  }
})

test('values beyond what a column holds are in extra_properties, and no value is changed', async () => {
  await stage(order('types', { amount: 1.5, at: '2026-01-02T03:04:05Z', flag: true, text: 'x', list: [1] }))
  const json = (messageId: string, text: string): OutgoingEvent => {
    const event = order(messageId, { hostile: 0 })
    return { ...event, json: event.json.replace('{"hostile":0}', text) }
  }
  await stage(
    json('big', '{"amount":12345678901234567890}'),
    json('huge', '{"amount":1e400}'),
    json('digits', '{"amount":123456789012345678901234567890}'),
    json('year0', '{"at":"0000-01-01T00:00:00Z"}'),
    json('year1', '{"at":"0001-01-01T00:00:00Z"}'),
    json('year9999', '{"at":"9999-12-31T23:59:59Z"}'),
    json('leap', '{"at":"2026-12-31T23:59:60Z"}'),
    json('arabic', '{"amount":"١٢"}'),
    json('flag', '{"flag":"yes"}'),
    json('deep', `{"list":${'['.repeat(100)}${']'.repeat(100)}}`),
    json('null', '{"amount":null,"at":null,"flag":null,"text":null,"list":null}'),
  )
  await load()
  const amounts = await query(
    `select id, toString(amount) as amount from {order_completed} where amount is not null order by id`,
  )
  expect(amounts).toEqual([
    { id: 'big', amount: '12345678901234567890' },
    { id: 'types', amount: '1.5' },
  ])
  expect(await query(`select id from {order_completed} where at is not null`)).toEqual([{ id: 'types' }])
  for (const [id, expected] of Object.entries({
    huge: '1e400',
    year0: '0000-01-01T00:00:00Z',
    year1: '0001-01-01T00:00:00Z',
    year9999: '9999-12-31T23:59:59Z',
    leap: '2026-12-31T23:59:60Z',
    arabic: '١٢',
    flag: 'yes',
  }))
    expect(Object.values(await extraOf('order_completed', id))).toEqual([expected])
  const [{ extra } = {}] = await query(`select extra_properties as extra from {order_completed} where id = 'digits'`)
  expect(extra).toBe('{"amount":123456789012345678901234567890}')
  expect(await ids('order_completed')).toHaveLength(12)
})

test('a table that was dropped by hand after staging comes again, and loses only what was loaded', async () => {
  await stage(
    order('a', { total: 1 }),
    writtenEvent({ messageId: 'i1', type: 'identify', event: '', traits: { plan: 'x' } }),
  )
  await load()
  await stage(
    order('b', { total: 2 }),
    writtenEvent({ messageId: 'i2', type: 'identify', event: '', traits: { plan: 'y' } }),
  )
  await query('drop table {order_completed}')
  await query('drop view {users}')
  await query('drop table {_users_versions}')
  // The thread that stages finds out by the failure, which holds or repeats its events.
  await clickhouse.deliver([order('c', { total: 'many', more: 3 })], context).catch(() => undefined)
  await stage(order('c', { total: 'many', more: 3 }))
  await load()
  expect(
    await query(`select id, toString(total) as total, toString(more) as more from {order_completed} order by id`),
  ).toEqual([
    { id: 'b', total: '2', more: null },
    { id: 'c', total: 'many', more: '3' },
  ])
  expect(await ids('tracks')).toEqual(['a', 'b', 'c'])
  expect(await query(`select plan from {users}`)).toEqual([{ plan: 'y' }])
  const tables = await warehouse.tables(newContext())
  expect(tables.map(({ name }) => name)).toContain('order_completed')
})

test.each([
  'Array(String)',
  'UUID',
  'IPv4',
  "Enum8('a' = 1)",
  'Map(String, String)',
  'Tuple(String, Int8)',
  'FixedString(3)',
  'LowCardinality(String)',
  'UInt8',
  'Date',
  "DateTime('Europe/Berlin')",
  'Float32',
  'Int256',
])('a column that was made %s by hand after staging loses no value', async (type) => {
  await stage(order('a', { kept: 'x' }))
  await load()
  await stage(order('b', { value: 'many', kept: 'y' }), order('c', { value: 'more' }))
  const isBare = /^(?:Array|Map|Tuple|LowCardinality)/.test(type)
  const retype = async () => {
    await query('alter table {order_completed} drop column if exists value')
    await query(`alter table {order_completed} add column value ${isBare ? type : `Nullable(${type})`}`)
  }
  await retype()
  await load()
  expect(await staged()).toBe(0)
  const [text = { text: '' }] = await query(`select toString(value) as text from {order_completed} where id = 'b'`)
  const { value = text.text } = await extraOf('order_completed', 'b')
  expect(value).toBe('many')
  expect(await query(`select kept from {order_completed} order by id`)).toEqual([
    { kept: 'x' },
    { kept: 'y' },
    { kept: null },
  ])
  // From then on, values are staged for the column as it is.
  await stage(order('d', { value: 'last', kept: 'z' }))
  context = newContext()
  await stage(order('e', { value: 'last', kept: 'z' }))
  await load()
  expect(await ids('order_completed')).toEqual(['a', 'b', 'c', 'd', 'e'])
  for (const id of ['d', 'e']) {
    const [found] = await query(`select toString(value) as text from {order_completed} where id = '${id}'`)
    expect([found?.text, (await extraOf('order_completed', id)).value]).toContain('last')
  }
})

test('columns that loads need and were changed by hand hold events, say which one, and lose none', async () => {
  await stage(order('a', {}))
  await load()
  await stage(order('b', { value: 'x' }))
  await query('alter table {order_completed} drop column extra_properties')
  await query('alter table {order_completed} drop column value')
  await query('alter table {order_completed} add column value Nullable(UUID)')
  await load()
  expect(await ids('order_completed')).toEqual(['a', 'b'])
  expect(await extraOf('order_completed', 'b')).toEqual({ value: 'x' })

  await query('alter table {order_completed} drop column extra_properties')
  await query('alter table {order_completed} add column extra_properties Nullable(UUID)')
  await stage(order('c', { value: 'y' }))
  const loaded = load()
  await expect(loaded).rejects.toBeInstanceOf(ConfigurationError)
  await expect(loaded).rejects.toThrow('extra_properties')
  context = newContext()
  await expect(clickhouse.deliver([order('d', { value: 'z' })], context)).rejects.toThrow('extra_properties')
  expect(await ids('order_completed')).toEqual(['a', 'b'])

  await query('alter table {order_completed} drop column extra_properties')
  await query('alter table {order_completed} add column extra_properties Nullable(String)')
  context = newContext()
  await stage(order('d', { value: 'z' }))
  await load()
  expect(await ids('order_completed')).toEqual(['a', 'b', 'c', 'd'])
  expect(await extraOf('order_completed', 'c')).toEqual({ value: 'y' })
})

test('a table of another type of key than texts takes no events, and they are held', async () => {
  await query(`create table {order_completed} (id UInt64, received_at DateTime64(6, 'UTC'), anonymous_id Nullable(String), extra_properties Nullable(String))
    engine = MergeTree order by id`)
  const work = clickhouse.deliver([order('m1', {}), order('m2', {})], context)
  await expect(work).rejects.toBeInstanceOf(ConfigurationError)
  await expect(work).rejects.toThrow('order_completed')
  await query('drop table {order_completed}')
  await stage(order('m1', {}), order('m2', {}))
  await load()
  expect(await ids('order_completed')).toEqual(['m1', 'm2'])
})

test('a stage that was dropped by hand comes again, and events staged afterwards are loaded', async () => {
  await stage(order('a', {}))
  await load()
  await query('drop table {tributary_stage}')
  expect(await load()).toMatchObject({ batches: 0, rows: {} })
  await query('drop table {tributary_stage}')
  // The thread that stages finds out by the failure, which holds or repeats its events.
  await clickhouse.deliver([order('b', {})], context).catch(() => undefined)
  await stage(order('b', {}), order('c', {}))
  await load()
  expect(await ids('order_completed')).toEqual(['a', 'b', 'c'])
})

test('two destinations with one database store each event once, whichever of them loads', async () => {
  const other = newContext()
  const events = Array.from({ length: 20 }, (_, at) =>
    writtenEvent({ messageId: `m${at}`, event: `Event ${at % 3}`, userId: 'ada', properties: { at } }),
  )
  const traits = (plan: string, messageId: string) =>
    writtenEvent({ messageId, type: 'identify', event: '', userId: 'ada', traits: { plan } })
  await Promise.all([
    clickhouse.deliver(events, context),
    clickhouse.deliver([...events.slice(5), traits('free', 'i1')], other),
  ])
  await Promise.allSettled([warehouse.load(context), warehouse.load(other), clickhouse.deliver(events, other)])
  await clickhouse.deliver([traits('pro', 'i2')], other)
  await warehouse.load(context)
  await warehouse.load(other)
  expect(await ids('tracks')).toEqual(events.map(({ messageId }) => messageId).toSorted())
  expect(await query('select plan from {users}')).toEqual([{ plan: 'pro' }])
  expect(await staged()).toBe(0)
})
