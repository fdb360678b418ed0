import {
  ConfigurationError,
  createEgressPolicy,
  createRequestClient,
  type DataQuery,
  DataQueryError,
  type DataRow,
  type DataSourceSession,
  DeliveryError,
  EgressRefusedError,
  RetryableError,
  type RowsFrom,
  validateSettings,
} from '@tributary/connector-kit'
import { silentLogger } from '@tributary/kernel'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openEngine } from '../../wire/snowflake/testing-engine.ts'
import { endless, type SnowflakePeer, startSnowflake, testAccess } from '../../wire/snowflake/testing-snowflake.ts'
import { snowflake } from './definition.ts'
import { openSession } from './session.ts'
import type { SnowflakeSettings } from './settings.ts'

// The peer follows the documented SQL API, and DuckDB runs the statements. These tests therefore do not cover grants of
// Snowflake, its parser, or its way to write numbers as texts.
let engine: Awaited<ReturnType<typeof openEngine>>
let peer: SnowflakePeer
beforeAll(async () => {
  engine = await openEngine()
  peer = await startSnowflake({ engine })
  await engine.database.run(`create schema company.sales;
    create table company.sales.customers (
      "ID" bigint primary key, "EMAIL" varchar, "SPENT" decimal(24, 10), "BORN" date, "SEEN" timestamptz, "MADE" timestamp,
      "AT" time, "TAGS" bigint[], "PLACE" struct(city varchar, zip varchar), "EXTRA" json, "ACTIVE" boolean, "RATIO" double,
      "RAW" blob, "SMALL" smallint, "mixed ""Case" varchar);
    insert into company.sales.customers values (9223372036854775807, 'ada@exämple.com', 12345678901.0123456789,
      '1815-12-10', '2026-01-02 05:04:05.678+02', '2026-01-02 03:04:05', '03:04:05.25', [9223372036854775807, 2],
      {'city': 'Köln', 'zip': null}, '{"b": {"c": [1, 2]}}', true, 0.1, '\\xFF\\x00\\xC0'::blob, 7, 'a	b
c\\N');
    insert into company.sales.customers ("ID") values (2);
    create table company.sales.changes ("ID" bigint, "SPENT" decimal(9, 2), "BORN" date, "SEEN" timestamptz, "MADE" timestamp);
    insert into company.sales.changes values
      (1, 10.99, '2026-01-02', '2026-01-02 03:04:05.677Z', '2026-01-02 03:04:05'),
      (2, 11, '2026-01-03', '2026-01-02 03:04:05.678Z', '2026-01-02 03:04:06'),
      (3, 99, '2026-01-04', '2026-01-02 03:04:06Z', '2026-01-02 03:04:07'), (4, null, null, null, null);
    create view company.sales.emails as select "ID", "EMAIL" from company.sales.customers`)
})
afterAll(async () => {
  await peer?.[Symbol.asyncDispose]()
  await engine?.[Symbol.asyncDispose]()
})
beforeEach(() => {
  peer.set({ instead: undefined, partRows: 1000 })
  for (const list of [peer.requests, peer.statements, peer.canceled]) list.length = 0
})

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

type Options = { statementMs?: number; allow?: string[]; signal?: AbortSignal; given?: Record<string, unknown> }

const open = async (options: Options = {}): Promise<DataSourceSession> => {
  const { statementMs = 20_000, allow = ['127.0.0.0/8'], signal = new AbortController().signal, given } = options
  const checked = validateSettings(snowflake, { ...testAccess, ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow }), logger: silentLogger })
  closing.push(() => client.close())
  const settings = checked.settings as SnowflakeSettings
  const session = await openSession({ settings, connect: client.connect, signal, statementMs }, peer.origin)
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

