import {
  ConfigurationError,
  createEgressPolicy,
  createLifetime,
  createRequestClient,
  type DeliverContext,
  type EventOutcome,
  type OutgoingEvent,
  type OutgoingRow,
  RetryableError,
  validateSettings,
} from '@tributary/connector-kit'
import { testRowObject } from '@tributary/connector-kit/testing-rows'
import { silentLogger } from '@tributary/kernel'
import { hasMariaDb, type MariaDbPeer, startMariaDb } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tableObject } from '../../wire/access/table-object.ts'
import { mysql } from './definition.ts'

let peer: MariaDbPeer
const stack = new AsyncDisposableStack()
let context: DeliverContext

const contextOf = (given: Record<string, unknown> = {}): DeliverContext => {
  const checked = validateSettings(mysql, { ...peer.access, tls: 'off', ...given })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const client = createRequestClient({ egress: createEgressPolicy({ allow: ['127.0.0.0/8'] }), logger: silentLogger })
  stack.defer(() => client.close())
  const lifetime = createLifetime()
  stack.defer(() => lifetime.end())
  return {
    settings: checked.settings,
    request: client.request,
    connect: client.connect,
    lifetime,
    clock: Date.now,
    logger: silentLogger,
    signal: new AbortController().signal,
  }
}
beforeAll(async () => {
  if (!hasMariaDb) return
  peer = stack.use(await startMariaDb())
  // Without the session's own settings, these settings would truncate values and change the meaning of a quote.
  await peer.query(`set global sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES'`)
  context = contextOf()
})
afterAll(() => stack.disposeAsync())

const row = (table: string, operation: OutgoingRow['operation'], key: string, more = '', name = 'id'): OutgoingRow => ({
  recordId: `r.${key}`,
  operation,
  object: tableObject({ table, key: name }),
  key,
  json: `{${JSON.stringify(name)}:${JSON.stringify(key)}${more}}`,
})
const write = async (rows: readonly OutgoingRow[]): Promise<readonly EventOutcome[]> => {
  const { outcomes = [] } = (await mysql.deliverRows?.(rows, context)) ?? {}
  if ('kind' in outcomes) throw new Error('One outcome for all rows')
  return outcomes
}
const read = (table: string) => peer.query(`select * from \`${table}\` order by 1`)
const delivered = { kind: 'delivered' }

