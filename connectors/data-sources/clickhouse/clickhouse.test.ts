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
import { silentLogger } from '@tributary/kernel'
import { type ClickHousePeer, startClickHouse } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { clickhouse } from './definition.ts'

// ClickHouse's own engine responds, so its refusals are real. The HTTP interface in front of the engine belongs to the
// test peer. These tests therefore do not cover users and grants, TLS of a real server, or its way to interrupt a
// response.
let peer: ClickHousePeer
beforeAll(async () => {
  peer = await startClickHouse()
  await peer.query(`create table company.customers (
    id UInt64, email Nullable(String), spent Decimal(24, 10), born Date32, seen DateTime64(3, 'Europe/Berlin'), made DateTime,
    plan LowCardinality(Nullable(String)), tags Array(UInt64), prices Map(String, Decimal(9, 2)),
    place Tuple(city String, zip Nullable(String)), extra JSON, any Dynamic, active Bool, ratio Float64,
    kind Enum8('free' = 1, 'pro' = 2), account UUID, big Int256, raw String) engine = MergeTree order by id`)
  await peer.query(`insert into company.customers values
    (18446744073709551615, 'ada@exämple.com', 12345678901.0123456789, '1815-12-10', '2026-01-02 03:04:05.678',
     '2026-01-02 03:04:05', 'pro', [18446744073709551615, 2], {'a': 1.10}, ('Köln', null), '{"b": {"c": [1, 2]}}', 5, true, 0.1, 'pro',
     '00000000-0000-0000-0000-000000000001', 123456789012345678901234567890, 'a\\tb\\nc\\\\N\\0')`)
  await peer.query(`insert into company.customers (id, raw) values (2, unhex('ff00c0'))`)
  await peer.query(`create table company.changes (id UInt64, spent Nullable(Decimal(9, 2)), born Nullable(Date),
    seen Nullable(DateTime64(3, 'Europe/Berlin')), made Nullable(DateTime)) engine = MergeTree order by id`)
  await peer.query(`insert into company.changes values
    (1, 10.99, '2026-01-02', '2026-01-02 04:04:05.677', toDateTime('2026-01-02 03:04:05', 'UTC')),
    (2, 11, '2026-01-03', '2026-01-02 04:04:05.678', toDateTime('2026-01-02 03:04:06', 'UTC')),
    (3, 99, '2026-01-04', '2026-01-02 04:04:06', toDateTime('2026-01-02 03:04:07', 'UTC')), (4, null, null, null, null)`)
  await peer.query('create view company.emails as select id, email from company.customers')
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
  const { statementMs = 20_000, allow = ['127.0.0.0/8'], signal = new AbortController().signal, given } = options
  const checked = validateSettings(clickhouse, { ...peer.access, tls: 'off', ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger })
  closing.push(() => client.close())
  const session = await clickhouse.open({ settings: checked.settings, connect: client.connect, signal, statementMs })
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

const withProfile = async <T>(settings: Record<string, string>, work: () => Promise<T>): Promise<T> => {
  await peer.setProfile(settings)
  try {
    return await work()
  } finally {
    await peer.setProfile({})
  }
}

describe('connecting to ClickHouse', () => {
  test('the connection test names the server and the user', async () => {
    expect(await (await open()).about()).toMatch(/^Connected to ClickHouse \d+\.\d+[\d.]* as \w+\.$/)
  })

  test.each([
    ['a wrong password', { password: 'wrong' }, ConfigurationError, /^Wrong user or password: /],
    ['a database that is not there', { database: 'nowhere' }, ConfigurationError, /^The database does not exist: /],
    ['a port that nobody listens on', { port: 1 }, RetryableError, /^Connection refused/],
  ])('connecting with %s results in a readable message', async (_, given, type, words) => {
    const error = await failure(open({ given }))
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(type)
  })

  test('a private address is refused unless the operator allows it', async () => {
    expect(await failure(open({ allow: [] }))).toBeInstanceOf(EgressRefusedError)
  })

  test('an account with readonly = 1 is refused, and one with readonly = 2 is accepted', async () => {
    const refused = await withProfile({ readonly: '1' }, () => failure(open()))
    expect((refused as Error).message).toMatch(/^The user's settings can't be changed \(readonly = 1\)/)
    await withProfile({ readonly: '2' }, async () => {
      const session = await open()
      expect(
        await rowsOf(session, { sql: `select getSetting('readonly') as ro, id from customers where id = 2` }),
      ).toEqual([['2', '2']])
      expect(
        await failure(rowsOf(session, { sql: `select * from url('http://127.0.0.1:1/', 'CSV', 'a String')` })),
      ).toEqual(new DataQueryError("Queries can only read tables: they can't have the function url"))
    })
  })

  test('a running query ends if its caller disconnects', async () => {
    const abort = new AbortController()
    const session = await open({ signal: abort.signal })
    const asked = failure(
      rowsOf(session, { sql: 'select count() as endless from numbers(1e13) where sipHash64(number) = 1' }),
    )
    const running = (): Promise<object[]> =>
      peer.query(`select 1 from system.processes where query like '%endless%' and query not like '%processes%'`)
    await expect.poll(running, { timeout: 20_000 }).not.toEqual([])
    abort.abort()
    expect(await asked).toBeInstanceOf(RetryableError)
  })
})

describe('a data source is never written', () => {
  test.each([
    ['an insert', 'insert into customers (id) values (5)'],
    ['a second statement', 'select 1 as id; drop table customers'],
    [
      'a closed parenthesis and a second statement',
      'select 1 as id) as x; drop table customers; select * from (select 1',
    ],
    ['a lightweight delete', 'delete from customers where 1'],
    ['a mutation', 'alter table customers delete where 1'],
    ['a truncation', 'truncate table customers'],
    ['a table that is made of a query', 'create table made engine = Memory as select 1 as id'],
    ['a file', `select 1 as id into outfile '/tmp/tributary-made'`],
    ['an insert into a table function', `insert into function file('/tmp/tributary-made', 'CSV') select 1 as id`],
    ['a setting', 'set readonly = 0'],
    ['the settings of a query', 'select 1 as id settings readonly = 0'],
    ['the settings of a subquery', 'select * from (select 1 as id settings readonly = 0)'],
    ['the settings of a query in a list', 'select 1 as id where 1 in (select 1 settings max_execution_time = 0)'],
    ['the end of others', 'kill query where 1'],
    ['an explanation', 'explain select 1 as id'],
  ])('a query with %s is refused', async (_, sql) => {
    const session = await open()
    expect(await failure(rowsOf(session, { sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.describe({ sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.checkKey({ sql }, ['id']))).toBeInstanceOf(DataQueryError)
    expect(await peer.query('select count() as n from company.customers')).toEqual([{ n: 2 }])
    expect(await peer.query(`select name from system.tables where database = 'company' order by name`)).toEqual([
      { name: 'changes' },
      { name: 'customers' },
      { name: 'emails' },
    ])
  })

  test('the session itself can only read', async () => {
    expect(await rowsOf(await open(), { sql: `select getSetting('readonly') as ro` })).toEqual([['1']])
  })

  test.each([
    ['url', `select * from url('http://127.0.0.1:1/', 'CSV', 'id String')`],
    ['s3', `select * from s3('http://127.0.0.1:1/bucket/key', 'CSV', 'id String')`],
    ['file', `select file('/etc/passwd') as id`],
    ['remote', `select * from remote('127.0.0.1:1', 'company.customers')`],
    ['mysql', `select 1 as id where 1 in (select * from mysql('127.0.0.1:1', 'a', 'b', 'c', 'd'))`],
    ['eval', `select * from eval('select 1 as id')`],
  ])('the function %s is refused without being executed', async (name, sql) => {
    const session = await open()
    const words = new DataQueryError(`Queries can only read tables: they can't have the function ${name}`)
    expect(await failure(rowsOf(session, { sql }))).toEqual(words)
    expect(await failure(session.describe({ sql }))).toEqual(words)
  })
})

describe('the listed tables of ClickHouse', () => {
  test('tables and views are listed by database and name', async () => {
    const session = await open()
    const tables = await session.listTables({ search: '', offset: 0, limit: 100 })
    expect(tables).toEqual([
      { schema: 'company', name: 'changes', kind: 'table', rows: 4 },
      { schema: 'company', name: 'customers', kind: 'table', rows: 2 },
      { schema: 'company', name: 'emails', kind: 'view', rows: null },
    ])
    expect(await session.listTables({ search: 'NY.EM', offset: 0, limit: 100 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: '', offset: 2, limit: 1 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: `%'\\`, offset: 0, limit: 9 })).toEqual([])
  })

  test('columns of a table are listed in order with types, nullability, and primary key', async () => {
    const session = await open()
    const columns = await session.listColumns({ schema: 'company', table: 'customers' }, 2000)
    expect(columns.slice(0, 3)).toEqual([
      { name: 'id', type: 'UInt64', nullable: false, in_key: true },
      { name: 'email', type: 'String', nullable: true, in_key: false },
      { name: 'spent', type: 'Decimal(24, 10)', nullable: false, in_key: false },
    ])
    expect(await session.listColumns({ schema: 'company', table: 'customers' }, 1)).toHaveLength(1)
    expect(await session.listColumns({ schema: 'company', table: `x' or 1 -- ` }, 9)).toEqual([])
  })
})

describe('a query on ClickHouse', () => {
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
      for (const query of [{ schema: 'company', table: 'changes' }, { sql: 'select * from changes -- all' }]) {
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
    const sql = 'select id, spent as "Größe", sleep(3) as nap, plan, place from customers -- the end\n;'
    expect(await session.describe({ sql })).toEqual([
      { name: 'id', type: 'UInt64' },
      { name: 'Größe', type: 'Decimal(24, 10)' },
      { name: 'nap', type: 'UInt8' },
      { name: 'plan', type: 'String' },
      { name: 'place', type: 'Tuple(city String, zip Nullable(String))' },
    ])
    expect(await session.describe({ schema: 'company', table: 'emails' })).toHaveLength(2)
  })

  test.each([
    ['select\n  nothing\nfrom customers', /Unknown expression.* identifier `nothing`.* \(47\)$/],
    ['select id\nfrom customers\nlimit, 1', /^Line 3: Syntax error at , \(62\)$/],
    ['select 1 as id format CSV', /^Line 1: Syntax error at \w+ \(62\)$/],
    ['select * from nowhere.nothing', /nowhere.* \(81\)$|nothing.* \(60\)$/],
    ['select {x:UInt8} as id', /\(456\)$/],
    ['select 1, 1', /^The column 1 comes up twice/],
    ['show tables', /Syntax error/],
    ['', /Syntax error/],
  ])("the query %j is refused with the database's message", async (sql, words) => {
    const session = await open()
    const error = await failure(session.describe({ sql }))
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(DataQueryError)
    // The session can still be used.
    expect(await session.describe({ sql: 'select 1 as one' })).toEqual([{ name: 'one', type: 'UInt8' }])
  })

  test('a query can have comments, a final semicolon, common table expressions, unions, and pure functions', async () => {
    const session = await open()
    const sql = `with a as (select 1 as n union all select 2)
      select n, format('{}!', toString(n)) as s from a where n in (select number from numbers(3)) order by n # the last (\n -- of )\n;`
    expect(await rowsOf(session, { sql })).toEqual([
      ['1', '1!'],
      ['2', '2!'],
    ])
  })

  test('an endless query is stopped by the database', async () => {
    const session = await open({ statementMs: 500 })
    const sql = 'select number as n from numbers(10000000000000) where sipHash64(number) = 1'
    expect(await failure(rowsOf(session, { sql }))).toEqual(
      new DataQueryError('The query did not finish within 0.5 seconds'),
    )
  })

  test('a query that fails after its first rows is not treated as complete', async () => {
    const session = await open()
    const sql = `select number as n, throwIf(number = 900000, 'no further') as t from numbers(1000000)`
    let read = 0
    const reading = async (): Promise<void> => {
      for await (const batch of session.read({ sql }, 1e9)) read += batch.length
    }
    const error = await failure(reading())
    expect((error as Error).message).toMatch(/no further/)
    expect(error).toBeInstanceOf(DataQueryError)
    expect(read).toBeGreaterThan(0)
  })

  test("a query returns values in the database's notation, with every digit; composite values are JSON", async () => {
    await withProfile({ date_time_output_format: 'simple', output_format_json_quote_64bit_integers: '1' }, async () => {
      const session = await open()
      // ClickHouse does not define the order of the rows of a table.
      const rows = await rowsOf(session, { schema: 'company', table: 'customers' })
      const [second, first] = rows.toSorted(([one], [other]) => Number(one) - Number(other))
      expect(first).toEqual([
        '18446744073709551615',
        'ada@exämple.com',
        '12345678901.0123456789',
        '1900-01-01',
        '2026-01-02T02:04:05.678Z',
        '2026-01-02T03:04:05Z',
        'pro',
        '[18446744073709551615,2]',
        '{"a":1.10}',
        '{"city":"Köln","zip":null}',
        '{"b":{"c":[1,2]}}',
        '5',
        'true',
        '0.1',
        'pro',
        '00000000-0000-0000-0000-000000000001',
        '123456789012345678901234567890',
        'a\tb\nc\\N\0',
      ])
      // Bytes that are not text, next to values that are text.
      expect(second?.slice(0, 2)).toEqual(['2', null])
      expect(second?.[11]).toBe(null)
      expect(second?.at(-1)).toBe('\\xff00c0')
    })
  })

  test('a query returns each row once, in batches, and at most the requested number', async () => {
    const session = await open()
    const sizes: number[] = []
    const numbers: string[] = []
    for await (const batch of session.read({ sql: 'select number as n from numbers(50000) order by n' }, 40_000)) {
      sizes.push(batch.length)
      numbers.push(...batch.map(([n]) => n ?? ''))
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000)
    expect(numbers).toEqual(Array.from({ length: 40_000 }, (_, at) => String(at)))
    expect(await rowsOf(session, { sql: 'select 1 as n where 0' })).toEqual([])
  })

  test('a query with millions of rows needs memory for only a few batches, and stops with its reader', async () => {
    // The timeout is long, because garbage collection of a large process takes most of the time.
    const session = await open({ statementMs: 120_000 })
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
    let maxBytes = 0
    for await (const batch of session.read({ sql: `select repeat('x', 1000) as x from numbers(300000)` }, 1e9)) {
      rows += batch.length
      if (++batches % 5 === 0) maxBytes = Math.max(maxBytes, inMemory())
      if (rows > 100_000) break
    }
    expect(maxBytes - before).toBeLessThan(64 * 1024 * 1024)
    expect(await session.describe({ sql: 'select 1 as one' })).toHaveLength(1)
  })

  test('a query with rows too large for one response fails with a clear message', async () => {
    const session = await open()
    const error = await failure(rowsOf(session, { sql: `select repeat(repeat('x', 1000000), 9) as x` }))
    expect((error as Error).message).toMatch(/^The rows are too large: /)
    expect(error).toBeInstanceOf(DataQueryError)
  })
})

describe('the check of a key', () => {
  const values = (rows: string): DataQuery => ({
    sql: `select * from values('a Nullable(UInt8), b Nullable(String)', ${rows}) -- all of them`,
  })

  test.each([
    [`(1, '1'), (1, '2'), (2, '1')`, ['a', 'b'], { rows: 3, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }],
    [`(1, '1'), (1, '2'), (2, '1')`, ['a'], { rows: 3, null_rows: 0, duplicate_keys: 1, duplicate_rows: 2 }],
    [`(1, null), (1, null), (2, '1')`, ['a', 'b'], { rows: 3, null_rows: 2, duplicate_keys: 0, duplicate_rows: 0 }],
    [
      `(1, '1'), (null, '1'), (1, '1'), (1, '1'), (3, '3'), (3, '3')`,
      ['a'],
      { rows: 6, null_rows: 1, duplicate_keys: 2, duplicate_rows: 5 },
    ],
  ])('the key check of %s by %j returns the expected counts', async (rows, key, counts) => {
    expect(await (await open()).checkKey(values(rows), key)).toEqual(counts)
  })

  test('the key check of no rows finds no problem, and a missing column is refused', async () => {
    const session = await open()
    expect(await session.checkKey({ sql: 'select 1 as id, [1] as list where 0;' }, ['id', 'list'])).toEqual({
      rows: 0,
      null_rows: 0,
      duplicate_keys: 0,
      duplicate_rows: 0,
    })
    expect(await failure(session.checkKey({ sql: 'select 1 as id' }, ['no`ne']))).toBeInstanceOf(DataQueryError)
  })
})
