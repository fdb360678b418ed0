import {
  ConfigurationError,
  type DataQuery,
  DataQueryError,
  EgressRefusedError,
  RetryableError,
} from '@tributary/connector-kit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  apiError,
  type DatabricksPeer,
  databricksAccess,
  personalToken,
  startDatabricks,
} from '../../wire/databricks/testing-databricks.ts'
import { failure, rowsOf, sessionsAt } from './testing-session.ts'

// DuckDB runs the statements behind a stand-in for the API. These tests do not cover the grammar, the functions and the
// grants of the service itself.
let peer: DatabricksPeer
let sessions: ReturnType<typeof sessionsAt>
beforeAll(async () => {
  peer = await startDatabricks()
  sessions = sessionsAt(peer.url)
  await peer.duck.run('CREATE SCHEMA sales')
  await peer.duck.run(`CREATE TABLE sales.customers (
    id BIGINT PRIMARY KEY, email VARCHAR, spent DECIMAL(24, 10), born DATE, seen TIMESTAMPTZ, made TIMESTAMP,
    tags BIGINT[], prices MAP(VARCHAR, VARCHAR), place STRUCT(city VARCHAR, zip VARCHAR), extra JSON, active BOOLEAN,
    ratio DOUBLE, big HUGEINT, raw BLOB)`)
  await peer.duck.run(`INSERT INTO sales.customers VALUES
    (9223372036854775807, 'ada@exämple.com', 12345678901.0123456789, '1815-12-10', '2026-01-02 04:04:05.678901+01',
     '2026-01-02 03:04:05.678', [9223372036854775807, 2], MAP {'a': '1.10'}, {'city': 'Köln', 'zip': NULL},
     '{"b": {"c": [1, 2]}}', true, 0.1, 12345678901234567890123456789, 'ab'::BLOB)`)
  await peer.duck.run(`INSERT INTO sales.customers (id, seen, active) VALUES (2, '1815-12-10 00:00:00.5+00', false)`)
  await peer.duck.run(
    `CREATE TABLE sales.changes (id BIGINT, spent DECIMAL(9, 2), born DATE, seen TIMESTAMPTZ, made TIMESTAMP)`,
  )
  await peer.duck.run(`INSERT INTO sales.changes VALUES
    (1, 10.99, '2026-01-02', '2026-01-02 04:04:05.677+01', '2026-01-02 03:04:05'),
    (2, 11, '2026-01-03', '2026-01-02 04:04:05.678+01', '2026-01-02 03:04:06'),
    (3, 99, '2026-01-04', '2026-01-02 04:04:06+01', '2026-01-02 03:04:07'), (4, NULL, NULL, NULL, NULL)`)
  await peer.duck.run('CREATE VIEW sales.emails AS SELECT id, email FROM sales.customers')
})
afterEach(async () => {
  await sessions.close()
  Object.assign(peer, { endless: '', endlessState: 'RUNNING', chunkRows: 1000, inlineBytes: 25 * 1024 * 1024 })
  peer.intercept = () => undefined
})
afterAll(async () => {
  await peer?.[Symbol.asyncDispose]()
})
const open: ReturnType<typeof sessionsAt>['open'] = (options) => sessions.open(options)

