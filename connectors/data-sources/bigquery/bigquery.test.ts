import { type DataQuery, DataQueryError } from '@tributary/connector-kit'
import { describe, expect, test } from 'vitest'
import { failure, refusing, rowsOf, useCompany } from './testing-session.ts'

// The stand-in follows Google's documentation: methods, scopes of tokens, forms of rows, limits, and reasons of errors.
// DuckDB runs the statements. These tests do not cover the parts that are only in the service, such as its parser.
const { peer, open } = useCompany()

describe('a data source is never written', () => {
  test.each([
    ['an insert', 'INSERT INTO customers (id) VALUES (5)', 'INSERT'],
    ['a second statement', 'SELECT 1 AS id; DROP TABLE customers', 'SCRIPT'],
    ['a closed parenthesis', 'SELECT 1 AS id) AS x; DROP TABLE customers; SELECT * FROM (SELECT 1', ''],
    ['a deletion', 'DELETE FROM customers WHERE true', 'DELETE'],
    ['an update', 'UPDATE customers SET id = 1 WHERE true', 'UPDATE'],
    ['a merge', 'MERGE INTO customers USING changes ON false WHEN NOT MATCHED THEN INSERT (id) VALUES (1)', 'MERGE'],
    ['a truncation', 'TRUNCATE TABLE customers', 'TRUNCATE_TABLE'],
    ['a table that is made of a query', 'CREATE TABLE made AS SELECT 1 AS id', 'CREATE_TABLE_AS_SELECT'],
    ['a comment in front', '/* SELECT */ -- SELECT\nDROP TABLE customers', 'DROP_TABLE'],
  ])('a query with %s is refused before it runs', async (_, sql, kind) => {
    const session = await open()
    const before = peer().jobs.ran.length
    const from = { column: 'id', kind: 'number', value: '1' } as const
    expect(await failure(rowsOf(session, { sql }))).toBeInstanceOf(DataQueryError)
    expect(await failure(rowsOf(session, { sql }, 100, from))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.checkKey({ sql }, ['id']))).toBeInstanceOf(DataQueryError)
    expect(await failure(session.describe({ sql }))).toBeInstanceOf(DataQueryError)
    if (kind !== '')
      expect(await failure(session.describe({ sql }))).toEqual(
        new DataQueryError(`Queries can only read: this is a statement of the kind ${kind}`),
      )
    expect(peer().jobs.ran).toHaveLength(before)
    expect((await peer().duck.run('select count(*)::int from company.customers')).rows).toEqual([[2]])
  })

  test('a query runs with a token that can only read, with the limit of bytes and of time, and once', async () => {
    const session = await open({ given: { max_gigabytes: 3 } })
    const before = peer().asked.length
    await rowsOf(session, { sql: 'SELECT 1 AS id' })
    const [, dryRun, , query] = peer().asked.slice(before)
    expect(dryRun).toMatchObject({ at: 'POST /bigquery/v2/projects/my-project/jobs' })
    expect(query).toMatchObject({
      at: 'POST /bigquery/v2/projects/my-project/queries',
      body: {
        query: 'SELECT 1 AS id',
        useLegacySql: false,
        connectionProperties: [{ key: 'time_zone', value: 'UTC' }],
        defaultDataset: { projectId: 'my-project', datasetId: 'company' },
        maximumBytesBilled: '3221225472',
        jobTimeoutMs: '20000',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    })
  })

  test('a query above the maximum of bytes is refused by its dry run, and by BigQuery', async () => {
    const session = await open({ given: { max_gigabytes: 1 } })
    peer().jobs.set.bytes = 5n * 1024n ** 3n + 1n
    const words =
      'The query would read 5 GB, and the data source allows 1 GB. Read less, or raise the maximum in its settings'
    expect(await failure(session.describe({ sql: 'SELECT 1 AS id' }))).toEqual(new DataQueryError(words))
    expect(await failure(rowsOf(session, { schema: 'company', table: 'customers' }))).toEqual(new DataQueryError(words))
    peer().answerInstead = (_, at) => {
      peer().jobs.set.bytes = at.endsWith('/queries') ? 5n * 1024n ** 3n : 1n
      return undefined
    }
    const error = await failure(rowsOf(session, { sql: 'SELECT 1 AS id' }))
    expect((error as Error).message).toMatch(/^Query exceeded limit for bytes billed: 1073741824\. /)
    expect(error).toBeInstanceOf(DataQueryError)
  })
})

