import { type PipelineEvent, parseSourceSchema, type RequestMeta, type StreamedEvent } from '@tributary/contract'
import { jsonMembers } from '@tributary/kernel'
import { type ConsumerJournal, type LogRecord, rowPieces, splitSingle } from '@tributary/storage'
import { describe, expect, it } from 'vitest'
import type { SchemaInForce } from './event-types.ts'
import { createProcessor, type MicroBatch } from './process.ts'
import { readRow } from './rows/rows.ts'

const receivedAt = Date.UTC(2026, 10, 21, 5, 0, 0)

const record = (body: unknown, meta: Partial<RequestMeta> = {}, offset = 0): LogRecord => ({
  partition: 1,
  offset,
  incarnation: '',
  key: 'w-1',
  time: receivedAt,
  meta: JSON.stringify({ w: 'w-1', s: 's-1', k: 'single', r: receivedAt, ip: '192.0.2.7', ...meta }),
  body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})

const newProcessor = (firstSeen: ConsumerJournal['firstSeen'] = () => undefined, schemaInForce?: SchemaInForce) =>
  createProcessor({
    journal: { firstSeen },
    destinationsFor: () => ['d-1'],
    schemaFor: () => schemaInForce,
    isWatched: () => true,
    deliveryRecordBytes: 512 * 1024,
  })

const rowsOf = (batch: MicroBatch): ReturnType<typeof readRow>[] => rowPieces([batch.rows]).map(readRow)
const deliveredOf = (batch: MicroBatch): PipelineEvent[] =>
  batch.deliveries.flatMap(({ body }) => JSON.parse(Buffer.from(body).toString()))

const run = (
  ...records: LogRecord[]
): { rows: ReturnType<typeof rowsOf>; delivered: PipelineEvent[]; batch: MicroBatch } => {
  const processor = newProcessor()
  for (const one of records) processor.add(one)
  const batch = processor.take()
  return { rows: rowsOf(batch), delivered: deliveredOf(batch), batch }
}

const track = { type: 'track', event: 'Bought', userId: 'u-1', messageId: 'm-1' }