describe('connecting to Databricks', () => {
  test.each([
    ['OAuth', {}],
    ['a personal access token', { sign_in: 'token', token: personalToken }],
    ['only the ID of the warehouse', { warehouse: '1234567890abcdef' }],
  ])('the connection test with %s names the version and the account', async (_, given) => {
    const session = await open({ given })
    expect(await session.about()).toBe(`Connected to Databricks SQL 2026.30 as ${databricksAccess.client_id}.`)
  })

  test.each([
    [
      'a wrong secret',
      { client_secret: 'wrong-secret' },
      /^Databricks does not accept the client ID and secret: Client auth/,
    ],
    ['a wrong client', { client_id: 'wrong' }, /^Databricks does not accept the client ID and secret: Client auth/],
    [
      'a wrong token',
      { sign_in: 'token', token: 'dapi-wrong-token' },
      /^Databricks does not accept the credentials: .* \[redacted\]$/,
    ],
    [
      'a warehouse that is not there',
      { warehouse: '0000000000000000' },
      /SQL warehouse 0000000000000000 does not exist/,
    ],
    ['a catalog that is not there', { catalog: 'nowhere' }, /Catalog 'nowhere' does not exist/],
  ])('connecting with %s results in a readable message without secrets', async (_, given, words) => {
    const error = await failure(open({ given }))
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(String(error)).not.toMatch(/wrong-secret|dapi-wrong|oauth-token/)
  })

  test('a private address is refused unless the operator allows it', async () => {
    expect(await failure(open({ allow: [] }))).toBeInstanceOf(EgressRefusedError)
  })

  test.each([
    ['host', { host: 'example.com' }],
    ['host', { host: 'cloud.databricks.com.example.com' }],
    ['host', { host: 'a.cloud.databricks.com/path' }],
    ['host', { host: 'user@a.azuredatabricks.net' }],
    ['host', { host: '127.0.0.1' }],
    ['warehouse', { warehouse: '/sql/1.0/warehouses/../../secrets' }],
    ['warehouse', { warehouse: 'https://dbc.cloud.databricks.com' }],
    ['client_secret', { client_secret: undefined }],
    ['token', { sign_in: 'token' }],
    ['token', { sign_in: 'token', token: 'two words' }],
  ])('the setting %s is refused as %j', async (name, given) => {
    const error = await failure(open({ given }))
    expect(Object.keys(JSON.parse((error as Error).message))).toEqual([name])
  })

  test('a token that ended is replaced once, and the query goes on', async () => {
    const session = await open()
    peer.expireTokens()
    expect(await session.describe({ sql: 'select 1 as one' })).toEqual([{ name: 'one', type: 'int' }])
  })

  test.each<[string, () => ReturnType<typeof apiError>, new (...given: never[]) => Error, RegExp]>([
    [
      'a suspended workspace',
      () => apiError(403, 'PERMISSION_DENIED', 'The workspace is disabled.'),
      ConfigurationError,
      /^Not allowed; see the setup guide: The workspace is disabled\.$/,
    ],
    [
      'a warehouse that may not be used',
      () => apiError(403, 'PERMISSION_DENIED', 'You do not have permission to use the SQL Warehouse.'),
      ConfigurationError,
      /You do not have permission/,
    ],
    [
      'a limit of requests',
      () =>
        ({
          ...(apiError(429, 'REQUEST_LIMIT_EXCEEDED', 'Too many.') as object),
          headers: { 'retry-after': '7' },
        }) as never,
      RetryableError,
      /^Databricks limits the rate of requests: Too many\.$/,
    ],
    ['maintenance', () => apiError(503, 'TEMPORARILY_UNAVAILABLE', 'Later.'), RetryableError, /^Later\.$/],
  ])('%s is reported as such', async (_, answer, kind, words) => {
    peer.intercept = ({ method }, path) => (method === 'POST' && path.endsWith('statements') ? answer() : undefined)
    const error = await failure(open())
    expect(error).toBeInstanceOf(kind)
    expect((error as Error).message).toMatch(words)
    if (error instanceof RetryableError && words.source.includes('rate')) expect(error.retryAfterMs).toBe(7000)
  })
})