describe('the listed tables of BigQuery', () => {
  test('tables and views are listed by dataset and name', async () => {
    const session = await open()
    const before = peer().jobs.ran.length
    expect(await session.listTables({ search: '', offset: 0, limit: 100 })).toEqual([
      { schema: 'company', name: 'changes', kind: 'table', rows: null },
      { schema: 'company', name: 'customers', kind: 'table', rows: null },
      { schema: 'company', name: 'emails', kind: 'view', rows: null },
      { schema: 'other', name: 'numbers', kind: 'table', rows: null },
      { schema: 'other', name: 'odd "na`me', kind: 'table', rows: null },
    ])
    expect(await session.listTables({ search: 'NY.EM', offset: 0, limit: 100 })).toMatchObject([{ name: 'emails' }])
    expect(await session.listTables({ search: '', offset: 2, limit: 2 })).toMatchObject([
      { name: 'emails' },
      { name: 'numbers' },
    ])
    expect(await session.listTables({ search: `%'\\`, offset: 0, limit: 9 })).toEqual([])
    expect(peer().jobs.ran).toHaveLength(before)
  })

  test('a list of more than one page is read to its end, and an endless one is not', async () => {
    const session = await open()
    let pages = 0
    const tables = (from: number) =>
      Array.from({ length: 2 }, (_, at) => ({ type: 'TABLE', tableReference: { tableId: `t${from + at}` } }))
    peer().answerInstead = (request, at) => {
      if (!at.endsWith('/datasets/company/tables')) return undefined
      const from = Number(new URL(request.url, 'http://a').searchParams.get('pageToken') ?? 0)
      pages++
      const more = pages > 3 && pages < 10 ? {} : { nextPageToken: String(from + 2) }
      return { status: 200, body: JSON.stringify({ tables: tables(from), ...more }) }
    }
    expect(await session.listTables({ search: 'company', offset: 0, limit: 100 })).toHaveLength(8)
    pages = 10
    expect((await session.listTables({ search: '', offset: 0, limit: 5 })).map(({ name }) => name)).toEqual([
      't0',
      't1',
      't10',
      't100',
      't101',
    ])
    expect(pages).toBeLessThan(250)
  })

  test('columns of a table are listed in order with types, nullability, and primary key', async () => {
    const session = await open()
    const columns = await session.listColumns({ schema: 'company', table: 'customers' }, 2000)
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'id INT64',
      'email STRING',
      'spent NUMERIC',
      'exact BIGNUMERIC',
      'born DATE',
      'seen TIMESTAMP',
      'made DATETIME',
      'wakes TIME',
      'active BOOL',
      'ratio FLOAT64',
      'raw BYTES',
      'extra JSON',
      'tags ARRAY<INT64>',
      'place STRUCT<city STRING, zip STRING, lots ARRAY<STRUCT<n NUMERIC, at TIMESTAMP>>>',
    ])
    expect(columns.slice(0, 2)).toMatchObject([
      { nullable: false, in_key: true },
      { nullable: true, in_key: false },
    ])
    expect(await session.listColumns({ schema: 'company', table: 'customers' }, 1)).toHaveLength(1)
    expect(await session.listColumns({ schema: 'company', table: '../../x' }, 9)).toEqual([])
  })
})

