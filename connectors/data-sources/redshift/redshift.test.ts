import {
  ConfigurationError,
  createEgressPolicy,
  createRequestClient,
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceSession,
  EgressRefusedError,
  RetryableError,
  type RowsFrom,
  validateSettings,
} from '@tributary/connector-kit'
import { selfSigned } from '@tributary/connector-kit/testing'
import { silentLogger } from '@tributary/kernel'
import { createPostgresPeer, type PostgresPeer } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { type RedshiftProxy, redshiftCatalogs, startRedshiftProxy } from '../../wire/redshift/testing-redshift.ts'
import { redshift } from './definition.ts'

let peer: PostgresPeer
let proxy: RedshiftProxy
beforeAll(async () => {
  peer = await createPostgresPeer(inject('postgresUrl'))
  proxy = await startRedshiftProxy(peer.access.port)
  await peer.query(redshiftCatalogs)
  // The account has the privilege to write; only the transaction prevents writes.
  await peer.query(`create schema shop authorization ${peer.access.user}`)
  await peer.query(`create table shop.customers (
    id bigint primary key, email varchar(256), spent numeric(24, 10), born date, seen timestamptz, big double precision)`)
  await peer.query(`insert into shop.customers values
    (9007199254740993, 'ada@example.com', 12345678901.0123456789, '1815-12-10', '2026-01-02 03:04:05.678+02', 0.1),
    (2, null, null, null, null, 1e300)`)
  await peer.query('create view shop.emails as select id, email from shop.customers')
  await peer.query('create table shop."Mixed Case" ("Id" int, "Größe" int)')
  await peer.query('create table shop.hidden (id int)')
  await peer.query('create table shop.changes (id bigint, spent numeric, born date, seen timestamptz, made timestamp)')
  await peer.query(`insert into shop.changes values
    (1, 10.99, '2026-01-02', '2026-01-02 03:04:05.677+00', '2026-01-02 03:04:05.999'),
    (2, 11, '2026-01-03', '2026-01-02 05:04:05.678+02', '2026-01-02 03:04:06'), (4, null, null, null, null)`)
  await peer.query(`insert into public.more_tables values ('lake', 'clicks', 'EXTERNAL TABLE')`)
  await peer.query(`insert into public.more_columns values
    ('lake', 'clicks', 'at', 1, 'timestamp', null, null, null, null),
    ('lake', 'clicks', 'who', 2, 'struct<given:varchar(20)>', null, null, null, null)`)
  await peer.query(`grant all on shop.customers, shop.emails, shop.changes, shop."Mixed Case" to ${peer.access.user}`)
})
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await peer?.[Symbol.asyncDispose]()
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type Options = { statementMs?: number; allow?: string[]; signal?: AbortSignal; given?: Record<string, unknown> }

const open = async (options: Options = {}): Promise<DataSourceSession> => {
  const { statementMs = 10_000, allow = ['127.0.0.0/8'], signal = new AbortController().signal, given } = options
  const checked = validateSettings(redshift, { ...peer.access, port: proxy.port, tls: 'off', ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger })
  closing.push(() => client.close())
  const session = await redshift.open({ settings: checked.settings, connect: client.connect, signal, statementMs })
  closing.push(async () => await session[Symbol.asyncDispose]())
  return session
}

const failure = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

const rowsOf = async (
  session: DataSourceSession,
  query: DataQuery,
  limit = 100,
  from?: RowsFrom,
): Promise<DataRow[]> => {
  const rows: DataRow[] = []
  for await (const batch of session.read(query, limit, from)) rows.push(...batch)
  return rows
}