describe.skipIf(!hasMariaDb)('rows', () => {
  testRowObject({
    address: (table) => tableObject({ table, key: 'id' }),
    write,
    read: (table) => peer.query(`select id, plan from \`${table}\` order by 1`),
    refuseBad: async (table) => {
      await peer.query(`alter table \`${table}\` add check (plan <> 'bad')`)
    },
  })

  test('keys in MySQL are equal only if each letter is equal', async () => {
    const keys = ['a', 'A', 'ä', 'a ', '😀']
    expect(await write(keys.map((key) => row('letters', 'insert', key)))).toEqual(keys.map(() => delivered))
    expect(await read('letters')).toHaveLength(5)
  })

  test('invalid rows among hundreds are found by halving, and only they are rejected', async () => {
    await write([row('mixed', 'upsert', 'a', ',"n":1,"mail":"a"')])
    await peer.query('alter table mixed add check (n < 1000), add column low tinyint, modify mail varchar(20) unique')
    await write([row('mixed', 'upsert', 'first', ',"n":1,"mail":"taken"')])
    const rows = Array.from({ length: 500 }, (_, at) => {
      if (at === 33) return row('mixed', 'upsert', 'k33', ',"n":5000,"mail":"k33"')
      if (at === 44) return row('mixed', 'upsert', 'k44', ',"n":44,"mail":"taken"')
      if (at === 55) return row('mixed', 'upsert', 'k55', ',"n":"many"')
      if (at === 66) return row('mixed', 'upsert', 'k66', ',"n":0.12345678901')
      if (at === 77) return row('mixed', 'upsert', 'k77', ',"low":128')
      return row('mixed', 'upsert', `k${at}`, `,"n":${at},"mail":"m${at}"`)
    })
    const outcomes = await write(rows)
    const bad = outcomes.flatMap((outcome, at) => (outcome.kind === 'delivered' ? [] : [[at, outcome] as const]))
    const reason = (text: string) => ({ kind: 'rejected', reason: expect.stringContaining(text) })
    expect(bad).toEqual([
      [33, reason('CONSTRAINT')],
      [44, reason('Duplicate entry')],
      [55, reason('n does not match its type, decimal')],
      [66, reason('n does not match its type, decimal')],
      [77, reason('low does not match its type, tinyint')],
    ])
    expect(await peer.query('select count(*) as n from mixed')).toEqual([{ n: 497 }])
    expect(await peer.query(`select id from mixed where mail = 'taken'`)).toEqual([{ id: 'first' }])
  })

  test('a batch of 500 upserts over 500 rows with another unique index changes each row', async () => {
    await peer.query('create table uniques (id int primary key, mail varchar(50) unique, n int)')
    const rows = (plus: number) =>
      Array.from({ length: 500 }, (_, at) => row('uniques', 'upsert', String(at), `,"mail":"m${at}","n":${at + plus}`))
    await write(rows(0))
    expect(new Set(await write(rows(1)))).toEqual(new Set([delivered]))
    expect(await peer.query('select sum(n - id) as n from uniques')).toEqual([{ n: '500' }])
  })

  test('values keep their digits in columns of their types', async () => {
    await peer.query(`create table kinds (id bigint unsigned primary key, big bigint, money decimal(20, 4), at timestamp(6) null,
      day date, made datetime, raw varbinary(20), flags bit(12), doc json, note text, plan enum('free', 'pro'), open time, ok bool)`)
    const more = `,"big":-9223372036854775808,"money":"1234567890123456.7890","at":"2026-01-02T03:04:05.678901+02:00",
      "day":"2026-01-02","made":"2026-01-02T03:04:05Z","raw":"\\\\x00ff","flags":"2561","doc":{"a":[1.10]},
      "note":"it's \\"a\\\\b\\" \\u0000 \\ud800","plan":"pro","open":"-838:59:59","ok":true`
    expect(await write([row('kinds', 'insert', '18446744073709551615', more)])).toEqual([delivered])
    expect(
      await peer.query(`select cast(id as char) id, cast(big as char) big, cast(money as char) money, unix_timestamp(at) at,
        cast(day as char) day, cast(made as char) made, hex(raw) raw, flags + 0 flags, doc, hex(note) note, plan, open, ok from kinds`),
    ).toEqual([
      {
        id: '18446744073709551615',
        big: '-9223372036854775808',
        money: '1234567890123456.7890',
        at: '1767315845.678901',
        day: '2026-01-02',
        made: '2026-01-02 03:04:05',
        raw: '00FF',
        flags: 2561,
        doc: '{"a":[1.10]}',
        note: Buffer.from(`it's "a\\b" \0 \ufffd`).toString('hex').toUpperCase(),
        plan: 'pro',
        open: '-838:59:59',
        ok: 1,
      },
    ])
  })

  test('a table that was dropped is created again', async () => {
    await write([row('dropped', 'upsert', 'a', ',"n":1')])
    await peer.query('drop table dropped')
    expect(await write([row('dropped', 'upsert', 'b', ',"n":1')])).toEqual([delivered])
  })

  test('a table without a unique index on the key is a set-up problem', async () => {
    await peer.query('create table loose (id int, n int)')
    expect(await write([row('loose', 'upsert', '1', ',"n":1')])).toEqual([
      { kind: 'retry', misconfigured: true, reason: 'The table loose has no unique index on the column id' },
    ])
  })

  test('any name of a table and a column is accepted, and rows of other objects are rejected', async () => {
    expect(await write([row(`a/b "c"'%\`\\`, 'upsert', 'k', ',"x`y\\"": "v"', 'Größe, m²')])).toEqual([delivered])
    expect(await peer.query('select * from `a/b "c"\'%``\\`')).toEqual([{ 'Größe, m²': 'k', 'x`y"': 'v' }])
    expect(await write([{ ...row('x', 'delete', 'k'), object: 'users' }])).toMatchObject([{ kind: 'rejected' }])
  })

  test('a transaction that loses a deadlock is repeated', async () => {
    await write([row('locked', 'upsert', 'a', ',"n":1'), row('locked', 'upsert', 'b', ',"n":1')])
    // The administrator's transaction holds b and waits for a. It has changed more rows, so the server aborts our
    // transaction.
    await peer.query('start transaction')
    await peer.query(`update locked set n = n + 10 where id = 'b'`)
    await peer.query(`insert into locked (id) select concat('z', seq) from seq_1_to_500`)
    const written = write([row('locked', 'update', 'a', ',"n":2'), row('locked', 'update', 'b', ',"n":2')])
    await expect
      .poll(() => peer.query(`select 1 from information_schema.innodb_trx where trx_state = 'LOCK WAIT'`), {
        // The server caches the result of more frequent queries.
        interval: 200,
      })
      .toHaveLength(1)
    await peer.query(`update locked set n = n + 10 where id = 'a'`)
    await peer.query('commit')
    expect(await written).toEqual([delivered, delivered])
    expect(await peer.query(`select id, n + 0 as n from locked where id in ('a', 'b')`)).toEqual([
      { id: 'a', n: '2.0000000000' },
      { id: 'b', n: '2.0000000000' },
    ])
  })

  test('a lost connection is a temporary error, and the next write opens a new one', async () => {
    await write([row('cut', 'upsert', 'a')])
    await peer.cut()
    const written = await write([row('cut', 'upsert', 'b')]).catch((error: unknown) => error)
    if (written instanceof Error) expect(written).toBeInstanceOf(RetryableError)
    expect(await write([row('cut', 'upsert', 'b')])).toEqual([delivered])
  })
})