describe('connecting to Snowflake', () => {
  test('the connection test names the version, the user, and the role', async () => {
    expect(await (await open()).about()).toBe('Connected to Snowflake 9.40.1 as TRIBUTARY with the role READER.')
  })

  test('each statement has a time limit, the names in upper case, UTC, and one statement', async () => {
    await open({ given: { max_seconds: 7, account: 'https://MyOrg-Account_1.snowflakecomputing.com/' } })
    expect(peer.statements.map(({ body }) => body)).toEqual([
      {
        statement: 'SELECT CURRENT_VERSION(), CURRENT_USER(), CURRENT_ROLE(), CURRENT_WAREHOUSE(), CURRENT_DATABASE()',
        timeout: 7,
        database: 'COMPANY',
        warehouse: 'SMALL',
        role: 'READER',
        parameters: {
          timezone: 'UTC',
          query_tag: 'tributary',
          binary_output_format: 'HEX',
          MULTI_STATEMENT_COUNT: '1',
        },
      },
    ])
  })

  test.each([
    [
      'another user',
      { user: 'other' },
      /^Snowflake does not accept the account, the user, or the key: JWT .*390144\)$/,
    ],
    ['another account', { account: 'xy12345.eu-central-1' }, /^Snowflake does not accept the account, the user, or/],
    [
      'a role that is not there',
      { role: 'nobody' },
      /^The role does not exist, or the user does not have it: Role 'NOB/,
    ],
    ['a role whose name has other letters', { role: '"reader"' }, /^The role does not exist/],
    [
      'a warehouse that is not there',
      { warehouse: 'big' },
      /^The warehouse big does not exist, or the role READER has/,
    ],
    [
      'a database that is not there',
      { database: 'nowhere' },
      /^The database nowhere does not exist, or the role READER/,
    ],
  ])('connecting with %s results in a readable message', async (_, given, words) => {
    const error = await failure(open({ given }))
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).not.toContain('PRIVATE KEY')
  })

  test('a private address is refused unless the operator allows it', async () => {
    expect(await failure(open({ allow: [] }))).toBeInstanceOf(EgressRefusedError)
  })

  test('a session sends its requests over one connection', async () => {
    const before = peer.connections()
    const session = await open()
    for (let at = 0; at < 20; at++) await session.describe({ sql: 'select 1 as a' })
    expect(peer.connections() - before).toBe(1)
  })

  test.each([
    [
      'an encrypted key',
      '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----',
      /without a pass/,
    ],
    ['a text that is no key', 'secret-text', /RSA key in PEM form/],
    ['a public key', '-----BEGIN PUBLIC KEY-----\nMII=\n-----END PUBLIC KEY-----', /RSA key in PEM form/],
  ])('%s is refused before it is saved', (_, private_key, words) => {
    const checked = validateSettings(snowflake, { ...testAccess, private_key })
    expect(checked).toMatchObject({ ok: false, errors: { private_key: expect.stringMatching(words) } })
  })

  test.each(['https://example.com/', 'my org', '', 'a..b', 'evil.com#.snowflakecomputing.com', 'a@b'])(
    'the account %j is refused before it is saved',
    (account) => {
      expect(validateSettings(snowflake, { ...testAccess, account })).toMatchObject({
        ok: false,
        errors: { account: expect.any(String) },
      })
    },
  )

  test('a key whose line ends are lost is accepted', async () => {
    const private_key = testAccess.private_key.replaceAll('\n', ' ')
    expect(await (await open({ given: { private_key } })).about()).toMatch(/^Connected/)
  })
})

describe('a statement that runs long', () => {
  test('an endless query is stopped by its time limit, with a readable message', async () => {
    const session = await open({ given: { max_seconds: 1 } })
    expect(await failure(session.describe({ sql: `select 1 as a ${endless}` }))).toEqual(
      new DataQueryError('The query did not finish within 1 seconds'),
    )
  })

  test('a running query is canceled in the service if its caller disconnects', async () => {
    const abort = new AbortController()
    const session = await open({ signal: abort.signal })
    const asked = failure(rowsOf(session, { sql: `select 1 as a ${endless}` }))
    await peer.until(() => peer.requests.filter((each) => each.startsWith('GET')).length > 3)
    abort.abort()
    expect(await asked).toBeInstanceOf(RetryableError)
    await session[Symbol.asyncDispose]()
    expect(peer.canceled).toHaveLength(1)
  })

  test('a query whose handle has not arrived yet is canceled as well', async () => {
    const abort = new AbortController()
    const session = await open({ signal: abort.signal })
    const asked = failure(session.describe({ sql: `select 1 as a ${endless}` }))
    await peer.until(() => peer.statements.length === 2)
    abort.abort()
    expect(await asked).toBeInstanceOf(RetryableError)
    await session[Symbol.asyncDispose]()
    expect(peer.canceled).toHaveLength(1)
  })

  test('a session that is closed cancels what runs', async () => {
    const session = await open()
    const asked = failure(session.describe({ sql: `select 1 as a ${endless}` }))
    await peer.until(() => peer.statements.length === 2)
    await session[Symbol.asyncDispose]()
    expect(await asked).toBeInstanceOf(DeliveryError)
    expect(peer.canceled).toHaveLength(1)
  })

  test('a query that someone cancels in the service is tried again later', async () => {
    const session = await open()
    const asked = failure(session.describe({ sql: `select 1 as a ${endless}` }))
    await peer.until(() => peer.statements.length === 2)
    peer.cancel()
    const error = await asked
    expect((error as Error).message).toBe('SQL execution canceled (000604)')
    expect(error).toBeInstanceOf(RetryableError)
  })
})