describe('accepted events', () => {
  it.each<[string, object | string, Partial<RequestMeta>, object]>([
    ['takes the type from the body', track, { t: 'page' }, { type: 'track' }],
    [
      'takes the type from the path when the body has none',
      { userId: 'u', name: 'Home' },
      { t: 'page' },
      { type: 'page', event: 'Home' },
    ],
    ['knows a type by its letter', { ...track, type: 't' }, {}, { type: 'track' }],
    [
      'coerces ids to strings',
      { ...track, userId: 42, anonymousId: 0, messageId: 7 },
      {},
      { userId: '42', anonymousId: '0', messageId: '7' },
    ],
    ['takes null and empty ids for absent', { ...track, anonymousId: null, groupId: '' }, {}, { userId: 'u-1' }],
    [
      'makes a message id from the place in the log',
      { ...track, messageId: null },
      {},
      { messageId: 'made-1-0000000000-0000', eventId: '1-0000000000-0000' },
    ],
    [
      'takes traits of an identify from its context',
      { type: 'identify', userId: 'u', context: { traits: { a: 1 } } },
      {},
      { traits: { a: 1 } },
    ],
    [
      'prefers the own traits of an identify',
      { type: 'identify', userId: 'u', traits: { b: 2 }, context: { traits: { a: 1 } } },
      {},
      { traits: { b: 2 } },
    ],
    ['marks a test event', { ...track, context: { test: true } }, {}, { test: true }],
    ['marks nothing else as a test', { ...track, context: { test: 'true' } }, {}, { test: false }],
    ['fills the address of a client that calls us itself', track, { d: true }, { context: { ip: '192.0.2.7' } }],
    [
      'leaves an address the client gave',
      { ...track, context: { ip: '198.51.100.1' } },
      { d: true },
      { context: { ip: '198.51.100.1' } },
    ],
    ['fills no address for a server', track, {}, { context: {} }],
    [
      'keeps unknown keys',
      { ...track, category: 'x', channel: null, name: 'n' },
      {},
      { extra: { category: 'x', channel: null, name: 'n' } },
    ],
    ['hands no write key on', { ...track, writeKey: 'secret' }, {}, { messageId: 'm-1' }],
    [
      'reads a timestamp as the original one',
      { ...track, timestamp: '2026-11-20T00:00:00.000Z' },
      {},
      { originalTimestamp: '2026-11-20T00:00:00.000Z', timestamp: '2026-11-20T00:00:00.000Z' },
    ],
    [
      'corrects the clock of the client',
      { ...track, originalTimestamp: '2030-01-01T00:00:00.000Z', sentAt: '2030-01-01T00:00:05.000Z' },
      {},
      { timestamp: '2026-11-21T04:59:55.000Z', sentAt: '2030-01-01T00:00:05.000Z' },
    ],
    [
      'believes the corrected time of an event that another server passed on late',
      {
        ...track,
        originalTimestamp: '2030-01-01T00:00:00.000Z',
        sentAt: '2030-01-01T00:00:05.000Z',
        timestamp: '2026-11-21T03:00:00.000Z',
      },
      { f: true },
      { timestamp: '2026-11-21T03:00:00.000Z', originalTimestamp: '2030-01-01T00:00:00.000Z' },
    ],
    [
      'takes an alias with both ids',
      { type: 'alias', userId: 'new', previousId: 'old' },
      {},
      { previousId: 'old', event: '' },
    ],
    ['takes the last of two equal keys', '{"type":"track","event":"x","userId":"a","userId":"b"}', {}, { userId: 'b' }],
    [
      'finds the name of a page in its properties',
      { type: 'page', userId: 'u', properties: { name: 'Home' } },
      {},
      { event: 'Home' },
    ],
  ])('processing %s', (_, body, meta, expected) => {
    const { rows, delivered } = run(record(body, meta))
    expect(rows.map(({ status, reason }) => [status, reason])).toEqual([['accepted', '']])
    expect(delivered).toHaveLength(1)
    expect(delivered[0]).toMatchObject(expected)
    expect(delivered[0]).not.toHaveProperty('extra.writeKey')
  })

  it('processing merges the context and integrations of a batch into each event, whose own values take precedence', () => {
    const { delivered } = run(
      record(
        {
          context: { app: 'a', os: 'x' },
          integrations: { All: false },
          sentAt: '2026-11-21T05:00:00.000Z',
          batch: [track, { ...track, messageId: 'm-2', context: { os: 'y' }, integrations: { X: true } }],
        },
        { k: 'batch' },
      ),
    )
    expect(delivered.map(({ context, integrations }) => [context, integrations])).toEqual([
      [{ app: 'a', os: 'x' }, { All: false }],
      [
        { app: 'a', os: 'y' },
        { All: false, X: true },
      ],
    ])
  })

  it('processing treats keys like __proto__ and constructor as ordinary keys', () => {
    const text =
      '{"type":"track","event":"x","userId":"u","__proto__":{"polluted":1},"constructor":2,"context":{"__proto__":{"ip":"6.6.6.6"}},"properties":{"__proto__":{"polluted":1},"constructor":{"prototype":1}}}'
    const { delivered, batch } = run(
      record(`{"context":{"__proto__":{"test":true}},"batch":[${text}]}`, { k: 'batch', d: true }),
    )
    expect(Object.hasOwn({}, 'polluted') || 'polluted' in {}).toBe(false)
    const body = Buffer.from(batch.deliveries[0]?.body ?? []).toString()
    expect(body).toContain('"extra":{"__proto__":{"polluted":1},"constructor":2}')
    expect(body).toContain('"properties":{"__proto__":{"polluted":1},"constructor":{"prototype":1}}')
    expect(delivered[0]?.test).toBe(false)
    expect(rowsOf(batch)[0]?.ip).toBe('192.0.2.7')
  })

  it('processing keeps the original of an event byte for byte', () => {
    const text = '{ "type":"track",\t"event":"x" , "userId":"u","n":12345678901234567890.10e2,"s":"\\ud800\\u0000“😀" }'
    expect(run(record(text)).rows[0]?.original).toBe(text)
    expect(run(record(`{"batch":[ ${text} ]}`, { k: 'batch' })).rows[0]?.original).toBe(text)
  })
})