describe.skipIf(!hasMariaDb)('events and the connection', () => {
  const event = (messageId: string, payload: Record<string, unknown>): OutgoingEvent => ({
    eventId: `0-${messageId}-0`,
    messageId,
    type: 'track',
    event: 'Order Completed',
    json: '{}',
    action: 'upsert_row',
    payload,
  })

  test('an event becomes one row, identified by its message ID', async () => {
    const first = event('m1', { id: 'm1', event: 'Order Completed', properties: { total: 5 }, user_id: null })
    const without = event('m2', { event: 'x' })
    const outcomes = [delivered, delivered, { kind: 'rejected', reason: 'The row has no value for the key column id' }]
    expect(await mysql.deliver([first, first, without], context)).toMatchObject({ outcomes })
    expect(await read('events')).toEqual([{ id: 'm1', event: 'Order Completed', properties: '{"total":5}' }])
  })

  test('the connection test names the server and the user, or the failure; a wrong password holds events', async () => {
    expect(await mysql.testConnection(context)).toEqual({
      ok: true,
      message: expect.stringMatching(/^Connected to MariaDB \d+\.\d+\.\d+ as reader@/),
    })
    const wrong = contextOf({ password: 'wrong' })
    expect(await mysql.testConnection(wrong)).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^Wrong user or password/),
    })
    const failure: unknown = await mysql.deliver([event('m3', { id: 'm3' })], wrong).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ConfigurationError)
    expect(JSON.stringify(failure)).not.toContain(peer.access.password)
  })
})

describe.skipIf(!hasMariaDb)('listing keys', () => {
  const list = async (table: string): Promise<string[]> => {
    const found: string[] = []
    await mysql.listKeys?.(context, tableObject({ table, key: 'id' }), async (keys) => void found.push(...keys))
    return found
  }

  test.each(['bigint', 'varchar(40)', 'uuid'])(
    'listing finds every key of the type %s once, over many pages',
    async (type) => {
      const table = `listed_${type.slice(0, 4)}`
      const first = '9007199254740993'
      const value = type === 'uuid' ? 'uuid()' : `${first} + seq`
      await peer.query(`create table ${table} (id ${type} primary key)`)
      await peer.query(`insert into ${table} select ${value} from seq_1_to_777`)
      const keys = await list(table)
      expect([keys.length, new Set(keys).size]).toEqual([777, 777])
      if (type === 'bigint') expect(keys.at(0)).toBe('9007199254740994')
    },
  )

  test('listing finds no key in a missing table, and refuses a key column without a comparison', async () => {
    expect(await list('listed_nowhere')).toEqual([])
    await peer.query('create table listed_times (id datetime primary key)')
    await expect(list('listed_times')).rejects.toThrow('has the type datetime')
  })
})
