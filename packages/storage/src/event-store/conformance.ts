import { TupleParam } from '@clickhouse/client'
import { describe, expect, it } from 'vitest'
import { countEvents, type EventStoreFixture, event, time } from './conformance-fixture.ts'
import { hostileTexts, randomTexts } from './hostile-texts.ts'
import { jsonTests } from './json-conformance.ts'
import { loadTests } from './load-conformance.ts'
import { type BinaryRows, EventStoreQueryError, InsertRejected, systemOwner } from './port.ts'
import { createRowReader, createRowWriter } from './row-binary.ts'

/** Events as RowBinary; `properties` returns the properties of an event by its index. */
const binaryEvents = (count: number, properties: (index: number) => string): BinaryRows => {
  const writer = createRowWriter()
  for (let index = 0; index < count; index++) {
    writer.text('w')
    writer.text(String(index))
    writer.time(Date.UTC(2026, 10, 21, 6, 0, 0, 123))
    writer.optionalTime(index % 2 === 0 ? undefined : Date.UTC(2026, 10, 21, 6, 0, 0, 456))
    writer.bool(index % 2 === 0)
    writer.uint32(index)
    writer.size(index % 3)
    for (let problem = 0; problem < index % 3; problem++) {
      writer.text(`it's\t"${problem}"`)
      writer.text('missing')
    }
    writer.text(properties(index))
    writer.text('line\nfeed \\ “ü” \u0000')
    writer.end()
  }
  const columns = ['workspace_id', 'event_id', 'receive_time', 'sent_at', 'test', 'schema_version', 'problems']
  return { columns: [...columns, 'properties', 'original'], pieces: [writer.take().bytes] }
}

/**
 * The tests that every event store must pass, the embedded one and a ClickHouse server. `open` returns a new database,
 * which is disposed after each test.
 */
export const eventStoreConformance = (name: string, open: () => Promise<EventStoreFixture>): void => {
  describe(`event store conformance: ${name}`, () => {
    insertTests(open)
    refusalTests(open)
    parameterTests(open)
    jsonTests(open)
    filterTests(open)
    loadTests(open)
  })
}

const insertTests = (open: () => Promise<EventStoreFixture>): void => {
  it('an event store shows rows as soon as their insert has returned, from one text or from a list', async () => {
    await using store = await open()
    await store.insert('events', `${event('1')}\n${event('2')}\n`, { token: 'a' })
    expect(await countEvents(store)).toBe(2)
    await store.insert('events', [event('3'), event('4')], { token: 'b' })
    expect(await store.query('select event_id from events order by event_id')).toEqual(
      ['1', '2', '3', '4'].map((event_id) => ({ event_id })),
    )
    await store.insert('events', '', { token: 'c' })
    expect(await countEvents(store)).toBe(4)
  })

  it('an event store stores an insert that is repeated with its token once, across partitions and concurrently', async () => {
    await using store = await open()
    const rows = Array.from({ length: 3 }, (_, month) =>
      event(`${month}`, { receive_time: `2026-0${month + 1}-15 00:00:00` }),
    )
    await store.insert('events', rows, { token: 'a' })
    await Promise.all([1, 2, 3].map(() => store.insert('events', rows, { token: 'a' })))
    expect(await countEvents(store)).toBe(3)
    await store.insert('events', rows, { token: 'b' })
    expect(await countEvents(store)).toBe(6)
  })

  it('an event store accepts times as milliseconds, as RFC 3339, and as text without a zone, all UTC', async () => {
    await using store = await open()
    const epoch = Date.UTC(2026, 10, 21, 6, 0, 0, 123)
    await store.insert(
      'events',
      [
        event('1', { timestamp: epoch }),
        event('2', { timestamp: new Date(epoch).toISOString() }),
        event('3', { timestamp: time }),
      ],
      { token: 'a' },
    )
    const rows = await store.query<{ ms: number }>('select toUnixTimestamp64Milli(timestamp) as ms from events')
    expect(rows.map(({ ms }) => ms)).toEqual([epoch, epoch, epoch])
  })

  it('an event store accepts rows as RowBinary, with a value of every kind, in pieces of any size', async () => {
    await using store = await open()
    const { columns, pieces } = binaryEvents(3, (index) => `{"n":${index},"day":"2026-01-01","list":[{"a":null}]}`)
    const [bytes = Buffer.alloc(0)] = pieces
    const cut = [bytes.subarray(0, 1), bytes.subarray(1, 100), Buffer.alloc(0), bytes.subarray(100)]
    await store.insert('events', { columns, pieces: cut }, { token: 'a' })
    const rows = await store.query(
      `select event_id, toUnixTimestamp64Milli(receive_time) as at, sent_at, test, schema_version, problems, properties,
        original, type from events order by event_id`,
    )
    const kept = (index: number) => ({
      event_id: String(index),
      at: Date.UTC(2026, 10, 21, 6, 0, 0, 123),
      sent_at: index % 2 === 0 ? null : '2026-11-21 06:00:00.456',
      test: index % 2 === 0,
      schema_version: index,
      problems: Array.from({ length: index % 3 }, (_, problem) => ({
        property: `it's\t"${problem}"`,
        kind: 'missing',
      })),
      properties: { n: index, day: '2026-01-01', list: [{}] },
      original: 'line\nfeed \\ “ü” \u0000',
      type: '',
    })
    expect(rows).toEqual([kept(0), kept(1), kept(2)])
    await store.insert('events', { columns, pieces: [] }, { token: 'b' })
    expect(await countEvents(store)).toBe(3)
  })

  it('an event store stores all rows of a large insert or none, and only once if repeated with its token', async () => {
    await using store = await open()
    const many = 200_000
    const broken = binaryEvents(many, (index) => (index === many - 1 ? '{"n":' : `{"n":${index}}`))
    const refusal = await store.insert('events', broken, { token: 'large' }).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(InsertRejected)
    if (refusal instanceof InsertRejected) expect(refusal.row).toBe(many)
    expect(await countEvents(store)).toBe(0)
    const sound = binaryEvents(many, (index) => `{"n":${index}}`)
    await store.insert('events', sound, { token: 'large' })
    await store.insert('events', sound, { token: 'large' })
    expect(await countEvents(store)).toBe(many)
  })

  it('an event store keeps two databases separate', async () => {
    await using one = await open()
    await using other = await open()
    await one.insert('events', event('1'), { token: 'a' })
    await other.insert('events', [event('1'), event('2')], { token: 'a' })
    expect([await countEvents(one), await countEvents(other)]).toEqual([1, 2])
  })
}