describe('rejected events', () => {
  const long = 'x'.repeat(101)
  it.each<[string, unknown, string]>([
    ['an unknown type', { ...track, type: 'tracks' }, 'unknown_type'],
    ['a type that is no string', { ...track, type: 5 }, 'unknown_type'],
    ['no type', { ...track, type: undefined }, 'unknown_type'],
    ['neither user nor anonymous id', { type: 'track', event: 'x' }, 'missing_ids'],
    ['a track without a name', { type: 'track', userId: 'u' }, 'missing_event_name'],
    ['a track whose name is an object', { type: 'track', userId: 'u', event: {} }, 'invalid_event_name'],
    ['a group without a group id', { type: 'group', userId: 'u' }, 'missing_group_id'],
    ['an alias without the new id', { type: 'alias', previousId: 'p' }, 'missing_ids'],
    ['an alias without the old id', { type: 'alias', userId: 'p' }, 'missing_previous_id'],
    ['a message id over 100 characters', { ...track, messageId: long }, 'message_id_too_long'],
    ['an id that is an object', { ...track, userId: {} }, 'invalid_id'],
    ['properties that are a list', { ...track, properties: [1] }, 'invalid_object'],
    ['traits that are a string', { ...track, traits: 'x' }, 'invalid_object'],
    ['a context that is a number', { ...track, context: 1 }, 'invalid_object'],
    ['integrations that are a boolean', { ...track, integrations: true }, 'invalid_object'],
    ['more than 32 KiB', { ...track, properties: { a: 'x'.repeat(32 * 1024) } }, 'too_large'],
    ['deep nesting', `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`, 'too_deep'],
    ['broken JSON', '{"type":"track",}', 'malformed_json'],
    ['a number', '5', 'not_an_object'],
    ['a list of events in place of one', '[1]', 'not_an_object'],
    ['null', 'null', 'not_an_object'],
  ])(
    'an event is rejected for %s, with its reason and original, while other events of the batch continue',
    (_, body, reason) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const other = JSON.stringify({ ...track, messageId: 'other' })
      const { rows, delivered } = run(record(`{"batch":[${text},${other}]}`, { k: 'batch' }))
      expect(rows.map(({ status }) => status)).toEqual(['rejected', 'accepted'])
      expect(rows[0]?.original).toBe(text)
      expect(rows[0]?.reason.split(':')[0]).toBe(reason)
      expect(delivered.map(({ messageId }) => messageId)).toEqual(['other'])
    },
  )

  it('every event after the 2,500th of a batch is rejected', () => {
    const batch = Array.from({ length: 2501 }, (_, n) => ({ ...track, messageId: `m-${n}` }))
    const { rows } = run(record({ batch }, { k: 'batch' }))
    expect(rows.filter(({ status }) => status === 'accepted')).toHaveLength(2500)
    expect(rows.at(-1)).toMatchObject({
      status: 'rejected',
      eventId: '1-0000000000-2500',
      original: JSON.stringify(batch[2500]),
    })
    expect(rows.at(-1)?.reason).toMatch(/^over_batch_limit: /)
  })

  it('a batch whose context and integrations would make each event too large is rejected; the rows omit both', () => {
    const shared = { context: { a: 'x'.repeat(20_000) }, integrations: { A: { b: 'x'.repeat(12_700) } } }
    const body = () => ({ ...shared, batch: [track, { ...track, messageId: 'm-2' }] })
    expect(run(record(body(), { k: 'batch' })).rows.map(({ status }) => status)).toEqual(['accepted', 'accepted'])
    shared.context.a += 'x'.repeat(100)
    const { rows, batch } = run(record(body(), { k: 'batch' }))
    expect(rows.map(({ status, original }) => [status, original])).toEqual([
      ['rejected', JSON.stringify(track)],
      ['rejected', JSON.stringify({ ...track, messageId: 'm-2' })],
    ])
    expect(rows[0]?.reason).toMatch(
      /^too_large: A batch's context and integrations can have at most 32768 bytes; these have/,
    )
    expect(batch.rows.bytes.length).toBeLessThan(2000)
    expect(batch.deliveries).toEqual([])
  })

  it('a batch whose context would take more than 16 MiB when stored with each event is rejected', () => {
    const ofBatch = (events: number) => {
      const batch = Array.from({ length: events }, (_, n) => ({ ...track, messageId: `m-${n}` }))
      const { rows } = run(record({ context: { a: 'x'.repeat(16_384 - 8) }, batch }, { k: 'batch' }))
      return rows.map(({ status, reason }) => `${status} ${reason}`)
    }
    expect(new Set(ofBatch(1024))).toEqual(new Set(['accepted ']))
    expect(ofBatch(1025)[0]).toMatch(
      /^rejected too_large: .* can total at most 16777216 bytes; these total 16793600\. Send/,
    )
    expect(new Set(ofBatch(1025)).size).toBe(1)
  })

  it('a record whose meta cannot be read is rejected', () => {
    const { rows } = run({ ...record('hello'), meta: '{' })
    expect(rows).toMatchObject([{ workspaceId: 'w-1', sourceId: '', status: 'rejected', original: 'hello' }])
  })

  it('the live branch gets accepted and rejected events', () => {
    const { batch } = run(record({ batch: [track, { type: 'track' }] }, { k: 'batch' }))
    expect(batch.live.get('s-1')?.map(({ rejected }) => rejected?.reason)).toEqual([undefined, 'missing_ids'])
  })
})

