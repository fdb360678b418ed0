import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
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
import { postgresql } from './definition.ts'

let peer: PostgresPeer
beforeAll(async () => {
  peer = await createPostgresPeer(inject('postgresUrl'))
  // The account has the privilege to write; only the session prevents writes.
  await peer.query(`create schema shop authorization ${peer.access.user}`)
  await peer.query(`create table shop.customers (
    id bigint primary key, email text, spent numeric(24, 10), born date, seen timestamptz, tags text[], raw bytea, extra jsonb)`)
  await peer.query(`insert into shop.customers values
    (9007199254740993, 'ada@example.com', 12345678901.0123456789, '1815-12-10', '2026-01-02 03:04:05.678+02',
     '{a,"b c"}', '\\xc0ffee', '{"b": 1.10, "a": null}'), (2, null, null, null, null, null, null, null)`)
  await peer.query('create view shop.emails as select id, email from shop.customers')
  await peer.query('create table shop.hidden (id int)')
  await peer.query(
    'create table shop.changes (id bigint, spent numeric, born date, seen timestamptz, made timestamp without time zone)',
  )
  await peer.query(`insert into shop.changes values
    (1, 10.99, '2026-01-02', '2026-01-02 03:04:05.677+00', '2026-01-02 03:04:05.999'),
    (2, 11, '2026-01-03', '2026-01-02 05:04:05.678+02', '2026-01-02 03:04:06'),
    (3, 'NaN', 'infinity', 'infinity', 'infinity'), (null, null, null, null, null)`)
  await peer.query('update shop.changes set id = 4 where id is null')
  await peer.query('create sequence shop.numbers')
  await peer.query(`grant all on shop.customers, shop.emails, shop.changes, shop.numbers to ${peer.access.user}`)
})
afterAll(async () => {
  await peer?.[Symbol.asyncDispose]()
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type Options = { statementMs?: number; allow?: string[]; signal?: AbortSignal; given?: Record<string, unknown> }

const open = async (options: Options = {}): Promise<DataSourceSession> => {
  const { statementMs = 10_000, allow = ['127.0.0.0/8'], signal = new AbortController().signal, given } = options
  const checked = validateSettings(postgresql, { ...peer.access, tls: 'off', ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger })
  closing.push(() => client.close())
  const session = await postgresql.open({ settings: checked.settings, connect: client.connect, signal, statementMs })
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

describe('connecting to PostgreSQL', () => {
  test('the connection test names the server and the user', async () => {
    const session = await open()
    expect(await session.about()).toMatch(new RegExp(`^Connected to PostgreSQL \\d+\\.\\d+ as ${peer.access.user}\\.$`))
  })

  test.each([
    ['a wrong password', { password: 'wrong' }, ConfigurationError, /^Wrong user or password: /],
    ['a database that is not there', { database: 'nowhere' }, ConfigurationError, /^The database does not exist: /],
    ['a port that nobody listens on', { port: 1 }, RetryableError, /^Connection refused/],
    ['no TLS where it is asked for', { tls: 'verify' }, ConfigurationError, /^The server does not offer TLS$/],
  ])('connecting with %s results in a readable message', async (_, given, type, words) => {
    const error = await failure(open({ given }))
    expect(error).toBeInstanceOf(type)
    expect((error as Error).message).toMatch(words)
  })

  test('a private address is refused unless the operator allows it', async () => {
    expect(await failure(open({ allow: [] }))).toBeInstanceOf(EgressRefusedError)
  })

  test('a certificate of an unknown authority is refused, and a certificate of the given authority is accepted', async () => {
    await using secure = await createPostgresPeer(inject('postgresUrl'), { tls: selfSigned })
    const error = await failure(open({ given: { ...secure.access, tls: 'verify' } }))
    expect((error as Error).message).toMatch(/certificate/)
  })

  test('a closed session leaves no connection', async () => {
    const session = await open()
    await session.about()
    await session[Symbol.asyncDispose]()
    await expect.poll(() => peer.connections()).toBe(0)
  })

  test('the connection ends if the caller disconnects, also during a query', async () => {
    const abort = new AbortController()
    const session = await open({ signal: abort.signal })
    const asked = failure(rowsOf(session, { sql: 'select pg_sleep(30)' }))
    await expect
      .poll(() => peer.query(`select 1 from pg_stat_activity where query like 'fetch forward%'`))
      .toHaveLength(1)
    abort.abort()
    expect(await asked).toBeInstanceOf(RetryableError)
    await expect.poll(() => peer.connections()).toBe(0)
  })
})

describe('a data source in PostgreSQL is never written', () => {
  const writes: [string, string][] = [
    ['an insert', 'insert into shop.customers (id) values (5) returning id'],
    ['a delete in a WITH', 'with gone as (delete from shop.customers returning id) select * from gone'],
    ['a second statement', 'select 1; delete from shop.customers'],
    ['the end of the transaction and a second statement', 'select 1; commit; delete from shop.customers'],
    ['a table that is made of a query', 'select 1 as id into shop.made'],
    ['a sequence that moves on', `select nextval('shop.numbers')`],
    ['a function that writes', 'select pg_temp.write()'],
    ['a transaction that is made to write', `select set_config('transaction_read_only', 'off', false), shop.write()`],
    ['a lock of rows', 'select id from shop.customers for update'],
  ]

  test.each(writes)('a query with %s is refused', async (_, sql) => {
    await peer.query(`create or replace function shop.write() returns int language sql as
      'insert into shop.customers (id) values (6) returning 1'`)
    const session = await open()
    const text = sql.replace('pg_temp.write', 'shop.write')
    expect(await failure(rowsOf(session, { sql: text }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.checkKey({ sql: text }, ['id']))).toBeInstanceOf(DataQueryError)
    expect(await peer.query('select count(*)::int as count from shop.customers')).toEqual([{ count: 2 }])
    expect(await peer.query(`select is_called from shop.numbers`)).toEqual([{ is_called: false }])
    expect(await peer.query(`select 1 from pg_tables where tablename = 'made'`)).toEqual([])
    // The session is still read-only.
    expect(await rowsOf(session, { sql: 'show transaction_read_only' }).catch(() => [])).toEqual([])
    expect(await rowsOf(session, { sql: `select current_setting('transaction_read_only')` })).toEqual([['on']])
  })

  test('the session can only read, even outside of a transaction', async () => {
    const session = await open()
    expect(await rowsOf(session, { sql: `select current_setting('default_transaction_read_only')` })).toEqual([['on']])
  })

  test('a query that writes gets a message that queries can only read', async () => {
    const session = await open()
    const error = await failure(rowsOf(session, { sql: 'select shop.write()' }))
    expect((error as Error).message).toMatch(/^Queries can only read: /)
  })
})

describe('the listed tables of PostgreSQL', () => {
  test('only tables and views that the account can read are listed, by schema and name', async () => {
    const session = await open()
    const tables = await session.listTables({ search: '', offset: 0, limit: 100 })
    expect(tables.map(({ schema, name, kind }) => `${schema}.${name} ${kind}`)).toEqual([
      'shop.changes table',
      'shop.customers table',
      'shop.emails view',
    ])
    expect(await session.listTables({ search: 'OP.EM', offset: 0, limit: 100 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: '', offset: 2, limit: 1 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: '%', offset: 0, limit: 9 })).toEqual([])
  })

  test('columns of a table are listed in order with types, nullability, and primary key', async () => {
    const session = await open()
    const columns = await session.listColumns({ schema: 'shop', table: 'customers' }, 2000)
    expect(columns.slice(0, 3)).toEqual([
      { name: 'id', type: 'bigint', nullable: false, in_key: true },
      { name: 'email', type: 'text', nullable: true, in_key: false },
      { name: 'spent', type: 'numeric(24,10)', nullable: true, in_key: false },
    ])
    expect(await session.listColumns({ schema: 'shop', table: 'customers' }, 1)).toHaveLength(1)
    expect(await session.listColumns({ schema: 'shop', table: 'hidden' }, 9)).toEqual([])
    expect(await session.listColumns({ schema: 'shop', table: `x'; drop table shop.customers --` }, 9)).toEqual([])
  })
})

describe('a query on PostgreSQL', () => {
  test.each([
    ['number', 'id', '2', '2,3,4'],
    ['number', 'spent', '11', '2,3,4'],
    ['date', 'born', '2026-01-03', '2,3,4'],
    ['time', 'seen', '2026-01-02 03:04:05.678', '2,3,4'],
    ['time', 'made', '2026-01-02 03:04:06.000', '2,3,4'],
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
    expect(await session.describe({ schema: 'shop', table: 'emails' })).toHaveLength(2)
  })

  test.each([
    ['select\n  id,\n  nothing\nfrom shop.customers', /^Line 3: column "nothing" does not exist \(42703\)$/],
    ['selec 1', /^Line 1: syntax error at or near "selec" \(42601\)$/],
    [`select '😀',\n  nothing`, /^Line 2: /],
    ['select * from shop.hidden', /permission denied for table hidden/],
    ['select $1::text', /requires 1/],
    ['select 1 as id, 2 as id', /^The column id comes up twice/],
    ['', /syntax error/],
  ])("the query %j is refused with the database's message", async (sql, words) => {
    const session = await open()
    const error = await failure(session.describe({ sql }))
    expect(error).toBeInstanceOf(DataQueryError)
    expect((error as Error).message).toMatch(words)
    // The session can still be used.
    expect(await session.describe({ sql: 'select 1 as one' })).toEqual([{ name: 'one', type: 'integer' }])
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
        '{a,"b c"}',
        '\\xc0ffee',
        '{"a": null, "b": 1.10}',
      ],
      ['2', null, null, null, null, null, null, null],
    ])
  })

  test('a query returns each row once, in batches that grow to a mebibyte, and at most the requested number', async () => {
    const session = await open()
    const sizes: number[] = []
    const numbers: string[] = []
    for await (const batch of session.read({ sql: 'select n from generate_series(1, 50000) n' }, 40_000)) {
      sizes.push(batch.length)
      numbers.push(...batch.map(([n]) => n ?? ''))
    }
    expect(sizes.slice(0, 2)).toEqual([20, 10_000])
    expect(numbers).toEqual(Array.from({ length: 40_000 }, (_, at) => String(at + 1)))
  })

  test('a query with millions of rows needs memory for only a few batches, and stops with its reader', async () => {
    const session = await open()
    // Collects garbage first, because other tests of the process also leave garbage.
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const inMemory = (): number => {
      collect()
      return process.memoryUsage().heapUsed + process.memoryUsage().external
    }
    const before = inMemory()
    let rows = 0
    let batches = 0
    let most = 0
    for await (const batch of session.read({ sql: `select repeat('x', 1000) from generate_series(1, 300000)` }, 1e9)) {
      rows += batch.length
      if (++batches % 5 === 0) most = Math.max(most, inMemory())
      if (rows > 100_000) break
    }
    expect(most - before).toBeLessThan(64 * 1024 * 1024)
    expect(await session.describe({ sql: 'select 1 as one' })).toHaveLength(1)
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
    await expect
      .poll(() => peer.query(`select 1 from pg_stat_activity where query like 'fetch forward%'`))
      .toHaveLength(1)
    peer.cut()
    expect(await asked).toBeInstanceOf(RetryableError)
  })
})

describe('the check of a key', () => {
  const values = (rows: string): DataQuery => ({ sql: `select * from (values ${rows}) as t (a, b) -- all of them` })

  test.each([
    ['(1, 1), (1, 2), (2, 1)', ['a', 'b'], { rows: 3, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }],
    ['(1, 1), (1, 2), (2, 1)', ['a'], { rows: 3, null_rows: 0, duplicate_keys: 1, duplicate_rows: 2 }],
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
    const query = { sql: 'select 1 as id where false;' }
    expect(await session.checkKey(query, ['id'])).toEqual({
      rows: 0,
      null_rows: 0,
      duplicate_keys: 0,
      duplicate_rows: 0,
    })
  })

  test('the key check refuses a column that is missing or cannot be compared', async () => {
    const session = await open()
    expect(await failure(session.checkKey({ sql: 'select 1 as id' }, ['no"ne']))).toBeInstanceOf(DataQueryError)
    const uncomparable = { sql: `select '{}'::json as id` }
    expect(await failure(session.checkKey(uncomparable, ['id']))).toBeInstanceOf(DataQueryError)
  })
})