describe('a data source is never written', () => {
  test.each([
    ['an insert', 'insert into sales.customers ("ID") values (5)'],
    ['a second statement', 'select 1 as id; drop table sales.customers'],
    [
      'a closed parenthesis and a second statement',
      'select 1 as id) as x; drop table sales.customers; select * from (select 1',
    ],
    ['a chain of statements', 'select 1 as id) ->> delete from sales.customers ->> select * from (select 1'],
    ['a system function', `select System$cancel_all_queries(1) as id`],
    ['a system function with an escape', String.raw`select identifier('SYSTEM\x24WAIT')(1) as id`],
    ['a quoted system function', `select "SYSTEM$WAIT"(1) as id`],
    ['a deletion', 'delete from sales.customers'],
    ['an update', 'update sales.customers set "EMAIL" = null'],
    ['a truncation', 'truncate table sales.customers'],
    ['a table that is made of a query', 'create table sales.made as select 1 as id'],
    ['a copy', `copy into '/tmp/tributary-made' from sales.customers`],
    ['a call', 'call pragma_version()'],
    ['a block', 'begin delete from sales.customers; end'],
    ['an end of all comments', 'select 1 as id */ ; drop table sales.customers -- '],
    ['a comment without end', 'select 1 as id /* '],
    ['nothing', ''],
  ])('a query with %s is refused', async (_, sql) => {
    const session = await open()
    expect(await failure(rowsOf(session, { sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.describe({ sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.checkKey({ sql }, ['id']))).toBeInstanceOf(DataQueryError)
    expect((await engine.database.run('select count(*) from company.sales.customers')).rows).toEqual([['2']])
    const { rows } = await session.listTables({ search: '', offset: 0, limit: 9 }).then((found) => ({ rows: found }))
    expect(rows.map(({ name }) => name)).toEqual(['changes', 'customers', 'emails'])
  })

  test('two statements are refused with the words of the service', async () => {
    expect(await failure((await open()).describe({ sql: 'select 1 as a) ; select * from (select 2' }))).toEqual(
      new DataQueryError(
        'Queries can only have one statement: Actual statement count 2 did not match the desired statement count 1. (000008)',
      ),
    )
  })
})

describe('the listed tables of Snowflake', () => {
  test('tables and views are listed by schema and name', async () => {
    const session = await open()
    expect(await session.listTables({ search: '', offset: 0, limit: 100 })).toEqual([
      { schema: 'sales', name: 'changes', kind: 'table', rows: 4 },
      { schema: 'sales', name: 'customers', kind: 'table', rows: 2 },
      { schema: 'sales', name: 'emails', kind: 'view', rows: null },
    ])
    expect(await session.listTables({ search: 'ES.EM', offset: 0, limit: 100 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: '', offset: 2, limit: 1 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: `%'\\?`, offset: 0, limit: 9 })).toEqual([])
  })

  test('columns of a table are listed in order with types, nullability, and primary key', async () => {
    const session = await open()
    const columns = await session.listColumns({ schema: 'sales', table: 'customers' }, 2000)
    expect(columns.slice(0, 2)).toEqual([
      { name: 'ID', type: 'numeric(38,0)', nullable: false, in_key: true },
      { name: 'EMAIL', type: 'text', nullable: true, in_key: false },
    ])
    expect(await session.listColumns({ schema: 'sales', table: 'customers' }, 1)).toHaveLength(1)
    expect(await session.listColumns({ schema: 'sales', table: 'emails' }, 9)).toMatchObject([{ in_key: false }, {}])
    expect(await session.listColumns({ schema: 'sales', table: `x' or 1 -- ` }, 9)).toEqual([])
  })
})

describe('a query on Snowflake', () => {
  test.each([
    ['number', 'ID', '2', '2,3,4'],
    ['number', 'SPENT', '11', '2,3,4'],
    ['date', 'BORN', '2026-01-03', '2,3,4'],
    ['time', 'SEEN', '2026-01-02 03:04:05.678', '2,3,4'],
    ['time', 'MADE', '2026-01-02 03:04:06.000', '2,3,4'],
  ] as const)(
    'a query with a cursor reads from a %s %s of %s on, including nulls',
    async (kind, column, value, ids) => {
      const session = await open()
      for (const query of [{ schema: 'sales', table: 'changes' }, { sql: 'select * from sales.changes -- all' }]) {
        const rows = await rowsOf(session, query, 100, { column, kind, value })
        const found = rows.map(([id]) => id).toSorted()
        expect(found.join(',')).toBe(column === 'ID' ? '2,3,4' : ids)
      }
    },
  )

  test('a query is described without rows', async () => {
    const session = await open()
    const sql = 'select "ID", "SPENT", "SMALL", 1.5 as "Größe", "SEEN", "TAGS" from sales.customers -- the end\n;'
    expect(await session.describe({ sql })).toEqual([
      { name: 'ID', type: 'numeric(38,0)' },
      { name: 'SPENT', type: 'numeric(24,10)' },
      { name: 'SMALL', type: 'bigint' },
      { name: 'Größe', type: 'numeric(2,1)' },
      { name: 'SEEN', type: 'timestamp with time zone' },
      { name: 'TAGS', type: 'json' },
    ])
    expect(peer.statements.at(-1)?.sql).toMatch(/^SELECT \* FROM \(\n[\s\S]*\n\) LIMIT 0$/)
    expect(await session.describe({ schema: 'sales', table: 'emails' })).toHaveLength(2)
  })

  test.each([
    ['select\n  nothing\nfrom sales.customers', "Line 2: invalid identifier 'NOTHING' (000904)"],
    ['select "ID"\nfrom sales.customers\nlimit, 1', "Line 3: Syntax error: unexpected ','. (001003)"],
    ['select * from nothing', "Object 'NOTHING' does not exist or not authorized. (002003)"],
  ])("the query %j is refused with the database's message", async (sql, words) => {
    const session = await open()
    expect(await failure(session.describe({ sql }))).toEqual(new DataQueryError(words))
    // The session can still be used.
    expect(await session.describe({ sql: 'select 1 as one' })).toEqual([{ name: 'one', type: 'bigint' }])
  })

  test('a query can have comments, a final semicolon, common table expressions, and unions', async () => {
    const sql = `with a as (select 1 as n union all select 2) select n from a order by n -- the last (\n /* of ) */ ; `
    expect(await rowsOf(await open(), { sql })).toEqual([['1'], ['2']])
  })

  test("a query returns values in PostgreSQL's notation, with every digit; composite values are JSON", async () => {
    const session = await open()
    const rows = await rowsOf(session, { schema: 'sales', table: 'customers' })
    const [first, second] = rows.toSorted(([one], [other]) => (other ?? '').localeCompare(one ?? ''))
    expect(first).toEqual([
      '9223372036854775807',
      'ada@exämple.com',
      '12345678901.0123456789',
      '1815-12-10',
      '2026-01-02 03:04:05.678+00',
      '2026-01-02 03:04:05',
      '03:04:05.25',
      '[9223372036854775807,2]',
      '{"city":"Köln","zip":null}',
      '{"b": {"c": [1, 2]}}',
      't',
      '0.1',
      '\\xff00c0',
      '7',
      'a\tb\nc\\N',
    ])
    expect(second).toEqual(['2', ...Array.from({ length: 14 }, () => null)])
  })

  test('a query returns each row once, in batches, over several parts, and at most the requested number', async () => {
    peer.set({ partRows: 9000 })
    const session = await open()
    const sizes: number[] = []
    const numbers: string[] = []
    const query = { sql: 'select range as n from range(50000) order by n' }
    for await (const batch of session.read(query, 40_000)) {
      sizes.push(batch.length)
      numbers.push(...batch.map(([n]) => n ?? ''))
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000)
    expect(numbers).toEqual(Array.from({ length: 40_000 }, (_, at) => String(at)))
    expect(peer.requests.filter((each) => each.includes('partition='))).toHaveLength(4)
    expect(await rowsOf(session, { sql: 'select 1 as n where false' })).toEqual([])
  })

  test('parts are requested only when the reader asks for them', async () => {
    peer.set({ partRows: 10_000 })
    const session = await open()
    for await (const batch of session.read({ sql: 'select range as n from range(50000)' }, 50_000)) {
      expect(batch).toHaveLength(10_000)
      break
    }
    expect(peer.requests.filter((each) => each.includes('partition='))).toHaveLength(0)
    expect(await session.describe({ sql: 'select 1 as one' })).toHaveLength(1)
  })
})

describe('the check of a key', () => {
  const values = (rows: string): DataQuery => ({ sql: `select * from (values ${rows}) as t (a, b) -- all of them` })

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
    expect(await session.checkKey({ sql: 'select 1 as id, [1] as list where false;' }, ['id', 'list'])).toEqual({
      rows: 0,
      null_rows: 0,
      duplicate_keys: 0,
      duplicate_rows: 0,
    })
    expect(await failure(session.checkKey({ sql: 'select 1 as id' }, ['no"ne']))).toBeInstanceOf(DataQueryError)
  })
})