describe('a context that is copied as text', () => {
  const rowsAndDeliveries = (text: string, meta: Partial<RequestMeta>, around: string) => {
    const body = meta.k === 'batch' ? `{"batch":[${text}]${around}}` : text
    const { rows, batch } = run(record(body, meta))
    const delivered = batch.deliveries.map((entry) => Buffer.from(entry.body).toString())
    return { rows: rows.map((row) => ({ ...row, original: '' })), delivered }
  }
  /** Adds a space to the text of an event. Its context is then parsed and serialized again, not copied. */
  const spaced = (text: string): string => `{ ${text.slice(1)}`

  it.each([
    '{"type":"track","event":"x","userId":"u","properties":{"a":1,"b":[{"c":"d"}]},"context":{"os":"y"}}',
    '{"context":{"os":"y"},"type":"track","event":"x","userId":"u","properties":{}}',
    '{"properties":{"properties":{"context":{}}},"type":"track","event":"x","userId":"u"}',
    '{"type":"page","userId":"u","properties":{"name":"Home"},"context":{"test":true}}',
    '{"type":"page","userId":"u","name":null,"properties":{"name":"Home"}}',
    '{"type":"screen","userId":"u","name":"Given","properties":{"name":"Home"}}',
    '{"type":"identify","userId":"u","context":{"traits":{"a":1},"ip":"198.51.100.1"}}',
    '{"type":"identify","userId":"u","traits":{"b":1},"context":{"traits":{"a":1}}}',
    '{"type":"track","event":"x","userId":"u","context":{}}',
    '{"type":"track","event":"x","userId":"u","context":{"ip":null}}',
    '{"type":"track","event":"x","userId":"u","properties":[1],"context":{"a":{"ip":"x"}}}',
    '{"type":"track","event":"x","userId":"u","properties":null,"context":"text"}',
    '{"type":"track","event":"x","userId":"u","context":{"a":{"context":1}},"properties":{"b":2}}',
    '{"type":"track","event":"x","userId":"u","context":{"a":1},"context":null}',
    '{"type":"track","event":"x","userId":"u","context":7,"context":{"b":2}}',
    '{"type":"track","event":"x","userId":"u","context":{"a":1},"context":{"b":2}}',
    '{"context":{"a":"],},{","context":{"b":[{}]}},"type":"track","event":"x","userId":"u","other":{"context":{"c":3}}}',
    '{"type":"track","event":"x","userId":"u","cont\\u0065xt":{"a":1},"context":{"b":2}}',
    '{"type":"track","event":"x","userId":"u","context":{"a":1,"b":2,"a\\u0031":3}}',
    '{"type":"track","event":"x","userId":"u","context":{"b":[1e5],"c":{"d":-1.5E-7}}}',
    '{"type":"track","event":"x","userId":"u","context":{"a":100000000000000000000,"b":[12345678901234567]}}',
    '{"type":"track","event":"x","userId":"u","context":{"a":9007199254740993,"b":-1e-5,"c":[0,-1,0.5,-0.5,10.25]}}',
    '{"type":"track","event":"x","userId":"u","context":{"n":1e400}}',
    '{"type":"track","event":"x","userId":"u","context":{"a":"\\ud800\\u0041\\/"}}',
    '{"type":"track","event":"x","userId":"ü","properties":{"a":"“😀”"},"context":{"os":"y"}}',
    '{"type":"track","event":"x","userId":"u","properties":{"a":"],},{"},"extra":{"properties":{"a":1}},"context":{"b":"{"}}',
  ])('a context that is copied as text gives the same result as a parsed context: %s', (text) => {
    for (const meta of [{}, { d: true }, { k: 'batch' as const }, { k: 'batch' as const, d: true }])
      for (const around of ['', ',"context":{"os":"x","app":"a"},"integrations":{"All":false}'])
        expect(rowsAndDeliveries(text, meta, around)).toEqual(rowsAndDeliveries(spaced(text), meta, around))
  })

  it('a context that is copied as text is stored and delivered unchanged', () => {
    const contextOf = (context: string) => {
      const { rows, batch } = run(record(`{"type":"track","event":"x","userId":"u","context":${context}}`))
      const sent = Buffer.from(batch.deliveries[0]?.body ?? []).toString()
      expect(sent).toContain(`"context":${rows[0]?.context},`)
      return rows[0]?.context
    }
    expect(contextOf('{"a":1.0,"b":"1e5 x"}')).toBe('{"a":1.0,"b":"1e5 x"}')
    expect(contextOf('{"a":{"b":1e400,"c":[2E-3]}}')).toBe('{"a":{"b":1e400,"c":[2E-3]}}')
    expect(contextOf('{"a":12345678901234567890}')).toBe('{"a":12345678901234567890}')
  })

  it('a context that is copied as text gives the same result as a parsed context for any event of an SDK', () => {
    let seed = 7
    const below = (limit: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return (seed >>> 8) % limit
    }
    const texts = [
      '',
      'plain',
      'with "quotes"',
      'a\\b',
      '{"properties":{',
      ']},',
      'ü',
      '😀',
      '\ud800',
      '\n',
      '0',
      '-1.0',
      'e5',
    ]
    const numbers = [0, -0, 1, -1, 0.5, 1.1, 1e-7, 1e21, 5e-324, 2 ** 53, 123_456_789_012_345, 0.1 + 0.2, -17.25]
    const names = [
      'a',
      'b',
      'ip',
      'test',
      'traits',
      'properties',
      'context',
      'name',
      '__proto__',
      'with space',
      'ä',
      '',
    ]
    const value = (depth: number): unknown => {
      const kind = below(depth > 3 ? 4 : 6)
      if (kind === 0) return texts[below(texts.length)]
      if (kind === 1) return numbers[below(numbers.length)]
      if (kind === 2) return [true, false, null][below(3)]
      if (kind === 3) return below(1_000_000) / 100
      return kind === 4 ? Array.from({ length: below(4) }, () => value(depth + 1)) : object(depth + 1)
    }
    const object = (depth: number): Record<string, unknown> =>
      Object.fromEntries(Array.from({ length: below(5) }, () => [names[below(names.length)], value(depth)]))
    const types = ['track', 'page', 'screen', 'identify', 'group', 'alias', 'other']
    let asText = 0
    for (let round = 0; round < 2000; round++) {
      const members: [string, unknown][] = [
        ['type', types[below(types.length)]],
        ['event', texts[below(3)]],
        ['userId', `u-${round}`],
        ['properties', below(6) === 0 ? value(0) : object(0)],
        ['context', below(6) === 0 ? value(0) : object(0)],
        ['traits', below(3) === 0 ? value(0) : object(0)],
        [`other${below(3)}`, value(0)],
      ]
      const text = JSON.stringify(Object.fromEntries(members.toSorted(() => below(3) - 1).slice(below(3))))
      const meta = {
        d: below(2) === 0,
        k: below(2) === 0 ? ('batch' as const) : ('single' as const),
        t: 'track' as const,
      }
      const around = below(3) === 0 ? ',"context":{"os":"x","ip":"192.0.2.9"}' : ''
      if (splitSingle(Buffer.from(text)).events[0]?.context !== undefined) asText++
      expect(rowsAndDeliveries(text, meta, around), text).toEqual(rowsAndDeliveries(spaced(text), meta, around))
    }
    expect(asText).toBeGreaterThan(200)
  })
})

