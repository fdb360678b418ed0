import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createEgressPolicy, createRequestClient, type OutgoingEvent } from '@tributary/connector-kit'
import { runConnector, runWithContext } from '@tributary/connector-kit/testing'
import { silentLogger } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSession } from '../../connectors/data-sources/snowflake/session.ts'
import { defineSnowflake } from '../../connectors/destinations/snowflake/definition.ts'
import {
  startSnowflake,
  type TestEngine,
  TestRefusal,
  type TestResult,
  testAccess,
} from '../../connectors/wire/snowflake/testing-snowflake.ts'
import { isBlock, statementsIn } from '../../connectors/wire/snowflake/testing-translate.ts'

/** Versions from PyPI. Later connectors are not what this fakesnow is made for. */
const packages = ['fakesnow==0.12.1', 'snowflake-connector-python==3.18.1']

const hasPython = ((): boolean => {
  try {
    execFileSync('python3', ['-c', 'import venv'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write('The test of Snowflake on fakesnow is skipped: there is no python3 with venv\n')
    return false
  }
})()

type Reply = TestResult & { count: number } & { code?: string; sqlState?: string; message?: string }

let folder: string
let child: ChildProcess
let ask: (request: object) => Promise<Reply>

beforeAll(async () => {
  if (!hasPython) return
  folder = mkdtempSync(join(tmpdir(), 'tributary-fakesnow-'))
  const run = promisify(execFile)
  await run('python3', ['-m', 'venv', folder])
  await run(join(folder, 'bin', 'pip'), ['install', '--quiet', ...packages])
  child = spawn(join(folder, 'bin', 'python'), [join(import.meta.dirname, 'fakesnow-adapter.py')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('The adapter has no pipes')
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  let last: Promise<unknown> = Promise.resolve()
  ask = (request) => {
    const next = last.then(async () => {
      stdin.write(`${JSON.stringify(request)}\n`)
      return JSON.parse(String((await lines.next()).value)) as Reply
    })
    last = next.catch(() => {})
    return next
  }
})
afterAll(() => {
  child?.kill()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

const replyTo = async (request: object): Promise<Reply> => {
  const reply = await ask(request)
  if (reply.code !== undefined) throw new TestRefusal(reply.code, reply.sqlState ?? '', reply.message ?? '')
  return reply
}
const engine: TestEngine = {
  count: async (sql) => (isBlock(sql) ? 1 : (await replyTo({ count: true, sql })).count),
  run: async ({ sql, values }) => {
    // fakesnow runs no blocks, and no MERGE in a transaction.
    const statements = statementsIn(sql).filter((each) => !/^(?:BEGIN TRANSACTION|COMMIT)$/.test(each))
    for (const each of statements.slice(0, -1)) await replyTo({ count: false, sql: each, values: [] })
    return await replyTo({ count: false, sql: statements.at(-1) ?? '', values })
  },
}
const make = async (...statements: string[]): Promise<void> => {
  for (const sql of statements)
    await engine.run({ sql, values: [], role: '', warehouse: null, database: null, schema: null })
}

test.skipIf(!hasPython)('a data source reads tables and queries of Snowflake, as fakesnow runs them', async () => {
  await using stack = new AsyncDisposableStack()
  const peer = stack.use(await startSnowflake({ engine, partRows: 2 }))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  stack.defer(() => client.close())
  await make(
    'CREATE SCHEMA SALES',
    `CREATE TABLE SALES.CUSTOMERS (ID NUMBER(38,0) PRIMARY KEY, EMAIL VARCHAR, SPENT NUMBER(24,10), BORN DATE,
      SEEN TIMESTAMP_TZ, MADE TIMESTAMP_NTZ, EXTRA VARIANT, ACTIVE BOOLEAN, RATIO FLOAT)`,
    `INSERT INTO SALES.CUSTOMERS SELECT 1, 'ada@exämple.com', 12345678901.0123456789, '1815-12-10'::DATE,
      '2026-01-02 05:04:05.678 +02:00'::TIMESTAMP_TZ, '2026-01-02 03:04:05'::TIMESTAMP_NTZ, PARSE_JSON('{"a":[1,2]}'), TRUE, 0.1`,
    'INSERT INTO SALES.CUSTOMERS (ID) VALUES (2), (3)',
    'CREATE VIEW SALES.EMAILS AS SELECT ID, EMAIL FROM SALES.CUSTOMERS',
  )
  const { signal } = new AbortController()
  const settings = { ...testAccess, max_seconds: undefined }
  const session = stack.use(
    await openSession({ settings, connect: client.connect, signal, statementMs: 60_000 }, peer.origin),
  )
  expect(await session.about()).toMatch(/^Connected to Snowflake /)
  // Unlike Snowflake, fakesnow lists no views there.
  expect(await session.listTables({ search: 'sales.', offset: 0, limit: 10 })).toMatchObject([
    { schema: 'SALES', name: 'CUSTOMERS', kind: 'table' },
  ])
  const columns = await session.listColumns({ schema: 'SALES', table: 'CUSTOMERS' }, 100)
  expect(columns.slice(0, 3)).toMatchObject([
    { name: 'ID', type: 'numeric(38,0)', in_key: true },
    { name: 'EMAIL', type: 'text', in_key: false },
    { name: 'SPENT', type: 'numeric(24,10)' },
  ])
  const read = async (sql: string, from?: Parameters<typeof session.read>[2]) => {
    const rows = []
    for await (const batch of session.read({ sql }, 100, from)) rows.push(...batch)
    return rows
  }
  expect(await read('select * from SALES.CUSTOMERS where ID = 1 -- one\n;')).toEqual([
    [
      '1',
      'ada@exämple.com',
      '12345678901.0123456789',
      '1815-12-10',
      '2026-01-02 03:04:05.678+00',
      '2026-01-02 03:04:05',
      '{"a":[1,2]}',
      't',
      '0.1',
    ],
  ])
  const from = { column: 'SEEN', kind: 'time', value: '2026-01-02 03:04:05.679' } as const
  expect(await read('select ID, SEEN from SALES.CUSTOMERS order by ID', from)).toEqual([
    ['2', null],
    ['3', null],
  ])
  expect(await session.checkKey({ sql: 'select ID, ACTIVE from SALES.CUSTOMERS' }, ['ACTIVE'])).toEqual({
    rows: 3,
    null_rows: 2,
    duplicate_keys: 0,
    duplicate_rows: 0,
  })
  await expect(
    session.describe({ sql: 'select 1 as a) ; drop table SALES.CUSTOMERS; select * from (select 1' }),
  ).rejects.toThrow('Queries can only have one statement')
})

// fakesnow rewrites MERGE, and does not run the one for users.
test.skipIf(!hasPython)('events are staged and loaded once, as fakesnow runs the statements', async () => {
  await using stack = new AsyncDisposableStack()
  const peer = stack.use(await startSnowflake({ engine }))
  await make('CREATE SCHEMA EVENTS')
  const destination = defineSnowflake(() => peer.origin)
  const settings = { ...testAccess, schema: 'events' }
  const event = (at: number, properties: Record<string, unknown>): OutgoingEvent => {
    const ids = { eventId: `0-${at}-0`, messageId: `m${at}`, type: 'track' as const, event: 'Order Completed' }
    const time = '2026-01-02T03:04:05.678Z'
    const json = JSON.stringify({ ...ids, userId: 'u', context: {}, receivedAt: time, timestamp: time, properties })
    return { ...ids, json, action: 'write_event' }
  }
  const load = () =>
    runWithContext(destination, settings, async (context) => await destination.warehouse?.load(context))
  const events = [event(1, { total: 42.5, gift: true, note: `it's a "\\" text` }), event(2, { total: 'many' })]
  await runConnector(destination, settings, events)
  expect(await load()).toMatchObject({ batches: 1, rows: { tracks: 2, order_completed: 2 } })
  await runConnector(destination, settings, events)
  await load()
  const rows = async (sql: string) => (await replyTo({ count: false, sql, values: [] })).rows
  expect(await rows('SELECT ID, TOTAL, GIFT, NOTE, EXTRA_PROPERTIES FROM EVENTS.ORDER_COMPLETED ORDER BY ID')).toEqual([
    ['m1', '42.5000000000', 'true', `it's a "\\" text`, null],
    ['m2', null, null, null, '{"total":"many"}'],
  ])
  expect(await rows('SELECT COUNT(*) FROM EVENTS.TRIBUTARY_STAGE')).toEqual([['0']])
})