describe('connecting to Redshift', () => {
  test('the connection test names the version and the user', async () => {
    const session = await open()
    expect(await session.about()).toBe(`Connected to Amazon Redshift 1.0.51986 as ${peer.access.user}.`)
  })

  test.each([
    ['a wrong password', { password: 'wrong' }, ConfigurationError, /^Wrong user or password: /],
    ['a database that is not there', { database: 'nowhere' }, ConfigurationError, /^The database does not exist: /],
    ['a paused cluster, which does not listen', { port: 1 }, RetryableError, /^Connection refused/],
    ['no TLS where it is asked for', { tls: 'verify' }, ConfigurationError, /^The server does not offer TLS$/],
  ])('connecting with %s results in a readable message', async (_, given, type, words) => {
    const port = 'tls' in given ? { port: peer.access.port } : {}
    const error = await failure(open({ given: { ...port, ...given } }))
    expect(error).toBeInstanceOf(type)
    expect((error as Error).message).toMatch(words)
    expect((error as Error).message).not.toContain(peer.access.password)
  })

  test('names of 127 bytes are accepted, and longer ones or quotation marks are not', () => {
    const check = (database: string): unknown => validateSettings(redshift, { ...peer.access, tls: 'off', database }).ok
    expect([check('d'.repeat(127)), check('d'.repeat(128)), check('ö'.repeat(64)), check('a"b')]).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  test('a private address is refused unless the operator allows it', async () => {
    expect(await failure(open({ allow: [] }))).toBeInstanceOf(EgressRefusedError)
  })

  test('a certificate of an unknown authority is refused', async () => {
    await using secure = await createPostgresPeer(inject('postgresUrl'), { tls: selfSigned })
    const error = await failure(open({ given: { ...secure.access, tls: 'verify' } }))
    expect((error as Error).message).toMatch(/certificate/)
  })

  test('a closed session leaves no connection', async () => {
    const session = await open()
    await session.about()
    await session[Symbol.asyncDispose]()
    await expect.poll(() => proxy.connections()).toBe(0)
  })

  test('the query is canceled in Redshift if the caller disconnects', async () => {
    const abort = new AbortController()
    const session = await open({ signal: abort.signal, statementMs: 300_000 })
    const asked = failure(rowsOf(session, { sql: 'select pg_sleep(300)' }))
    const running = (): Promise<unknown[]> =>
      peer.query(
        `select 1 from pg_stat_activity where query like 'fetch forward%' and state = 'active' and usename = '${peer.access.user}'`,
      )
    await expect.poll(running).toHaveLength(1)
    const before = proxy.cancels()
    abort.abort()
    expect(await asked).toBeInstanceOf(RetryableError)
    await expect.poll(running).toHaveLength(0)
    expect(proxy.cancels()).toBe(before + 1)
    await session[Symbol.asyncDispose]()
    await expect.poll(() => proxy.connections()).toBe(0)
  })

  test('nothing is canceled if the caller disconnects between queries', async () => {
    const abort = new AbortController()
    const session = await open({ signal: abort.signal })
    await session.about()
    const before = proxy.cancels()
    abort.abort()
    await session[Symbol.asyncDispose]()
    await expect.poll(() => proxy.connections()).toBe(0)
    expect(proxy.cancels()).toBe(before)
  })
})

describe('a data source in Redshift is never written', () => {
  const writes: [string, string][] = [
    ['an insert', 'insert into shop.customers (id) values (5)'],
    ['a delete', 'delete from shop.customers'],
    ['a copy', `copy shop.customers from 's3://bucket/key' iam_role default`],
    ['an unload', `unload ('select 1') to 's3://bucket/key' iam_role default`],
    ['a call of a procedure', 'call shop.procedure()'],
    ['a new parameter', 'set statement_timeout to 0'],
    ['a second statement', 'select 1; delete from shop.customers'],
    ['the end of the transaction and a second statement', 'select 1; commit; delete from shop.customers'],
    [
      'the end of the subquery and a second statement',
      'select 1) as a; delete from shop.customers; select * from (select 1',
    ],
    ['a table that is made of a query', 'select 1 as id into shop.made'],
    ['a function that writes', 'select shop.write()'],
    [
      'a transaction that is made to write',
      `select pg_catalog.set_config('transaction_read_only', 'off', false), shop.write()`,
    ],
  ]

  test.each(writes)('a query with %s is refused', async (_, sql) => {
    await peer.query(`create or replace function shop.write() returns int language sql as
      'insert into shop.customers (id) values (6) returning 1'`)
    const session = await open()
    expect(await failure(rowsOf(session, { sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.checkKey({ sql }, ['id']))).toBeInstanceOf(DataQueryError)
    if (!sql.includes('shop.write()')) expect(await failure(session.describe({ sql }))).toBeInstanceOf(DataQueryError)
    expect(await peer.query('select count(*)::int as count from shop.customers')).toEqual([{ count: 2 }])
    expect(await peer.query(`select 1 from pg_tables where tablename = 'made'`)).toEqual([])
    // The session can still be used, and is still read-only.
    expect(await rowsOf(session, { sql: `select current_setting('transaction_read_only')` })).toEqual([['on']])
  })

  test('each query runs in a read-only transaction that ends', async () => {
    const session = await open()
    proxy.statements.splice(0)
    await rowsOf(session, { sql: 'select 1 as one' })
    expect(proxy.statements).toEqual([
      'begin read only',
      'declare rows_of_model cursor for select * from (\nselect 1 as one\n) as model_rows limit 100',
      'fetch forward 20 from rows_of_model',
      'rollback',
    ])
  })

  test('a table is read with nested values as JSON', async () => {
    const session = await open()
    proxy.statements.splice(0)
    await rowsOf(session, { schema: 'shop', table: 'emails' })
    expect(proxy.statements[1]).toBe('set json_serialization_enable to true')
  })
})

describe('the listed tables of Redshift', () => {
  test('tables, views, and external tables are listed by schema and name, without those of the system', async () => {
    const session = await open()
    const tables = await session.listTables({ search: '', offset: 0, limit: 100 })
    expect(tables.map(({ schema, name, kind, rows }) => `${schema}.${name} ${kind} ${rows}`)).toEqual([
      'lake.clicks table null',
      'shop.Mixed Case table null',
      'shop.changes table null',
      'shop.customers table null',
      'shop.emails view null',
    ])
    expect(await session.listTables({ search: 'OP.EM', offset: 0, limit: 100 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: '', offset: 4, limit: 1 })).toMatchObject([{ name: 'emails' }])
  })

  test('columns of a table are listed in order with types, nullability, and primary key', async () => {
    const session = await open()
    const columns = await session.listColumns({ schema: 'shop', table: 'customers' }, 2000)
    expect(columns.slice(0, 3)).toEqual([
      { name: 'id', type: 'bigint', nullable: false, in_key: true },
      { name: 'email', type: 'character varying(256)', nullable: true, in_key: false },
      { name: 'spent', type: 'numeric(24,10)', nullable: true, in_key: false },
    ])
    expect(await session.listColumns({ schema: 'shop', table: 'customers' }, 1)).toHaveLength(1)
    expect(await session.listColumns({ schema: 'shop', table: 'hidden' }, 9)).toEqual([])
    expect(await session.listColumns({ schema: 'shop', table: `x'; drop table shop.customers --` }, 9)).toEqual([])
    expect(await session.listColumns({ schema: 'lake', table: 'clicks' }, 9)).toEqual([
      { name: 'at', type: 'timestamp', nullable: true, in_key: false },
      { name: 'who', type: 'struct<given:varchar(20)>', nullable: true, in_key: false },
    ])
  })
})

describe('a query on Redshift', () => {
  test.each([
    ['number', 'id', '2', '2,4'],
    ['number', 'spent', '11', '2,4'],
    ['date', 'born', '2026-01-03', '2,4'],
    ['time', 'seen', '2026-01-02 03:04:05.678', '2,4'],
    ['time', 'made', '2026-01-02 03:04:06.000', '2,4'],
  ] as const)(
    'a query with a cursor reads from a %s %s of %s on, including nulls',
    async (kind, column, value, ids) => {
      const session = await open()
      for (const query of [{ schema: 'shop', table: 'changes' }, { sql: 'select * from shop.changes -- all;' }]) {
        const rows = await rowsOf(session, query, 100, { column, kind, value })
        expect(
          rows
            .map(([id]) => id)
            .toSorted()
            .join(','),
        ).toBe(ids)
      }
    },
  )

  test('a query is described without running', async () => {
    const session = await open({ statementMs: 3000 })
    expect(
      await session.describe({ sql: 'select id, spent as "Größe", pg_sleep(60) as nap from shop.customers; ' }),
    ).toEqual([
      { name: 'id', type: 'bigint' },
      { name: 'Größe', type: 'numeric(24,10)' },
      { name: 'nap', type: 'void' },
    ])
    expect(await session.describe({ schema: 'shop', table: 'Mixed Case' })).toEqual([
      { name: 'Id', type: 'integer' },
      { name: 'Größe', type: 'integer' },
    ])
  })

  test.each([
    ['select\n  id,\n  nothing\nfrom shop.customers', /^Line 3: column "nothing" does not exist \(42703\)$/],
    ['selec 1', /^Line 1: syntax error at or near "1" \(42601\)$/],
    [`select '😀',\n  nothing`, /^Line 2: /],
    ['select * from shop.hidden', /permission denied for table hidden/],
    ['select $1::text as a', /requires 1/],
    ['select 1 as id, 2 as id', /^The column id comes up twice/],
    ['', /syntax error/],
    ['select 1 as a /*', /unterminated/],
    ['show timezone', /syntax error/],
    ['explain select 1', /syntax error/],
  ])("the query %j is refused with the database's message", async (sql, words) => {
    const session = await open()
    const error = await failure(session.describe({ sql }))
    expect(error).toBeInstanceOf(DataQueryError)
    expect((error as Error).message).toMatch(words)
    // The session can still be used.
    expect(await session.describe({ sql: 'select 1 as one' })).toEqual([{ name: 'one', type: 'integer' }])
  })

  test('the line of an error is also found when a query is read', async () => {
    const session = await open()
    const error = await failure(rowsOf(session, { sql: '\n\nselect 1 as a,\n nothing' }))
    expect((error as Error).message).toMatch(/^Line 2: /)
  })

  test('an endless query is stopped by the database', async () => {
    const session = await open({ statementMs: 300 })
    const error = await failure(rowsOf(session, { sql: 'select pg_sleep(60)' }))
    expect(error).toEqual(new DataQueryError('The query did not finish within 0.3 seconds'))
  })

  test("a query returns values in the database's notation, with every digit", async () => {
    await peer.query(`alter role ${peer.access.user} set datestyle = 'German'`)
    const session = await open()
    expect(await rowsOf(session, { schema: 'shop', table: 'customers' })).toEqual([
      [
        '9007199254740993',
        'ada@example.com',
        '12345678901.0123456789',
        '1815-12-10',
        '2026-01-02 01:04:05.678+00',
        '0.1',
      ],
      ['2', null, null, null, null, '1e+300'],
    ])
  })

  test('a query returns each row once, in batches of at most 1,000, and at most the requested number', async () => {
    const session = await open()
    const sizes: number[] = []
    const numbers: string[] = []
    for await (const batch of session.read({ sql: 'select n from generate_series(1, 5000) n' }, 4000)) {
      sizes.push(batch.length)
      numbers.push(...batch.map(([n]) => n ?? ''))
    }
    expect(sizes).toEqual([20, 1000, 1000, 1000, 980])
    expect(numbers).toEqual(Array.from({ length: 4000 }, (_, at) => String(at + 1)))
  })

  test('a query ends when its reader stops, and the session can be used again', async () => {
    const session = await open()
    for await (const batch of session.read({ sql: 'select n from generate_series(1, 5000) n' }, 4000)) {
      expect(batch).toHaveLength(20)
      break
    }
    expect(await rowsOf(session, { sql: 'select 1 as one' })).toEqual([['1']])
  })

  test('a query with rows too large for one response fails with a clear message', async () => {
    const session = await open()
    const error = await failure(rowsOf(session, { sql: `select repeat('x', 9000000)` }))
    expect(error).toBeInstanceOf(DataQueryError)
    expect((error as Error).message).toMatch(/^The rows are too large: /)
  })

  test('a query fails with a connection error if the connection ends', async () => {
    const session = await open()
    const asked = failure(rowsOf(session, { sql: 'select pg_sleep(30)' }))
    await expect.poll(() => proxy.statements.at(-1)).toMatch(/^fetch forward/)
    proxy.cut()
    expect(await asked).toBeInstanceOf(RetryableError)
  })
})

describe('the check of a key', () => {
  const values = (rows: string): DataQuery => ({ sql: `select * from (values ${rows}) as t (a, b) -- all of them` })

  test.each([
    ['(1, 1), (1, 2), (2, 1)', ['a', 'b'], { rows: 3, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }],
    ['(1, null), (1, null), (2, 1)', ['a', 'b'], { rows: 3, null_rows: 2, duplicate_keys: 0, duplicate_rows: 0 }],
    [
      '(1, 1), (null, 1), (1, 1), (1, 1), (3, 3), (3, 3)',
      ['a'],
      { rows: 6, null_rows: 1, duplicate_keys: 2, duplicate_rows: 5 },
    ],
  ])('the key check of %s by %j returns the expected counts', async (rows, key, counts) => {
    const session = await open()
    expect(await session.checkKey(values(rows), key)).toEqual(counts)
  })

  test('the key check of no rows finds no problem', async () => {
    const session = await open()
    expect(await session.checkKey({ sql: 'select 1 as id where false;' }, ['id'])).toEqual({
      rows: 0,
      null_rows: 0,
      duplicate_keys: 0,
      duplicate_rows: 0,
    })
  })

  test('the key check refuses a column that is missing', async () => {
    const session = await open()
    expect(await failure(session.checkKey({ sql: 'select 1 as id' }, ['no"ne']))).toBeInstanceOf(DataQueryError)
  })
})