describe('a data source is never written', () => {
  const given: [string, string][] = [
    ['an insert', 'insert into sales.customers (id) values (5)'],
    ['a second statement', 'select 1 as id; drop table sales.customers'],
    ['a closed parenthesis', 'select 1 as id) as x; drop table sales.customers; select * from (select 1'],
    ['a delete', 'delete from sales.customers where true'],
    ['an update', 'update sales.customers set id = 1'],
    ['a truncation', 'truncate table sales.customers'],
    ['a table that is made of a query', 'create table sales.made as select 1 as id'],
    [
      'a common table expression before an insert',
      'with a as (select 5 as id) insert into sales.customers (id) select id from a',
    ],
    ['a script', 'begin insert into sales.customers (id) values (5); end'],
    ['a setting', 'set ansi_mode = false'],
    ['a grant', 'grant select on table sales.customers to somebody'],
    ['a nested comment', "select http_request /* /* */ */ ('GET', 'https://x.example') as id"],
    ['a comment that ends with a return', "select http_request --a\r('GET', 'https://x.example') as id"],
    ['a variable in a name', "select ai_${spark.x}query('a', 'b') as id"],
    ['a program', "select transform(id) using 'cat' as (id string) from sales.customers"],
  ]
  test.each(given)('a query with %s is refused', async (_, sql) => {
    const session = await open()
    expect(await failure(rowsOf(session, { sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.describe({ sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.checkKey({ sql }, ['id']))).toBeInstanceOf(DataQueryError)
    expect((await peer.duck.run('SELECT count(*) FROM sales.customers')).rows).toEqual([['2']])
    expect((await session.listTables({ search: '', offset: 0, limit: 100 })).map(({ name }) => name)).toEqual([
      'changes',
      'customers',
      'emails',
    ])
  })

  test.each([
    ['http_request', "select http_request(conn => 'c', method => 'POST', path => '/') as id"],
    ['HTTP_REQUEST', "select system.builtin.HTTP_REQUEST /* a */ -- b\n ('c') as id"],
    ['http_request', "select '/*' as a, `http_request` /**/ ('c') as id, '*/' as b"],
    ['secret', "select secret('scope', 'key') as id"],
    ['secret', `select secret /*${'x'.repeat(2000)}*/ ('scope', 'key') as id`],
    ['try_secret', "select try_secret ('scope', 'key') as id"],
    ['ai_query', "select ai_query('model', 'text') as id"],
    ['remote_query', "select * from remote_query('conn', query => 'drop table a')"],
    ['identifier', "select identifier('http_' || 'request')('c') as id"],
    ['java_method', "select java_method('java.lang.Runtime', 'exit') as id"],
  ])('the function %s is refused before it is sent', async (name, sql) => {
    const session = await open()
    const sent = peer.statements.length
    const words = new DataQueryError(`Queries can only read tables: they can't have the function ${name}`)
    expect(await failure(rowsOf(session, { sql }))).toEqual(words)
    expect(await failure(session.describe({ sql }))).toEqual(words)
    expect(peer.statements).toHaveLength(sent)
  })

  test('columns and texts with such names are read', async () => {
    const session = await open()
    const sql = `select 'http_request' as secret, 2 as reflect, 3 as my_secret`
    expect(await rowsOf(session, { sql })).toEqual([['http_request', '2', '3']])
  })
})

describe('the listed tables of Databricks', () => {
  test('tables and views are listed by schema and name', async () => {
    const session = await open()
    expect(await session.listTables({ search: '', offset: 0, limit: 100 })).toEqual([
      { schema: 'sales', name: 'changes', kind: 'table', rows: null },
      { schema: 'sales', name: 'customers', kind: 'table', rows: null },
      { schema: 'sales', name: 'emails', kind: 'view', rows: null },
    ])
    expect(await session.listTables({ search: 'ES.EM', offset: 0, limit: 100 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: '', offset: 2, limit: 1 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: `%'\\:search`, offset: 0, limit: 9 })).toEqual([])
  })

  test('columns of a table are listed in order with types, nullability, and primary key', async () => {
    const session = await open()
    const columns = await session.listColumns({ schema: 'sales', table: 'customers' }, 2000)
    expect(columns.slice(0, 3)).toEqual([
      { name: 'id', type: 'bigint', nullable: false, in_key: true },
      { name: 'email', type: 'string', nullable: true, in_key: false },
      { name: 'spent', type: 'decimal(24,10)', nullable: true, in_key: false },
    ])
    expect(await session.listColumns({ schema: 'sales', table: 'customers' }, 1)).toHaveLength(1)
    expect(await session.listColumns({ schema: 'sales', table: `x' or 1 = 1 -- ` }, 9)).toEqual([])
  })
})

describe('a query on Databricks', () => {
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
      for (const query of [{ schema: 'sales', table: 'changes' }, { sql: 'select * from sales.changes -- all' }]) {
        const rows = await rowsOf(session, query, 100, { column, kind, value })
        const found = rows.map(([id]) => id).toSorted()
        expect(found.join(',')).toBe(ids)
      }
    },
  )

  test('a query is described without running', async () => {
    const session = await open()
    const sql = 'select id, spent as `Größe "1"`, seen, made, tags, place, active from sales.customers -- the end\n;'
    const before = peer.statements.length
    expect(await session.describe({ sql })).toEqual([
      { name: 'id', type: 'bigint' },
      { name: 'Größe "1"', type: 'decimal(24,10)' },
      { name: 'seen', type: 'timestamp' },
      { name: 'made', type: 'timestamp_ntz' },
      { name: 'tags', type: 'array<bigint>' },
      { name: 'place', type: 'struct<city:string,zip:string>' },
      { name: 'active', type: 'boolean' },
    ])
    expect(peer.statements.slice(before).every((each) => each.startsWith('DESCRIBE QUERY SELECT * FROM ('))).toBe(true)
    expect(await session.describe({ schema: 'sales', table: 'emails' })).toHaveLength(2)
  })

  test.each([
    ['select\n  nothing\nfrom sales.customers', /^\[UNRESOLVED_COLUMN.* "nothing" .*SQLSTATE: 42703; line 2 pos 0$/],
    ['select id\nfrom sales.customers\nlimit, 1', /^\[PARSE_SYNTAX_ERROR\] .*line 3 pos 0$/],
    ['select * from nowhere.nothing', /^\[TABLE_OR_VIEW_NOT_FOUND\] .*line 1 pos 0$/],
    ['', /PARSE_SYNTAX_ERROR/],
  ])("the query %j is refused with the server's message", async (sql, words) => {
    const session = await open()
    const error = await failure(session.describe({ sql }))
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(DataQueryError)
    // The session can still be used.
    expect(await session.describe({ sql: 'select 1 as one' })).toEqual([{ name: 'one', type: 'int' }])
  })

  test('a query can have comments, a final semicolon, common table expressions, and unions', async () => {
    const session = await open()
    const sql = 'with a as (select 1 as n union all select 2) select n from a order by n -- the last )\n;'
    expect(await rowsOf(session, { sql })).toEqual([['1'], ['2']])
  })

  test('values keep every digit, moments are in UTC, and composite values are JSON', async () => {
    const session = await open()
    const rows = await rowsOf(session, { schema: 'sales', table: 'customers' })
    const [second, first] = rows.toSorted(([one], [other]) => Number(one) - Number(other))
    expect(first).toEqual([
      '9223372036854775807',
      'ada@exämple.com',
      '12345678901.0123456789',
      '1815-12-10',
      '2026-01-02 03:04:05.678901',
      '2026-01-02 03:04:05.678',
      '[9223372036854775807,2]',
      '{"a":"1.10"}',
      '{"city":"Köln","zip":null}',
      '{"b":{"c":[1,2]}}',
      't',
      '0.1',
      '12345678901234567890123456789',
      '\\x6162',
    ])
    expect(second).toEqual([
      '2',
      null,
      null,
      null,
      '1815-12-10 00:00:00.500000',
      ...Array(5).fill(null),
      'f',
      ...Array(3).fill(null),
    ])
  })

  test('a result in chunks gives each row once, and at most the requested number', async () => {
    const session = await open()
    const sql = 'select range as n from range(50000) order by n'
    const rows = await rowsOf(session, { sql }, 40_000)
    expect(rows.map(([n]) => n)).toEqual(Array.from({ length: 40_000 }, (_, at) => String(at)))
    expect(peer.asked.filter((each) => each.includes('/result/chunks/39'))).toHaveLength(1)
    expect(await rowsOf(session, { sql: 'select 1 as n where false' })).toEqual([])
  })

  test('a result over the limit of answers fails with a clear message', async () => {
    peer.inlineBytes = 1000
    const session = await open()
    const error = await failure(rowsOf(session, { sql: `select repeat('x', 2000) as x` }))
    expect(error).toBeInstanceOf(DataQueryError)
    expect((error as Error).message).toMatch(/^The result has more than 25 MB/)
  })

  test('a query with rows too large for one batch fails with a clear message', async () => {
    const session = await open()
    const error = await failure(rowsOf(session, { sql: `select repeat(repeat('x', 1000000), 10) as x` }))
    expect((error as Error).message).toMatch(/^The rows are too large: /)
    expect(error).toBeInstanceOf(DataQueryError)
  })
})

describe('the end of a query', () => {
  const endless = { sql: 'select 1 as endless' }
  /** Prepares that reads never end, but descriptions do. */
  const neverEnding = (): void => {
    peer.endless = 'SELECT CAST('
    peer.canceled.length = 0
  }

  test('an endless query is canceled in Databricks at its limit', async () => {
    const session = await open({ statementMs: 300 })
    neverEnding()
    expect(await failure(rowsOf(session, endless))).toEqual(
      new DataQueryError('The query did not finish within 0.3 seconds'),
    )
    expect(peer.canceled).toHaveLength(1)
  })

  test('the setting for the maximum time is lower than the limit of the caller', async () => {
    const session = await open({ given: { max_seconds: 5 }, statementMs: 600_000 })
    neverEnding()
    const sent = Date.now
    let passed = 0
    Date.now = () => sent() + (passed += 2000)
    try {
      expect(await failure(rowsOf(session, endless))).toEqual(
        new DataQueryError('The query did not finish within 5 seconds'),
      )
    } finally {
      Date.now = sent
    }
    expect(peer.canceled).toHaveLength(1)
  })

  test('a warehouse that does not start in time is not a fault of the query', async () => {
    const session = await open({ statementMs: 300 })
    neverEnding()
    peer.endlessState = 'PENDING'
    const error = await failure(rowsOf(session, endless))
    expect(error).toBeInstanceOf(RetryableError)
    expect((error as Error).message).toMatch(/^The SQL warehouse did not start within 0.3 seconds/)
    expect(peer.canceled).toHaveLength(1)
  })

  test('an abort cancels the query in Databricks', async () => {
    const abort = new AbortController()
    const session = await open({ signal: abort.signal })
    neverEnding()
    const asked = failure(rowsOf(session, endless))
    await expect.poll(() => peer.statements.at(-1)).toMatch(/^SELECT CAST\(/)
    abort.abort()
    expect(await asked).toBeInstanceOf(RetryableError)
    await expect.poll(() => peer.canceled).toHaveLength(1)
  })

  test('a query that a user cancels in Databricks is tried again later', async () => {
    const session = await open()
    neverEnding()
    const canceled = { statement_id: 'a', status: { state: 'CANCELED' } }
    peer.intercept = ({ method }, path) =>
      method === 'GET' && path.includes('statements/') && peer.statements.at(-1)?.startsWith('SELECT CAST') === true
        ? { status: 200, body: JSON.stringify(canceled) }
        : undefined
    const error = await failure(rowsOf(session, endless))
    expect(error).toBeInstanceOf(RetryableError)
    expect((error as Error).message).toBe('The statement was canceled in Databricks')
  })

  test('temporary errors while a query runs are waited out', async () => {
    const session = await open()
    let failures = 0
    peer.intercept = ({ method }, path) =>
      method === 'GET' && path.includes('statements/') && failures++ % 3 !== 2
        ? apiError(503, 'TEMPORARILY_UNAVAILABLE', 'Later.')
        : undefined
    expect(await rowsOf(session, { sql: 'select 1 as n' })).toEqual([['1']])
    expect(failures).toBe(6)
  })

  test('a caller that stops between two chunks asks for no more of them', async () => {
    peer.chunkRows = 100
    const session = await open()
    for await (const batch of session.read({ sql: 'select range as n from range(1000)' }, 1000)) {
      expect(batch).toHaveLength(100)
      break
    }
    const [last] = peer.asked.slice(-1)
    expect(last).not.toMatch(/chunks\/2/)
    expect(await session.describe({ sql: 'select 1 as one' })).toHaveLength(1)
  })
})

describe('the check of a key', () => {
  const values = (rows: string): DataQuery => ({ sql: `select * from (values ${rows}) as t(a, b) -- all of them` })

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
    expect(await failure(session.checkKey({ sql: 'select 1 as id' }, ['no`ne']))).toBeInstanceOf(DataQueryError)
  })
})