const refusalTests = (open: () => Promise<EventStoreFixture>): void => {
  it('an event store rejects broken rows as a whole with InsertRejected, names the row, and accepts good rows afterwards', async () => {
    await using store = await open()
    const bad = [
      '{"event_id":',
      'no json',
      event('x', { receive_time: 'yesterday' }),
      event('x', { no_such_column: 1 }),
      event('x', { test: 'maybe' }),
    ]
    for (const [index, row] of bad.entries()) {
      const refusal = await store
        .insert('events', [event('1'), event('2'), row], { token: `bad-${index}` })
        .catch((error: unknown) => error)
      expect(refusal, row).toBeInstanceOf(InsertRejected)
      if (refusal instanceof InsertRejected)
        expect([refusal.row, refusal.message.length < 2_001], row).toEqual([3, true])
    }
    expect(await countEvents(store)).toBe(0)
    await store.insert('events', [event('1'), event('2')], { token: 'bad-0' })
    expect(await countEvents(store)).toBe(2)
  })

  it('an event store distinguishes an error in a statement from an unavailable engine', async () => {
    await using store = await open()
    for (const [sql, code] of [
      ['select nope', 47],
      ['select (1', 62],
      ['select 1; select 2', 62],
      ['select * from missing', 60],
    ] as const) {
      await expect(store.query(sql), sql).rejects.toMatchObject({ name: 'EventStoreQueryError', engineCode: code })
    }
    await expect(store.insert('missing', event('1'), { token: 'a' })).rejects.toMatchObject({
      name: 'EventStoreUnavailable',
    })
    await expect(store.query('drop table events')).rejects.toMatchObject({ engineCode: 164 })
    await expect(store.query('insert into events (event_id) values (1)')).rejects.toMatchObject({ engineCode: 164 })
    expect(await countEvents(store)).toBe(0)
    await expect(store.insert('events; drop table events', event('1'), { token: 'a' })).rejects.toThrow(
      'no name of a table',
    )
  })
}