describe('deduplication', () => {
  const batchOf = (...ids: string[]) => ({ batch: ids.map((messageId) => ({ ...track, messageId })) })

  it('deduplication keeps the first event with an ID and counts the repetitions', () => {
    const { rows, batch } = run(
      record(batchOf('a', 'b', 'a'), { k: 'batch' }),
      record(batchOf('b', 'c'), { k: 'batch' }, 1),
    )
    expect(rows.map((row) => row.eventId)).toEqual(['1-0000000000-0000', '1-0000000000-0001', '1-0000000001-0001'])
    expect([...batch.discarded.values()]).toEqual([
      { workspaceId: 'w-1', sourceId: 's-1', hour: receivedAt / 1000, reason: 'duplicate', events: 2 },
    ])
  })

  it('deduplication treats equal message IDs of different sources as different events', () => {
    const { rows } = run(record(track), record(track, { s: 's-2' }, 1))
    expect(rows).toHaveLength(2)
  })

  it('deduplication accepts a corrected event with the ID of a rejected one, and keeps a repeated rejected event once', () => {
    const broken = { ...track, event: undefined }
    const { rows, batch } = run(record(broken), record(broken, {}, 1), record(track, {}, 2))
    expect(rows.map(({ status }) => status)).toEqual(['rejected', 'accepted'])
    expect([...batch.discarded.values()].map(({ reason }) => reason)).toEqual(['duplicate_rejected'])
  })

  it('deduplication gives the same rows if the journal already has the positions of the events', () => {
    const records = [record(batchOf('a', 'b', 'a'), { k: 'batch' }), record(batchOf('b', 'c'), { k: 'batch' }, 1)]
    const first = newProcessor()
    for (const one of records) first.add(one)
    const before = first.take()
    const seen = new Map(first.takeIds().map((id) => [Buffer.from(id.hash).toString('hex'), id]))
    const again = newProcessor((hash) => seen.get(Buffer.from(hash).toString('hex')))
    for (const one of records) again.add(one)
    const after = again.take()
    expect(after.rows.bytes.equals(before.rows.bytes)).toBe(true)
    expect([...after.discarded.values()]).toEqual([...before.discarded.values()])
  })
})