describe('a query on BigQuery', () => {
  test.each([
    ['number', 'id', '2', '2,3,4'],
    ['number', 'spent', '11', '2,3,4'],
    ['number', 'spent', '99999999999999999999', '4'],
    ['date', 'born', '2026-01-03', '2,3,4'],
    ['time', 'seen', '2026-01-02 03:04:05.678', '2,3,4'],
    ['time', 'made', '2026-01-02 03:04:06.000', '2,3,4'],
  ] as const)(
    'a query with a cursor reads from a %s %s of %s on, including nulls',
    async (kind, column, value, ids) => {
      const session = await open()
      for (const query of [{ schema: 'company', table: 'changes' }, { sql: 'SELECT * FROM changes -- all' }]) {
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
    const session = await open()
    const before = peer().jobs.ran.length
    const sql = 'SELECT id, spent AS `Größe`, email FROM customers -- the end\n;'
    expect(await session.describe({ sql })).toEqual([
      { name: 'id', type: 'INT64' },
      { name: 'Größe', type: 'NUMERIC' },
      { name: 'email', type: 'STRING' },
    ])
    expect(await session.describe({ schema: 'other', table: 'odd "na`me' })).toEqual([{ name: 'a b', type: 'INT64' }])
    expect(await rowsOf(session, { schema: 'other', table: 'odd "na`me' })).toEqual([['1']])
    expect(peer().jobs.ran).toHaveLength(before + 1)
  })

  test.each([
    ['SELECT * FROM company.nothing', /^Not found: Table my-project:.*nothing/],
    ['SELECT FROM WHERE', /^Syntax error: .* at \[1:1\]$/],
    ['SELECT 1 AS a, 2 AS A', /^Duplicate column names in the result/],
    ['', /^Syntax error: Unexpected end of statement/],
  ])("the query %j is refused with the service's message", async (sql, words) => {
    const session = await open()
    const error = await failure(session.describe({ sql }))
    expect((error as Error).message).toMatch(words)
    expect(error).toBeInstanceOf(DataQueryError)
    expect(await session.describe({ sql: 'SELECT 1 AS one' })).toEqual([{ name: 'one', type: 'INT64' }])
  })

  test.each([
    ['accessDenied', 'Access Denied: Table my-project:secret.t: User does not have permission to query table'],
    ['resourcesExceeded', 'Resources exceeded during query execution'],
    ['responseTooLarge', 'Response too large to return'],
    ['billingTierLimitExceeded', 'Query exceeded resource limits'],
  ])('a query that fails with %s has the message of the service', async (reason, message) => {
    const session = await open()
    peer().answerInstead = (_, at) => (at.endsWith('/queries') ? refusing(403, reason, message) : undefined)
    expect(await failure(rowsOf(session, { sql: 'SELECT 1 AS a' }))).toEqual(new DataQueryError(message))
  })

  test('a query returns values with every digit, times in UTC, and composite values as JSON', async () => {
    const rows = await rowsOf(await open(), { schema: 'company', table: 'customers' })
    const [second, first] = rows.toSorted(([one], [other]) => Number(one) - Number(other))
    expect(first).toEqual([
      '9223372036854775807',
      'ada@exämple.com',
      '12345678901.012345678',
      '12345678901234.012345678901',
      '1815-12-10',
      '2026-01-02T01:04:05.678901Z',
      '2026-01-02 03:04:05.5',
      '01:02:03',
      'true',
      '0.1',
      '\\xff006162',
      '{"b": [1, 2.50]}',
      '[9223372036854775807,null]',
      '{"city":"Köln \\"am\\" Rhein","zip":null,"lots":[{"n":1.100000000,"at":"1969-12-31T23:59:59.500Z"}]}',
    ])
    expect(second?.map((value) => value ?? '').join('|')).toBe('2|||||2026-01-02T00:00:00Z|||false|NaN|||[]|')
    expect(second?.filter((value) => value === null)).toHaveLength(9)
  })

  test('a query returns each row once, in batches, and at most the requested number', async () => {
    const session = await open()
    const sizes: number[] = []
    const numbers: string[] = []
    for await (const batch of session.read({ sql: 'SELECT n FROM other.numbers ORDER BY n' }, 40_000)) {
      sizes.push(batch.length)
      numbers.push(...batch.map(([n]) => n ?? ''))
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000)
    expect(numbers).toEqual(Array.from({ length: 40_000 }, (_, at) => String(at)))
    expect(await rowsOf(session, { sql: 'SELECT n FROM other.numbers WHERE false' })).toEqual([])
  })

  test('rows of a few megabytes arrive, one after the other', async () => {
    const session = await open()
    const sizes: number[] = []
    const sql = "SELECT n, repeat('x', 4000000) AS x FROM other.numbers WHERE n < 7"
    for await (const batch of session.read({ sql }, 100)) sizes.push(batch.length)
    expect(sizes).toEqual([2, 1, 1, 1, 1, 1])
  })

  test('a lost page is asked for again, and gives each row once', async () => {
    const session = await open()
    let lost = 0
    peer().answerInstead = (_, at) => (at.startsWith('GET ') && ++lost % 2 === 1 ? 'reset' : undefined)
    const rows = await rowsOf(session, { sql: 'SELECT n FROM other.numbers ORDER BY n' }, 30_000)
    expect(new Set(rows.map(([n]) => n)).size).toBe(30_000)
    expect(lost).toBeGreaterThan(2)
  })

  test('a query whose first answer is lost runs once', async () => {
    const session = await open()
    const before = peer().jobs.ran.length
    const requests: unknown[] = []
    peer().answerInstead = (request, at) => {
      if (!at.endsWith('/queries')) return undefined
      requests.push(JSON.parse(request.body).requestId)
      return requests.length === 1 ? 'reset' : undefined
    }
    expect(await rowsOf(session, { sql: 'SELECT 1 AS one' })).toEqual([['1']])
    expect(new Set(requests).size).toBe(1)
    expect(peer().jobs.ran).toHaveLength(before + 1)
  })
})

describe('the check of a key', () => {
  const values = (rows: string): DataQuery => ({ sql: `SELECT * FROM (VALUES ${rows}) AS t(a, b) -- all of them` })

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
    expect(
      await session.checkKey({ sql: 'SELECT id, tags, extra FROM customers WHERE false;' }, ['id', 'tags', 'extra']),
    ).toEqual({
      rows: 0,
      null_rows: 0,
      duplicate_keys: 0,
      duplicate_rows: 0,
    })
    expect(await failure(session.checkKey({ sql: 'SELECT 1 AS id' }, ['no`ne']))).toBeInstanceOf(DataQueryError)
  })
})