const parameterTests = (open: () => Promise<EventStoreFixture>): void => {
  it('an event store returns every text parameter unchanged: alone, in lists, and in tuples', async () => {
    await using store = await open()
    const texts = [...hostileTexts, ...randomTexts(400)]
    for (let from = 0; from < texts.length; from += 100) {
      const part = texts.slice(from, from + 100)
      const columns = part.map((_, index) => `{p${index}:String}`).join(', ')
      const [row] = await store.query<{
        alone: string[]
        list: string[]
        optional: (string | null)[]
        pair: string[]
      }>(
        `select [${columns}] as alone, {list:Array(String)} as list, {optional:Array(Nullable(String))} as optional, tupleToNameValuePairs({pair:Tuple(String, String)}).2 as pair`,
        {
          ...Object.fromEntries(part.map((text, index) => [`p${index}`, text])),
          list: part,
          optional: [null, ...part],
          pair: new TupleParam([part[0], part[1]]),
        },
      )
      expect(row?.alone).toEqual(part)
      expect(row?.list).toEqual(part)
      expect(row?.optional).toEqual([null, ...part])
      expect(row?.pair).toEqual([part[0], part[1]])
    }
    expect(await countEvents(store)).toBe(0)
  })

  it('an event store returns rows in binary form, with numbers, and texts byte for byte', async () => {
    await using store = await open()
    const texts = [...hostileTexts, ...randomTexts(50), 'x'.repeat(100_000)]
    const bytes = await store.queryBinary(
      'select toUInt32(number) as place, {texts:Array(String)}[number + 1] as text from numbers({count:UInt32}) order by place',
      { texts, count: texts.length },
      { owner: systemOwner },
    )
    const reader = createRowReader(bytes)
    const found: [number, string][] = []
    while (!reader.isAtEnd()) found.push([reader.uint32(), reader.text()])
    expect(found).toEqual(texts.map((text, place) => [place, text]))
    const failing = store.queryBinary('select throwIf(number = 2) from numbers(3)', undefined, { owner: systemOwner })
    await expect(failing).rejects.toThrow(EventStoreQueryError)
  })

  it('an event store keeps the type of a parameter: numbers, times, booleans, nulls, lists, and pairs', async () => {
    await using store = await open()
    const params = {
      u8: 255,
      i64: '-9223372036854775808',
      u64: '18446744073709551615',
      f: -1.5e-7,
      t: true,
      n: null,
      at: new Date('2026-11-21T06:00:00.123Z'),
      d: '2026-11-21',
      l: [1, 2],
      uuid: '61f0c404-5cb3-11e7-907b-a6006ad3dba0',
    }
    const rows = await store.query(
      `select toTypeName({u8:UInt8}) = 'UInt8' as a, toString({i64:Int64}) as b, toString({u64:UInt64}) as c, {f:Float64} = -1.5e-7 as d, {t:Bool} as e,
        {n:Nullable(String)} as f, toUnixTimestamp64Milli({at:DateTime64(3, 'UTC')}) as g, toString({d:Date}) as h, has({l:Array(UInt32)}, 2) as i,
        3 in {l:Array(UInt32)} as j, toString({uuid:UUID}) as k, {u8:LowCardinality(String)} as l, {n:Nullable(UInt8)} is null as m
       limit {u8:UInt64}`,
      params,
    )
    expect(rows).toEqual([
      {
        a: 1,
        b: params.i64,
        c: params.u64,
        d: 1,
        e: true,
        f: null,
        g: params.at.getTime(),
        h: params.d,
        i: 1,
        j: 0,
        k: params.uuid,
        l: '255',
        m: 1,
      },
    ])
  })

  it('an event store rejects parameters that are missing, not a number, or not a name', async () => {
    await using store = await open()
    const refused: [string, Record<string, unknown>][] = [
      ['select {x:UInt8}', {}],
      ['select {x:UInt8}', { x: '1 or 1=1' }],
      ['select {x:Int64}', { x: '1)--' }],
      ['select {x:Float64}', { x: 'sleep(1)' }],
      ['select {x:Date}', { x: "2026-01-01' or 1" }],
      ['select {x:Array(UInt8)}', { x: '[1], (select 1)' }],
      ['select * from {x:Identifier}', { x: 'events where 1=0 union all select * from events' }],
      ['select * from {x:Identifier}', { x: 'events` --' }],
    ]
    for (const [sql, params] of refused) {
      await expect(store.query(sql, params), JSON.stringify([sql, params])).rejects.toBeInstanceOf(EventStoreQueryError)
    }
    expect(await store.query('select count() as n from {x:Identifier}', { x: 'events' })).toEqual([{ n: 0 }])
  })

  it('an event store does not replace text that looks like a parameter inside strings, names, and comments', async () => {
    await using store = await open()
    expect(
      await store.query(
        `select '{x:String}' as a, "b}" as b, 1 as \`{x:String}\` /* {x:String} */ from (select 2 as "b}") -- {x:String}`,
      ),
    ).toEqual([{ a: '{x:String}', b: 2, '{x:String}': 1 }])
  })
}

const filterTests = (open: () => Promise<EventStoreFixture>): void => {
  it('a filter hides rows of its table in any statement of its call, and in no other call', async () => {
    await using store = await open()
    await store.insert(
      'events',
      ['a', 'b', "it's"].map((id) => event(id)),
      { token: 'a' },
    )
    const erased = JSON.stringify({ workspace_id: 'w', request_id: 'r', event_id: 'b' })
    await store.insert('erased_events', erased, { token: 'b' })
    const filters = { events: "event_id not in (select event_id from erased_events) and event_id != 'it\\'s'" }
    const statements = [
      'select event_id from events order by event_id',
      'select e.event_id as event_id from events as e prewhere event_id != {none:String} order by event_id limit 5',
      'with found as (select event_id from events) select event_id from found where event_id in (select event_id from events)',
      'select event_id from events union all select event_id from events where event_id = {none:String}',
    ]
    for (const statement of statements)
      expect(await store.query(statement, { none: 'none' }, { filters }), statement).toEqual([{ event_id: 'a' }])
    expect(await countEvents(store)).toBe(3)
  })
}