describe('the schema of a source', () => {
  const schema = parseSourceSchema(
    JSON.stringify({
      events: { Bought: { properties: { total: { type: 'number' } }, required: ['total'] } },
      user: { properties: { email: { type: 'string' } } },
    }),
  )
  const allow: SchemaInForce = { schema, version: 3, enforcement: 'allow' }
  const block: SchemaInForce = { ...allow, enforcement: 'block' }
  const by = (schemaInForce: SchemaInForce | undefined, ...records: LogRecord[]) => {
    const processor = newProcessor(undefined, schemaInForce)
    for (const one of records) processor.add(one)
    const batch = processor.take()
    return { rows: rowsOf(batch), delivered: deliveredOf(batch).map(({ messageId }) => messageId), batch }
  }
  const events = [
    { ...track, messageId: 'fits', properties: { total: 1 } },
    { ...track, messageId: 'missing', properties: {} },
    { ...track, messageId: 'none' },
    { ...track, messageId: 'new', event: 'Sold' },
    { type: 'identify', userId: 'u', messageId: 'user', context: { traits: { email: 5 } } },
    { type: 'page', userId: 'u', messageId: 'page', properties: { any: 1 } },
    { type: 'track', userId: 'u', messageId: 'broken' },
  ]
  const sent = record({ batch: events }, { k: 'batch' })

  it('every accepted event is validated by the schema, and the row has the schema version and the problems', () => {
    const { rows, batch } = by(allow, sent)
    expect(rows.map((row) => [row.messageId, row.status, row.compatibility, row.schemaVersion, row.problems])).toEqual([
      ['fits', 'accepted', 'compatible', 3, []],
      ['missing', 'accepted', 'needsAttention', 3, [{ property: 'total', kind: 'missing' }]],
      ['none', 'accepted', 'needsAttention', 3, [{ property: 'total', kind: 'missing' }]],
      ['new', 'accepted', 'incompatible', 3, []],
      ['user', 'accepted', 'needsAttention', 3, [{ property: 'email', kind: 'type' }]],
      ['page', 'accepted', 'compatible', 3, []],
      ['broken', 'rejected', '', 0, []],
    ])
    expect([batch.accepted, batch.blocked, [...batch.rejected.values()]]).toEqual([6, 0, [1]])
    expect(batch.live.get('s-1')?.map(({ fit }) => fit)).toEqual([
      { compatibility: 'compatible', version: 3 },
      ...Array(2).fill({ compatibility: 'needsAttention', version: 3 }),
      { compatibility: 'incompatible', version: 3 },
      { compatibility: 'needsAttention', version: 3 },
      { compatibility: 'compatible', version: 3 },
      undefined,
    ])
  })

  it('in blocking mode, invalid events are blocked: they are stored, shown, and counted, but not delivered', () => {
    const { rows, delivered, batch } = by(block, sent)
    expect(rows.map(({ status }) => status)).toEqual([
      'accepted',
      'blocked',
      'blocked',
      'blocked',
      'blocked',
      'accepted',
      'rejected',
    ])
    expect(delivered).toEqual(['fits', 'page'])
    expect([batch.accepted, batch.blocked]).toEqual([2, 4])
    expect(batch.live.get('s-1')?.map(({ status }) => status)).toEqual([
      'accepted',
      ...Array(4).fill('blocked'),
      'accepted',
      undefined,
    ])
  })

  it('valid events over the plan are held: they are stored, shown, and counted, and delivered only when replayed', () => {
    const held: SchemaInForce = { ...block, held: true }
    const { rows, delivered, batch } = by(held, sent)
    expect(rows.map(({ status }) => status)).toEqual(['held', ...Array(4).fill('blocked'), 'held', 'rejected'])
    expect(delivered).toEqual([])
    expect([batch.accepted, batch.blocked, batch.held]).toEqual([0, 4, 2])
    const again = record({ batch: [events[0]] }, { k: 'batch', p: ['0-1-0'] })
    expect(by(held, again).delivered).toEqual(['fits'])
    // The event has no destinations now, but would go to all of them if it were held and replayed.
    const undelivered = record({ batch: [events[0]] }, { k: 'batch', u: true })
    expect(by(held, undelivered).rows.map(({ status }) => status)).toEqual(['accepted'])
  })

  it('exactly the events that a sync imports are marked as imported, whatever their status', () => {
    const imported = (schema: SchemaInForce | undefined, meta: Partial<RequestMeta>) =>
      by(schema, record({ batch: events }, { k: 'batch', ...meta })).rows.map((row) => [row.status, row.imported])
    const statuses = new Set<string>()
    for (const schema of [undefined, block, { ...block, held: true }]) {
      for (const meta of [{ i: true }, { i: true, u: true }, { i: true, h: true }] as const)
        for (const [status, mark] of imported(schema, meta)) {
          statuses.add(String(status))
          expect(mark).toBe(true)
        }
      for (const meta of [{}, { u: true }, { h: true }, { f: true }] as const)
        expect(imported(schema, meta).map(([, mark]) => mark)).not.toContain(true)
    }
    expect([...statuses].toSorted()).toEqual(['accepted', 'blocked', 'held', 'rejected'])
  })

  it('events of a source without a known schema are not validated', () => {
    const { rows, delivered } = by(undefined, sent)
    expect(rows.map((row) => [row.compatibility, row.schemaVersion])).toEqual(Array(7).fill(['', 0]))
    expect(delivered).toHaveLength(6)
  })

  it('replayed events are not blocked, because a newer schema than this process has may have validated them', () => {
    const again = record({ batch: [events[3]] }, { k: 'batch', f: true, p: ['1-0000000007-0000'] })
    const { rows, delivered } = by(block, again)
    expect(rows.map(({ status }) => status)).toEqual(['accepted'])
    expect(delivered).toEqual(['new'])
  })

  it('the integrations of an event are stored if its batch sent them, and always for a blocked event', () => {
    const kept = (batch: unknown): unknown[] =>
      by(block, record(batch, { k: 'batch' })).rows.map((row) => row.integrations)
    const integrations = { All: false }
    expect(kept({ batch: events, integrations })).toEqual([...Array(6).fill('{"All":false}'), ''])
    const own = events.map((event) => (typeof event === 'object' ? { ...event, integrations } : event))
    expect(kept({ batch: own })).toEqual(['', ...Array(4).fill('{"All":false}'), '', ''])
  })

  it('properties with any name are validated, at any depth', () => {
    const text = `{"type":"track","event":"Bought","userId":"u","properties":{"total":1,"__proto__":{"total":2},"constructor":1,"\\ud800":1,"deep":${'['.repeat(150)}${']'.repeat(150)}}}`
    const [row] = by(block, record(text)).rows
    expect(row?.status).toBe('blocked')
    expect(row?.problems).toEqual(
      ['__proto__', 'constructor', '\ufffd', 'deep'].map((property) => ({ property, kind: 'unknown' })),
    )
  })

  it('an event keeps the status that was decided earlier', () => {
    const processor = newProcessor(undefined, block)
    processor.add(sent, (eventId) =>
      eventId.endsWith('-0001') ? 'accepted' : eventId.endsWith('-0000') ? 'blocked' : undefined,
    )
    const batch = processor.take()
    expect(deliveredOf(batch).map(({ messageId }) => messageId)).toEqual(['missing', 'page'])
  })
})

