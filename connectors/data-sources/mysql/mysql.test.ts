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
import { hasMariaDb, type MariaDbPeer, startMariaDb } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { mysql } from './definition.ts'

let peer: MariaDbPeer
beforeAll(async () => {
  if (!hasMariaDb) return
  peer = await startMariaDb({ tls: selfSigned })
  // The account has the privilege to write; only the session prevents writes.
  await peer.query(`create table customers (
    id bigint primary key, email varchar(200), spent decimal(24, 10), born date, seen timestamp(3) null, made datetime null,
    open time, raw varbinary(20), note blob, extra json, flags bit(12), ratio double, big bigint unsigned, plan enum('free', 'pro'))`)
  await peer.query(`insert into customers values
    (9007199254740993, 'ada@exämple.com', 12345678901.0123456789, '1815-12-10', from_unixtime(1767315845.678),
     '2026-01-02 03:04:05', '-838:59:59', x'c0ffee', x'00ff', '{"b": 1.10, "a": null}', b'101000000001', 0.1,
     18446744073709551615, 'pro')`)
  await peer.query(`insert into customers (id, raw) values (2, '')`)
  await peer.query('create view emails as select id, email from customers')
  await peer.query(
    'create table changes (id bigint, spent decimal(9, 2), born date, seen timestamp(3) null, made datetime null)',
  )
  await peer.query(`insert into changes values
    (1, 10.99, '2026-01-02', from_unixtime(1767323045.677), '2026-01-02 03:04:05'),
    (2, 11, '2026-01-03', from_unixtime(1767323045.678), '2026-01-02 03:04:06'),
    (3, 99, '2026-01-04', from_unixtime(1767323046), '2026-01-02 03:04:07'), (4, null, null, null, null)`)
  await peer.query('create sequence numbers')
  await peer.query('create table log (id int) engine = myisam')
  await peer.query(`create function writes() returns int begin insert into customers (id) values (6); return 1; end`)
  await peer.query(`create function logs() returns int begin insert into log values (6); return 1; end`)
  await peer.query(`create procedure writes_always() begin
    rollback; set session transaction read write; insert into customers (id) values (7); select 1 as one; end`)
  await peer.query(`grant file on *.* to 'reader'@'127.0.0.1'`)
  await peer.query('create database hidden')
  await peer.query('create table hidden.hidden (id int)')
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
  const checked = validateSettings(mysql, { ...peer.access, tls: 'off', ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({
    egress: createEgressPolicy({ allow }),
    logger: silentLogger,
    lookup: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
  })
  closing.push(() => client.close())
  const session = await mysql.open({ settings: checked.settings, connect: client.connect, signal, statementMs })
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

describe.skipIf(!hasMariaDb)('connecting to MySQL', () => {
  test('the connection test names the server and the user', async () => {
    const session = await open()
    expect(await session.about()).toMatch(/^Connected to MariaDB \d+\.\d+\.\d+ as reader@127\.0\.0\.1\.$/)
  })

  test.each([
    ['a wrong password', { password: 'wrong' }, ConfigurationError, /^Wrong user or password: /],
    ['a database that is not there', { database: 'nowhere' }, ConfigurationError, /^The user is missing a privilege/],
    ['a port that nobody listens on', { port: 1 }, RetryableError, /^Connection refused/],
    ['an unknown authority', { tls: 'verify' }, RetryableError, /^The certificate of the server is not trusted: self/],
    [
      'a certificate for another name',
      { tls: 'verify', ca_certificate: selfSigned.cert, host: 'other.example.com' },
      RetryableError,
      /not trusted: Hostname\/IP does not match/,
    ],
    [
      'a certificate for a name where an address was asked for',
      { tls: 'verify', ca_certificate: selfSigned.cert },
      RetryableError,
      /not trusted: .*IP: 127\.0\.0\.1 is not in/,
    ],
  ])('connecting with %s results in a readable message', async (_, given, type, words) => {
    const error = await failure(open({ given }))
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(type)
  })

  test('a certificate of the given authority is trusted', async () => {
    const given = { tls: 'verify', ca_certificate: selfSigned.cert, host: 'hooks.example.com' }
    const session = await open({ given })
    expect(
      await rowsOf(session, {
        sql: `select variable_value <> '' from information_schema.session_status
      where variable_name = 'ssl_cipher'`,
      }),
    ).toEqual([['1']])
  })

  test('a private address is refused unless the operator allows it', async () => {
    expect(await failure(open({ allow: [] }))).toBeInstanceOf(EgressRefusedError)
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
    const asked = failure(rowsOf(session, { sql: 'select sleep(5) as nap' }))
    await expect.poll(() => peer.query(sleeping)).toHaveLength(1)
    abort.abort()
    expect(await asked).toBeInstanceOf(RetryableError)
    await peer.cut()
  })
})
const sleeping = `select 1 from information_schema.processlist where user = 'reader' and state = 'User sleep'`

describe.skipIf(!hasMariaDb)('a data source in MySQL is never written', () => {
  test.each([
    ['an insert', 'insert into customers (id) values (5) returning id'],
    ['a delete that answers rows', 'delete from customers returning id'],
    ['a second statement', 'select 1; delete from customers'],
    ['the end of the transaction and a second statement', 'select 1; commit; delete from customers'],
    ['a closed parenthesis and a file', `select 1) as x into outfile '/tmp/tributary-made' -- `],
    ['a file', `select id from customers into outfile '/tmp/tributary-made'`],
    ['a table that is made of a query', 'create table made as select 1 as id'],
    ['a sequence that moves on', 'select nextval(numbers) as n'],
    ['a function that writes', 'select writes() as w'],
    ['a function that writes where there are no transactions', 'select logs() as w'],
    ['a procedure', 'call writes_always()'],
    ['a setting', 'set session transaction read write'],
    ['a setting for one statement', 'set statement max_statement_time = 0 for select 1 as id'],
    ['a comment that is run', 'select 1 as id /*! into outfile "/tmp/tributary-made" */'],
    ['a procedure in a comment that is run', '/*! call writes_always() */'],
  ])('a query with %s is refused', async (_, sql) => {
    const session = await open()
    expect(await failure(rowsOf(session, { sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.checkKey({ sql }, ['id']))).toBeInstanceOf(DataQueryError)
    expect(await peer.query('select count(*) as n from customers')).toEqual([{ n: 2 }])
    expect(await peer.query('select count(*) as n from log')).toEqual([{ n: 0 }])
    expect(await peer.query('select next_not_cached_value as n from numbers')).toEqual([{ n: 1 }])
    expect(await peer.query(`select load_file('/tmp/tributary-made') is null as n`)).toEqual([{ n: 1 }])
    // The session is still read-only.
    expect(await rowsOf(session, { sql: 'select @@tx_read_only as ro, @@max_statement_time as ms' })).toEqual([
      ['1', '10.000000'],
    ])
  })

  test('a query that writes gets a message that queries can only read', async () => {
    const session = await open()
    expect(await failure(rowsOf(session, { sql: 'select writes() as w' }))).toMatchObject({
      message: expect.stringMatching(/^Queries can only read: /),
    })
    for (const sql of ['set @a = 1', 'explain select 1'])
      expect(await failure(session.describe({ sql }))).toEqual(
        new DataQueryError('Queries can only read: write one SELECT statement'),
      )
  })
})

describe.skipIf(!hasMariaDb)('the listed tables of MySQL', () => {
  test('only tables and views that the account can read are listed, by schema and name', async () => {
    const session = await open()
    const tables = await session.listTables({ search: '', offset: 0, limit: 100 })
    expect(tables.map(({ schema, name, kind }) => `${schema}.${name} ${kind}`)).toEqual([
      'company.changes table',
      'company.customers table',
      'company.emails view',
      'company.log table',
    ])
    expect(await session.listTables({ search: 'ny.em', offset: 0, limit: 100 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: '', offset: 2, limit: 1 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: `%'\\`, offset: 0, limit: 9 })).toEqual([])
  })

  test('columns of a table are listed in order with types, nullability, and primary key', async () => {
    const session = await open()
    const columns = await session.listColumns({ schema: 'company', table: 'customers' }, 2000)
    expect(columns.slice(0, 3)).toEqual([
      { name: 'id', type: 'bigint(20)', nullable: false, in_key: true },
      { name: 'email', type: 'varchar(200)', nullable: true, in_key: false },
      { name: 'spent', type: 'decimal(24,10)', nullable: true, in_key: false },
    ])
    expect(await session.listColumns({ schema: 'company', table: 'customers' }, 1)).toHaveLength(1)
    expect(await session.listColumns({ schema: 'hidden', table: 'hidden' }, 9)).toEqual([])
    expect(await session.listColumns({ schema: 'company', table: 'CUSTOMERS' }, 9)).toEqual([])
    expect(await session.listColumns({ schema: 'company', table: `x'; drop table customers -- ` }, 9)).toEqual([])
  })
})

describe.skipIf(!hasMariaDb)('a query on MySQL', () => {
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
    expect(
      await session.describe({ sql: 'select id, spent as "Größe", sleep(60) as nap, extra, raw from customers; ' }),
    ).toEqual([
      { name: 'id', type: 'bigint' },
      { name: 'Größe', type: 'decimal(24,10)' },
      { name: 'nap', type: 'int' },
      { name: 'extra', type: 'json' },
      { name: 'raw', type: 'binary' },
    ])
    expect((await session.describe({ schema: 'company', table: 'customers' })).map(({ type }) => type).join()).toBe(
      'bigint,varchar,decimal(24,10),date,timestamp,datetime,time,binary,blob,json,bit(12) unsigned,double,bigint unsigned,enum',
    )
  })

  test.each([
    ['select\n  id,\n  nothing\nfrom customers', /^Unknown column 'nothing' in '(field list|SELECT)' \(1054\)$/],
    ['select id\nfrom customers\nwhere (', /syntax.* at line 3 \(1064\)$/],
    ['select * from hidden.hidden', /denied/],
    ['select ? as id', /has a \? outside of quotes/],
    ['select 1 as id, 2 as ID', /^The column ID comes up twice/],
    ['show tables', /^Queries can only read/],
    ['', /./],
  ])("the query %j is refused with the database's message", async (sql, words) => {
    const session = await open()
    const error = await failure(session.describe({ sql }))
    expect(error).toBeInstanceOf(DataQueryError)
    expect((error as Error).message).toMatch(words)
    // The session can still be used.
    expect(await session.describe({ sql: 'select 1 as one' })).toEqual([{ name: 'one', type: 'int' }])
  })

  test('a query can have comments, a final semicolon, common table expressions, and unions', async () => {
    const session = await open()
    const sql = 'with a as (select 1 as n union select 2) select n from a order by n # the last (\n -- of )\n;'
    expect(await rowsOf(session, { sql })).toEqual([['1'], ['2']])
  })

  test('an endless query is stopped by the database', async () => {
    const session = await open({ statementMs: 300 })
    const error = await failure(rowsOf(session, { sql: 'select benchmark(100000000000, sha2(1, 512)) as n' }))
    expect(error).toEqual(new DataQueryError('The query did not finish within 0.3 seconds'))
  })

  test("a query returns values in the database's notation, with every digit", async () => {
    await peer.query(`set global time_zone = '+05:00'`)
    const session = await open()
    expect(await rowsOf(session, { schema: 'company', table: 'customers' })).toEqual([
      ['2', null, null, null, null, null, null, '\\x', null, null, null, null, null, null],
      [
        '9007199254740993',
        'ada@exämple.com',
        '12345678901.0123456789',
        '1815-12-10',
        '2026-01-02 01:04:05.678+00',
        '2026-01-02 03:04:05',
        '-838:59:59',
        '\\xc0ffee',
        '\\x00ff',
        '{"b": 1.10, "a": null}',
        '2561',
        '0.1',
        '18446744073709551615',
        'pro',
      ],
    ])
    const zero = { sql: `select cast('0000-00-00' as date) as d, timestamp('0000-00-00 00:00:00') as t, 'ü' as u` }
    expect(await rowsOf(session, zero)).toEqual([['0000-00-00', '0000-00-00 00:00:00', 'ü']])
  })

  test('a query returns each row once, in batches, and at most the requested number', async () => {
    const session = await open()
    const sizes: number[] = []
    const numbers: string[] = []
    for await (const batch of session.read({ sql: 'select seq as n from seq_1_to_50000' }, 40_000)) {
      sizes.push(batch.length)
      numbers.push(...batch.map(([n]) => n ?? ''))
    }
    expect(sizes).toEqual([10_000, 10_000, 10_000, 10_000])
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
    for await (const batch of session.read({ sql: `select repeat('x', 1000) as x from seq_1_to_300000` }, 1e9)) {
      rows += batch.length
      if (++batches % 5 === 0) most = Math.max(most, inMemory())
      if (rows > 100_000) break
    }
    expect(most - before).toBeLessThan(64 * 1024 * 1024)
    expect(await session.describe({ sql: 'select 1 as one' })).toHaveLength(1)
    expect(await rowsOf(session, { sql: 'select @@tx_read_only as ro' })).toEqual([['1']])
    await expect.poll(() => peer.connections()).toBe(1)
  })

  test('a query with rows too large for one response fails with a clear message', async () => {
    const session = await open()
    const error = await failure(rowsOf(session, { sql: `select repeat('x', 9000000) as x` }))
    expect(error).toBeInstanceOf(DataQueryError)
    expect((error as Error).message).toMatch(/^The rows are too large: /)
  })

  test('a query fails with a connection error if the connection ends', async () => {
    const session = await open()
    const asked = failure(rowsOf(session, { sql: 'select sleep(30) as nap' }))
    await expect.poll(() => peer.query(sleeping)).toHaveLength(1)
    await peer.cut()
    expect(await asked).toBeInstanceOf(RetryableError)
  })
})

describe.skipIf(!hasMariaDb)('the check of a key', () => {
  const values = (...rows: string[]): DataQuery => ({
    sql: `${rows.map((row) => `select ${row}`).join(' union all ')} -- all of them`,
  })

  test.each([
    [['1 as a, 1 as b', '1, 2', '2, 1'], ['a', 'b'], { rows: 3, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }],
    [['1 as a, 1 as b', '1, 2', '2, 1'], ['a'], { rows: 3, null_rows: 0, duplicate_keys: 1, duplicate_rows: 2 }],
    [
      ['1 as a, null as b', '1, null', '2, 1'],
      ['a', 'b'],
      { rows: 3, null_rows: 2, duplicate_keys: 0, duplicate_rows: 0 },
    ],
    [[`'a' as a, 1 as b`, `'A', 1`, `'ä', 1`], ['a'], { rows: 3, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }],
    [
      ['1 as a, 1 as b', 'null, 1', '1, 1', '1, 1', '3, 3', '3, 3'],
      ['a'],
      { rows: 6, null_rows: 1, duplicate_keys: 2, duplicate_rows: 5 },
    ],
  ])('the key check of %j by %j returns the expected counts', async (rows, key, counts) => {
    const session = await open()
    expect(await session.checkKey(values(...rows), key)).toEqual(counts)
  })

  test('the key check of no rows finds no problem, and a missing column is refused', async () => {
    const session = await open()
    expect(await session.checkKey({ sql: 'select 1 as id from dual where false;' }, ['id'])).toEqual({
      rows: 0,
      null_rows: 0,
      duplicate_keys: 0,
      duplicate_rows: 0,
    })
    expect(await failure(session.checkKey({ sql: 'select 1 as id' }, ['no`ne']))).toBeInstanceOf(DataQueryError)
  })
})
