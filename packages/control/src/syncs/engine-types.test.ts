import { readTime } from '@tributary/kernel'
import { hasMariaDb, startMariaDb } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { startSyncEngine } from '../testing/sync-engine.ts'
import { openTypedSync } from '../testing/typed-sync.ts'

const mariaDb = hasMariaDb ? await startMariaDb() : undefined
const engine = await startSyncEngine(inject('postgresUrl'), mariaDb)
const { peer } = engine
afterEach(engine.calm)
afterAll(async () => {
  await engine[Symbol.asyncDispose]()
  await mariaDb?.[Symbol.asyncDispose]()
})
beforeAll(() => peer.query(`create schema synced authorization ${peer.access.user}`))

/** Makes a table of the company with columns of some types, which a sync may read. */
const makeSource = async (table: string, columns: string, ...rows: readonly string[]): Promise<void> => {
  await peer.query(`create table shop.${table} (${columns})`)
  await peer.query(`grant select on shop.${table} to ${peer.access.user}`)
  for (const row of rows) await peer.query(`insert into shop.${table} values (${row})`)
}
const typesOf = async (table: string): Promise<Record<string, string>> => {
  const found = await peer.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
      where table_schema = 'synced' and table_name = '${table}'`,
  )
  return Object.fromEntries(found.map(({ name, type }) => [name, type]))
}

const times = 'k int, v timestamptz, w timestamp, d date'
const beyond = [
  `1, 'infinity', '-infinity', 'infinity'`,
  `2, '0044-03-15 10:00:00.5+00 BC', '0044-03-15 10:00:00 BC', '0044-03-15 BC'`,
  `3, '12026-01-02 03:04:05+00', '12026-01-02 03:04:05', '12026-01-02'`,
  `4, '2026-01-02 03:04:05.678+00', '2026-01-02 03:04:05', '2026-01-02'`,
]

test('times outside RFC 3339 are copied unchanged between two PostgreSQL databases', async () => {
  await makeSource('beyond', times, ...beyond)
  await peer.query(
    `create table synced.beyond (${times}, primary key (k)); alter table synced.beyond owner to ${peer.access.user}`,
  )
  const fields = ['k', 'v', 'w', 'd']
  const sync = await openTypedSync(engine, { query: 'select * from shop.beyond', table: 'beyond', fields })
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 4 } })
  const read = (schema: string) => peer.query(`select k, v::text, w::text, d::text from ${schema}.beyond order by k`)
  expect(await read('synced')).toEqual(await read('shop'))
})

test('a table that a sync creates has integer and time columns, even if the first values are null', async () => {
  await makeSource(
    'made',
    'k bigint, v int, n smallint, m numeric, t timestamptz',
    `9007199254740993, 1, null, 2, 'infinity'`,
  )
  const fields = ['k', 'v', 'n', 'm', 't']
  const sync = await openTypedSync(engine, { query: 'select * from shop.made', table: 'made', fields })
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 1 } })
  expect(await typesOf('made')).toMatchObject({
    k: 'bigint',
    v: 'bigint',
    n: 'bigint',
    m: 'numeric',
    t: 'timestamp with time zone',
  })
  expect(await peer.query('select k::text, v::text, t::text from synced.made')).toEqual([
    { k: '9007199254740993', v: '1', t: 'infinity' },
  ])
  await peer.query('truncate shop.made')
  await sync.run()
  expect(await peer.query('select k from synced.made')).toEqual([])
})

test.each([
  ['timestamptz', '2026-01-02 03:04:05+00', '2026-01-02T03:04:05Z'],
  ['numeric', '1.10', 1.1],
  ['boolean', 'true', true],
  ['date', '2026-01-02', '2026-01-02'],
])(
  "a row whose key is a %s is written and removed, and its removal has the row's original key",
  async (type, key, sent) => {
    const table = `key_${type}`
    await makeSource(table, `k ${type}, v text`, `'${key}', 'v'`)
    const sync = await openTypedSync(engine, { query: `select * from shop.${table}`, table })
    const bodies: unknown[] = []
    engine.delivery.state.refuse = (_key, json) => {
      bodies.push(JSON.parse(json).k)
      return false
    }
    expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 1 } })
    expect(await peer.query(`select v from synced.${table} where k = '${key}'`)).toEqual([{ v: 'v' }])
    await peer.query(`truncate shop.${table}`)
    expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { removed: 1, removals_rejected: 0 } })
    expect(await peer.query(`select v from synced.${table}`)).toEqual([])
    expect(bodies).toEqual([sent, sent])
  },
)

test('lists of PostgreSQL are written to a table with a list column, and to one with JSON', async () => {
  await makeSource(
    'lists',
    'k int, v int[], w text[][], x timestamptz[]',
    `1, '{1,2,NULL}', '{{a,"b c"},{"d,e",NULL}}', '{2026-01-02 03:04:05+00}'`,
  )
  await peer.query(
    `create table synced.lists (k int primary key, v int[], w text[]); alter table synced.lists owner to ${peer.access.user}`,
  )
  const fields = ['k', 'v', 'w', 'x']
  const sync = await openTypedSync(engine, { query: 'select * from shop.lists', table: 'lists', fields })
  expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 1 } })
  expect(await peer.query('select v, w, x from synced.lists')).toEqual([
    {
      v: [1, 2, null],
      w: [
        ['a', 'b c'],
        ['d,e', null],
      ],
      x: ['2026-01-02T03:04:05Z'],
    },
  ])
})

test.skipIf(!hasMariaDb)(
  'invalid days of MariaDB are sent as texts that no reader treats as days, and are written back unchanged',
  async () => {
    await mariaDb?.query(`set sql_mode = ''`)
    const days = ['0000-00-00', '2026-00-10', '2026-11-00']
    const columns = ['d0', 'd1', 'd2', 't0', 't1', 't2', 's']
    await mariaDb?.query(
      'create table zeros (k int primary key, d0 date, d1 date, d2 date, t0 datetime, t1 datetime(3), t2 datetime, s timestamp null)',
    )
    await mariaDb?.query(
      `insert into zeros values (1, ${days.map((day) => `'${day}'`).join()}, ${days.map((day) => `'${day} 00:00:00'`).join()}, '0000-00-00')`,
    )
    const given = {
      query: 'select * from zeros',
      table: 'zeros',
      fields: ['k', ...columns],
      dataSource: engine.mariaDb?.dataSource ?? '',
    }
    const sync = await openTypedSync(engine, given)
    expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 1 } })
    expect(await sync.run(), 'compared, they are as they were').toMatchObject({ counts: { unchanged: 1 } })
    const [sent] = (await peer.query(`select ${columns.join()} from synced.zeros`)) as Record<string, string>[]
    expect(sent).toEqual({
      d0: '0000-00-00',
      d1: '2026-00-10',
      d2: '2026-11-00',
      t0: '0000-00-00 00:00:00',
      t1: '2026-00-10 00:00:00.000',
      t2: '2026-11-00 00:00:00',
      s: '0000-00-00 00:00:00',
    })
    for (const text of Object.values(sent ?? {}))
      expect([readTime(text), Date.parse(text)]).toEqual([undefined, Number.NaN])
    await mariaDb?.query('create table zeros_copy like zeros')
    const back = await openTypedSync(engine, { ...given, table: 'zeros_copy', target: engine.mariaDb?.target ?? '' })
    expect(await back.run()).toMatchObject({ state: 'succeeded', counts: { added: 1 } })
    const same = columns.map((name) => `cast(o.${name} as char) = cast(c.${name} as char)`).join(' and ')
    expect(await mariaDb?.query(`select o.k from zeros o join zeros_copy c on ${same}`)).toEqual([{ k: 1 }])
    // Columns of days elsewhere take none: the row is rejected, and says so.
    await peer.query(
      `create table synced.days (k int primary key, d2 date); alter table synced.days owner to ${peer.access.user}`,
    )
    const typed = await openTypedSync(engine, { ...given, table: 'days', fields: ['k', 'd2'] })
    expect(await typed.run()).toMatchObject({ counts: { added: 0, rejected: 1 } })
  },
)

test.skipIf(!hasMariaDb)(
  'bits and zero dates of MariaDB are read as a number and not as a time, and are written back unchanged',
  async () => {
    await mariaDb?.query(`set sql_mode = ''`)
    await mariaDb?.query(
      'create table odd (k int, v bit(8), b bit(1), z datetime, p date, n bigint unsigned, primary key (k))',
    )
    await mariaDb?.query(`insert into odd values (1, 5, 1, '0000-00-00', '2026-00-00', 18446744073709551615)`)
    const fields = ['k', 'v', 'b', 'z', 'p', 'n']
    const query = 'select * from odd'
    const dataSource = engine.mariaDb?.dataSource ?? ''
    const sync = await openTypedSync(engine, { query, table: 'odd', fields, dataSource })
    expect(await sync.run()).toMatchObject({ state: 'succeeded', counts: { added: 1 } })
    expect(await peer.query('select k::text, v::text, b::text, z, p, n::text from synced.odd')).toEqual([
      { k: '1', v: '5', b: '1', z: '0000-00-00 00:00:00', p: '2026-00-00', n: '18446744073709551615' },
    ])
    expect(await typesOf('odd')).toMatchObject({ k: 'bigint', v: 'bigint', b: 'bigint', n: 'numeric' })
    await mariaDb?.query('create table odd_copy like odd')
    const back = await openTypedSync(engine, {
      query,
      table: 'odd_copy',
      fields,
      dataSource,
      target: engine.mariaDb?.target ?? '',
    })
    expect(await back.run()).toMatchObject({ state: 'succeeded', counts: { added: 1 } })
    const copied = await mariaDb?.query(
      'select o.k from odd o join odd_copy c on o.v = c.v and o.b = c.b and o.z = c.z and o.n = c.n',
    )
    expect(copied).toEqual([{ k: 1 }])
  },
)