describe('events that are sent again', () => {
  const again = (body: object, p: string[], offset: number, meta: Partial<RequestMeta> = {}) =>
    record({ batch: [body] }, { k: 'batch', f: true, p, ...meta }, offset)

  it('events that are sent again are not duplicates of the stored event, and are accepted once each', () => {
    const { rows, batch } = run(
      record(track),
      again(track, ['1-0000000000-0000'], 1),
      again(track, ['1-0000000000-0000'], 2),
      again(track, ['1-0000000009-0000'], 3),
      again(track, ['1-0000000000-0000'], 4, { s: 's-2' }),
    )
    expect(rows.map((row) => [row.eventId, row.messageId])).toEqual([
      ['1-0000000000-0000', 'm-1'],
      ['1-0000000001-0000', 'm-1'],
      ['1-0000000003-0000', 'm-1'],
      ['1-0000000004-0000', 'm-1'],
    ])
    expect([...batch.discarded.values()].map(({ events }) => events)).toEqual([1])
  })

  it('events that are sent again cannot be blocked by a client that uses their ID as a message ID', () => {
    const { rows } = run(
      record({ ...track, messageId: '1-0000000000-0000' }),
      record({ ...track, messageId: 'replay/1-0000000000-0000' }, {}, 1),
      again(track, ['1-0000000000-0000'], 2),
    )
    expect(rows).toHaveLength(3)
  })
})

describe('delivery records', () => {
  it('delivery records have no destinations for undelivered events, which are in separate records', () => {
    const { batch } = run(
      record({ ...track, messageId: 'm-1', userId: 'u-1' }, {}, 0),
      record({ ...track, messageId: 'm-2', userId: 'u-2' }, { u: true }, 1),
      record({ ...track, messageId: 'm-3', userId: 'u-3' }, {}, 2),
    )
    const reported = batch.deliveries.map(({ meta, body, addressed }) => [
      JSON.parse(meta).d,
      addressed,
      (JSON.parse(Buffer.from(body).toString()) as PipelineEvent[]).map(({ userId }) => userId),
    ])
    expect(reported).toEqual([
      [['d-1'], true, ['u-1', 'u-3']],
      [[], false, ['u-2']],
    ])
  })

  it('events of a sync and replayed events are in separate delivery records, which are marked to be sent after live events', () => {
    const { batch } = run(
      record({ ...track, messageId: 'm-1', userId: 'u-1' }, {}, 0),
      record({ ...track, messageId: 'm-2', userId: 'u-2' }, { h: true }, 1),
      record({ ...track, messageId: 'm-3', userId: 'u-3' }, { p: ['1-0000000000-0000'] }, 2),
      record({ ...track, messageId: 'm-4', userId: 'u-4' }, {}, 3),
    )
    const reported = batch.deliveries.map(({ meta, body }) => [
      JSON.parse(meta).h,
      (JSON.parse(Buffer.from(body).toString()) as PipelineEvent[]).map(({ userId }) => userId),
    ])
    expect(reported).toEqual([
      [undefined, ['u-1', 'u-4']],
      [true, ['u-2', 'u-3']],
    ])
  })

  it('delivery records contain all accepted events of a source in order, within the size limit, with or without destinations', () => {
    const processor = createProcessor({
      journal: { firstSeen: () => undefined },
      destinationsFor: (sourceId) => (sourceId === 's-1' ? ['d-1', 'd-2'] : []),
      schemaFor: () => undefined,
      isWatched: () => false,
      deliveryRecordBytes: 1000,
    })
    const ids = Array.from({ length: 50 }, (_, n) => `m-${n}`)
    ids.forEach((messageId, offset) =>
      processor.add(record({ ...track, messageId, userId: messageId }, { s: offset % 2 ? 's-1' : 's-2' }, offset)),
    )
    const { deliveries } = processor.take()
    for (const [source, destinations, odd] of [
      ['s-1', ['d-1', 'd-2'], 1],
      ['s-2', [], 0],
    ] as const) {
      const own = deliveries.filter(({ meta }) => JSON.parse(meta).s === source)
      expect(own.length).toBeGreaterThan(1)
      for (const { key, meta, body } of own) {
        const events: StreamedEvent[] = JSON.parse(Buffer.from(body).toString())
        expect(body.byteLength).toBeLessThanOrEqual(1000)
        expect([key, JSON.parse(meta)]).toEqual([
          'w-1',
          { w: 'w-1', s: source, d: destinations, n: events.length, q: 50 },
        ])
      }
      const events = own.flatMap(({ body }) => JSON.parse(Buffer.from(body).toString()))
      expect(events.map(({ userId }: StreamedEvent) => userId)).toEqual(ids.filter((_, offset) => offset % 2 === odd))
    }
  })

  it.each([
    ['a track', { ...track, anonymousId: 'a', properties: { traits: { a: 1 } }, context: { os: 'x' }, more: 1 }, {}],
    ['an identify', { type: 'identify', userId: 'u', traits: { b: '1e5', a: 1 } }, {}],
    ['traits of the context', { type: 'identify', userId: 'u', context: { traits: { a: '"' }, os: 'x' } }, undefined],
    ['external ids', { ...track, context: { os: 'x', externalIds: [{ id: '1', type: 'shop' }] } }, undefined],
    ['a group', { type: 'group', userId: 'ü', groupId: 'g', traits: {} }, {}],
    ['an alias', { type: 'alias', userId: 'u', previousId: 'p', timestamp: '2020-01-01T00:00:00Z' }, {}],
    ['a page', { type: 'page', anonymousId: 'a', name: 'Home', integrations: { All: true } }, {}],
  ])(
    'a delivery record has, for an event without destinations, exactly the values that consumers may read: %s',
    (_, body, context) => {
      const textOf = (destinations: string[]): string => {
        const processor = createProcessor({
          journal: { firstSeen: () => undefined },
          destinationsFor: () => destinations,
          schemaFor: () => undefined,
          isWatched: () => false,
          deliveryRecordBytes: 4000,
        })
        processor.add(record(JSON.stringify(body).replace('"a":1', '"a":12345678901234567890.10')))
        return Buffer.from(processor.take().deliveries[0]?.body ?? []).toString()
      }
      const members = (text: string): Map<string, string> => jsonMembers(text.slice(1, -2))
      const [whole, streamed] = [members(textOf(['d-1'])), members(textOf([]))]
      for (const name of ['messageId', 'properties', 'integrations', 'test', 'originalTimestamp', 'sentAt', 'extra'])
        whole.delete(name)
      if (context !== undefined) whole.set('context', JSON.stringify(context))
      expect([...streamed]).toEqual([...whole])
    },
  )
  it('a delivery record has the complete event if a consumer needs the whole source, unless the event is undelivered', () => {
    const metaOf = (more: Partial<RequestMeta>) => {
      const processor = createProcessor({
        journal: { firstSeen: () => undefined },
        destinationsFor: () => [],
        needsWhole: (source) => source === 's-1',
        schemaFor: () => undefined,
        isWatched: () => false,
        deliveryRecordBytes: 4000,
      })
      processor.add(record(JSON.stringify({ type: 'track', event: 'E', userId: 'u', properties: { a: 1 } }), more))
      const [entry] = processor.take().deliveries
      return { text: Buffer.from(entry?.body ?? []).toString(), meta: JSON.parse(entry?.meta ?? '{}'), entry }
    }
    const { text, meta, entry } = metaOf({})
    expect(text).toContain('"properties":{"a":1}')
    expect(meta.d).toEqual([])
    expect(entry?.addressed).toBe(false)
    expect(metaOf({ u: true }).text).not.toContain('"properties"')
  })
})

it("the ID of an event consists of its record, the record's incarnation, and its index in the record", () => {
  const processor = newProcessor()
  processor.add({ ...record({ type: 'track', event: 'Bought', userId: 'u' }, {}, 7), incarnation: '0mabc12def3' })
  const [row] = rowsOf(processor.take())
  expect(row?.eventId).toBe('1-0000000007-0000-0mabc12def3')
})
