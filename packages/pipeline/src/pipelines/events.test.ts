import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseSourceSchema } from '@tributary/contract'
import {
  type EventStore,
  EventStoreUnavailable,
  InsertRejected,
  LogUnavailable,
  openJournal,
  readerOfOwned,
} from '@tributary/storage'
import { createTestEventStore, type TestEventStore } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { positionsTopic, unknownPosition } from '../stored-positions.ts'
import { batchOf, createWorld } from './test-world.ts'

let store: TestEventStore
beforeAll(async () => {
  store = await createTestEventStore()
})
afterAll(() => store.close())

const idsOf = async (workspace: string): Promise<string[]> => {
  const rows = await store.query<{ message_id: string }>(
    'select message_id from events where workspace_id = {workspace:String} order by receive_time, event_id',
    { workspace },
  )
  return rows.map((row) => row.message_id)
}

const hostile = [
  '{"type":"track","event":"dup","userId":"u","messageId":"h-0","properties":{"a":1,"a":2,"b.c":1,"b":{"c":2}}}',
  '{"type":"track","event":"dots","userId":"u","messageId":"h-1","properties":{"a.b":1,".":2,"a..b":3,"":4,"a":{"":5}}}',
  '{"type":"track","event":"big","userId":"u","messageId":"h-2","properties":{"a":100000000000000000000,"b":-9223372036854775809,"c":1e400,"d":9007199254740993,"e":18446744073709551616}}',
  '{"type":"track","event":"\\ud800","userId":"\\udc00u","messageId":"h-3","properties":{"\\ud800":"x\\udfff","n":"\\u0000"}}',
  `{"type":"track","event":"deep","userId":"u","messageId":"h-4","properties":{"a":${'['.repeat(190)}1${']'.repeat(190)}}}`,
  '{"type":"track","event":"proto","userId":"u","messageId":"h-5","properties":{"__proto__":{"a":1},"constructor":2,"toString":null}}',
  `{"type":"track","event":"wide","userId":"u","messageId":"h-6","properties":{${Array.from({ length: 2000 }, (_, n) => `"p${n}":${n}`).join(',')}}}`,
  '{"type":"track","event":"kinds","userId":"u","messageId":"h-7","properties":{"k":1,"l":[1,"x",{"a":[{}]},[[]],null]}}',
  '{"type":"track","event":"kinds","userId":"u","messageId":"h-8","properties":{"k":{"a":"x"},"l":"2026-01-01 99:99:99"}}',
  '{"type":"track","event":"names","userId":"u","messageId":"h-9","properties":{"a`b":1,"a\\"b":2,"a\\\\b":3,"^x":6,"\\n":7}}',
  '{"type":"track","event":"times","userId":"u","messageId":"h-10","timestamp":"0000-00-00T00:00:00.000Z","sentAt":"9999-12-31T23:59:59.999Z"}',
  '{"type":"track","event":"times","userId":"u","messageId":"h-11","timestamp":-1e300,"sentAt":1e300}',
]

describe('the events pipeline on the real engines', () => {
  it('the events pipeline stores every event with its columns and delivers the accepted ones', async () => {
    await using world = await createWorld(store)
    const properties = { price: 9007199254740991, nested: { 'a.b': [1, null] } }
    await world.send(
      {
        batch: [
          {
            type: 'track',
            event: 'Bought',
            userId: 7,
            messageId: 'c-1',
            properties,
            timestamp: '2026-11-20T10:00:00.000Z',
            context: { test: true },
          },
          { type: 'track' },
        ],
        sentAt: '2026-11-20T10:00:01.000Z',
      },
      { w: 'columns', s: 's-9', d: true, r: Date.UTC(2026, 10, 20, 12) },
    )
    await world.pipeline.idle()
    const rows = await store.query(
      "select * except (original), JSON_VALUE(original, '$.messageId') as id from events where workspace_id = 'columns' order by event_id",
    )
    expect(rows).toMatchObject([
      {
        source_id: 's-9',
        message_id: 'c-1',
        type: 'track',
        event: 'Bought',
        user_id: '7',
        status: 'accepted',
        test: true,
        ip: '192.0.2.7',
        receive_time: '2026-11-20 12:00:00.000',
        timestamp: '2026-11-20 11:59:59.000',
        original_timestamp: '2026-11-20 10:00:00.000',
        sent_at: '2026-11-20 10:00:01.000',
        properties: { price: 9007199254740991 },
        context: '{"test":true,"ip":"192.0.2.7"}',
        id: 'c-1',
      },
      {
        status: 'rejected',
        message_id: expect.stringMatching(/^made-\d+-0000000000-0001-[0-9a-z]{14}$/),
        properties: {},
        id: '',
      },
    ])
    expect(await world.delivered()).toEqual(['c-1'])
  })

  it('the events pipeline stores every event of the hostile corpus as accepted, with its original', async () => {
    await using world = await createWorld(store)
    await world.send(`{"batch":[${hostile.join(',')}]}`, { w: 'hostile' })
    await world.pipeline.idle()
    const rows = await store.query<{ original: string; status: string; reason: string }>(
      "select original, status, reason from events where workspace_id = 'hostile' order by toUInt32(splitByChar('-', message_id)[2])",
    )
    const accepted = rows.map(({ status, reason }) => [status, reason.split(':', 1)[0]])
    // Invalid times are reported, and kept as sent.
    const withoutTime = hostile.map((event) => /"timestamp":(?!"2)/.test(event))
    expect(withoutTime).toContain(true)
    expect(accepted).toEqual(withoutTime.map((unread) => ['accepted', unread ? 'time_not_understood' : '']))
    expect(rows.map(({ original }) => original)).toEqual(hostile)
  })

  const schema = parseSourceSchema(
    '{"events":{"Bought":{"properties":{"total":{"type":"number"}},"required":["total"]}}}',
  )

  it('the events pipeline stores the compatibility of each event with its schema, and delivers no blocked event', async () => {
    await using world = await createWorld(store, {
      schemaFor: (sourceId) => ({ schema, version: 12, enforcement: sourceId === 's-block' ? 'block' : 'allow' }),
    })
    const batch = [
      ...batchOf('fits', 1, { properties: { total: 1 } }).batch,
      ...batchOf('bad', 1, { properties: { total: '1', "a'b/c": null } }).batch,
      ...batchOf('new', 1, { event: 'Sold' }).batch,
    ]
    const integrations = { All: false, "it's": true }
    await world.send({ batch, integrations }, { w: 'validated', s: 's-allow' })
    await world.send({ batch, integrations }, { w: 'validated', s: 's-block' })
    await world.send(`{"batch":[${hostile.join(',')}]}`, { w: 'validated', s: 's-block' })
    await world.pipeline.idle()
    const rows = await store.query(
      `select source_id, message_id, status, compatibility, schema_version, problems, integrations from events
       where workspace_id = 'validated' and not startsWith(message_id, 'h-') order by source_id, event_id`,
    )
    const reported = { integrations: JSON.stringify(integrations) }
    const fits = { compatibility: 'compatible', schema_version: 12, problems: [], ...reported }
    const problems = [
      { property: 'total', kind: 'type' },
      { property: "a'b~1c", kind: 'unknown' },
    ]
    const bad = { compatibility: 'needsAttention', schema_version: 12, problems }
    const unknown = { compatibility: 'incompatible', schema_version: 12, problems: [] }
    expect(rows).toEqual([
      { source_id: 's-allow', message_id: 'fits-0', status: 'accepted', ...fits },
      { source_id: 's-allow', message_id: 'bad-0', status: 'accepted', ...bad, ...reported },
      { source_id: 's-allow', message_id: 'new-0', status: 'accepted', ...unknown, ...reported },
      { source_id: 's-block', message_id: 'fits-0', status: 'accepted', ...fits },
      { source_id: 's-block', message_id: 'bad-0', status: 'blocked', ...bad, ...reported },
      { source_id: 's-block', message_id: 'new-0', status: 'blocked', ...unknown, ...reported },
    ])
    expect((await world.delivered()).toSorted()).toEqual(['bad-0', 'fits-0', 'fits-0', 'new-0'])
    const [other] = await store.query<{ n: number }>(
      "select count() as n from events where workspace_id = 'validated' and startsWith(message_id, 'h-') and status = 'blocked'",
    )
    expect(other?.n).toBe(hostile.length)
  })

  it.each([
    ['accepted', 'block'],
    ['blocked', 'allow'],
  ] as const)(
    'an event stored as %s keeps its status after a crash, even if its source now has %s',
    async (status, now) => {
      let enforcement: 'allow' | 'block' = status === 'accepted' ? 'allow' : 'block'
      const workspace = `changed-${status}`
      let lost = true
      await using world = await createWorld(store, ({ deliveries }) => ({
        settings: { flushAgeMs: 5, retryBaseMs: 5, retryCapMs: 20, drainMs: 50 },
        schemaFor: () => ({ schema, version: 1, enforcement }),
        deliveries: {
          ...deliveries,
          appendGroup: (...group) =>
            lost ? Promise.reject(new LogUnavailable('full')) : deliveries.appendGroup(...group),
        },
      }))
      // The valid event is delivered in any case. As its delivery fails, the batch with both events stays open.
      const { batch } = batchOf('bad', 1)
      await world.send(
        { batch: [...batch, ...batchOf('fits', 1, { properties: { total: 1 } }).batch] },
        { w: workspace },
      )
      await expect.poll(async () => (await idsOf(workspace)).length, { timeout: 30_000 }).toBe(2)
      await world.pipeline.stop()
      expect(world.files.journal.openRanges()).toHaveLength(1)
      enforcement = now
      lost = false
      const successor = world.another({ schemaFor: () => ({ schema, version: 2, enforcement }) })
      successor.start()
      await successor.idle()
      await successor.stop()
      const rows = await store.query(
        'select message_id, status, schema_version from events where workspace_id = {workspace:String} order by event_id',
        { workspace },
      )
      expect(rows).toEqual([
        { message_id: 'bad-0', status, schema_version: 1 },
        { message_id: 'fits-0', status: 'accepted', schema_version: 1 },
      ])
      expect(await world.delivered()).toEqual(status === 'accepted' ? ['bad-0', 'fits-0'] : ['fits-0'])
    },
  )

  it('the events pipeline counts discarded duplicates in dropped_events, by source and reason', async () => {
    await using world = await createWorld(store)
    await world.send(batchOf('r', 3), { w: 'repeats' })
    await world.pipeline.idle()
    await world.send(batchOf('r', 5), { w: 'repeats' })
    await world.pipeline.idle()
    expect(await idsOf('repeats')).toEqual(['r-0', 'r-1', 'r-2', 'r-3', 'r-4'])
    const counts = await store.query(
      "select source_id, reason, sum(events) as n from dropped_events where workspace_id = 'repeats' group by all",
    )
    expect(counts).toEqual([{ source_id: 's-1', reason: 'duplicate', n: 3 }])
  })

  it('the events pipeline stores a row that the engine refuses as rejected, and its neighbors unchanged', async () => {
    const refusing: EventStore = {
      ...store,
      insert: async (table, rows, options) => {
        const text = typeof rows === 'object' && 'pieces' in rows ? Buffer.concat(rows.pieces).toString() : ''
        // A row contains its event's name twice: in its column and in the original.
        if (/Poison[^]*{"a":1}[^]*Poison/.test(text)) throw new InsertRejected(117, 'Cannot parse this')
        await store.insert(table, rows, options)
      },
    }
    await using world = await createWorld(refusing)
    const { batch } = batchOf('p', 50)
    batch[17] = { ...batch[17], event: 'Poison', properties: { a: 1 } }
    await world.send({ batch }, { w: 'poison' })
    await world.pipeline.idle()
    const rows = await store.query<{ message_id: string; reason: string; original: string }>(
      "select message_id, reason, original from events where workspace_id = 'poison' and status = 'rejected'",
    )
    expect(rows).toEqual([
      { message_id: 'p-17', reason: 'refused_by_event_store: Cannot parse this', original: JSON.stringify(batch[17]) },
    ])
    expect((await idsOf('poison')).toSorted()).toEqual(batch.map((_, n) => `p-${n}`).toSorted())
  })

  it('while the store is down, the pipeline delivers and publishes, stops reading at its limit, and loses nothing', async () => {
    let away = true
    let failures = 0
    const flaky: EventStore = {
      ...store,
      insert: async (table, rows, options) => {
        if (away && ++failures > 0) throw new EventStoreUnavailable('away')
        await store.insert(table, rows, options)
      },
    }
    const settings = { batchRows: 1000, flushAgeMs: 20, retryBaseMs: 5, retryCapMs: 50 }
    await using world = await createWorld(flaky, { settings })
    const live: unknown[] = []
    world.hub.coordination.subscribe('live.publish', (message) => live.push(message))
    world.hub.coordination.publish('live.occupied', { channels: ['private-sources-s-1'] })
    await world.send(batchOf('first', 10), { w: 'away' })
    await expect.poll(async () => (await world.delivered()).length, { timeout: 30_000 }).toBe(10)
    await expect.poll(() => live.length, { timeout: 30_000 }).toBeGreaterThan(0)
    for (let n = 0; n < 40; n++) await world.send(batchOf(`more${n}`, 100), { w: 'away' })
    await expect
      .poll(async () => (await world.pipeline.state()).rowsWaiting, { timeout: 30_000 })
      .toBeGreaterThanOrEqual(1000)
    await expect.poll(() => failures, { timeout: 30_000 }).toBeGreaterThan(3)
    expect(await world.pipeline.state()).toMatchObject({ running: true, lagRecords: 41 })
    await expect.poll(() => world.pipeline.behindMs(), { timeout: 30_000 }).toBeGreaterThan(0)
    away = false
    await world.pipeline.idle()
    await expect.poll(() => world.pipeline.behindMs(), { timeout: 30_000 }).toBe(0)
    expect(await idsOf('away')).toHaveLength(4010)
    expect(new Set(await idsOf('away')).size).toBe(4010)
    expect(await world.pipeline.state()).toMatchObject({
      lagRecords: 0,
      lagBytes: 0,
      oldestUnstoredMs: 0,
      rowsWaiting: 0,
    })
  })

  it('the events pipeline commits nothing until the deliveries are durable, and retries them', async () => {
    let refused = 0
    let refusing = true
    await using world = await createWorld(store, ({ deliveries }) => ({
      settings: { flushAgeMs: 5, retryBaseMs: 5, retryCapMs: 20 },
      deliveries: {
        ...deliveries,
        appendGroup: (...group) =>
          refusing && ++refused > 0 ? Promise.reject(new LogUnavailable('full')) : deliveries.appendGroup(...group),
      },
    }))
    await world.send(batchOf('d', 10), { w: 'undelivered' })
    await expect.poll(async () => (await idsOf('undelivered')).length, { timeout: 30_000 }).toBe(10)
    await expect.poll(() => refused, { timeout: 30_000 }).toBeGreaterThan(3)
    expect([...world.files.journal.positions().values()].filter((next) => next > 0)).toEqual([])
    expect(world.files.journal.openRanges()).toHaveLength(1)
    refusing = false
    await world.pipeline.idle()
    expect(world.files.journal.openRanges()).toEqual([])
    expect(await world.delivered()).toHaveLength(10)
  })

  it('the events pipeline stops in limited time while the store is down, and the next one stores everything once', async () => {
    const away: EventStore = { ...store, insert: () => Promise.reject(new EventStoreUnavailable('away')) }
    await using world = await createWorld(away, { settings: { drainMs: 100, flushAgeMs: 5 } })
    await world.send(batchOf('h', 10), { w: 'handover' })
    await expect.poll(() => world.files.journal.openRanges().length, { timeout: 30_000 }).toBe(1)
    await world.send(batchOf('i', 10), { w: 'handover' })
    const began = performance.now()
    await world.pipeline.stop()
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(await idsOf('handover')).toEqual([])
    const successor = world.another({ eventStore: store })
    successor.start()
    await successor.idle()
    await successor.stop()
    expect(await idsOf('handover')).toHaveLength(20)
  })

  it('after its journal is lost, the pipeline stores and delivers nothing twice, and keeps the event IDs', async () => {
    await using world = await createWorld(store)
    const r = Date.now()
    await world.send(batchOf('k', 10, { messageId: undefined }), { w: 'lost', r })
    await world.send(batchOf('l', 10), { w: 'lost', r: r + 1 })
    await world.pipeline.idle()
    await world.pipeline.stop()
    await world.send(batchOf('m', 10), { w: 'lost', r: r + 2 })
    const journal = openJournal({ file: join(world.dir, 'second.sqlite') })
    const successor = world.another({ journal })
    successor.start()
    await world.send(batchOf('l', 11), { w: 'lost', r: r + 3 })
    await successor.idle()
    await successor.stop()
    journal.close()
    const ids = await idsOf('lost')
    expect([ids.length, new Set(ids).size]).toEqual([31, 31])
    expect(await world.delivered()).toHaveLength(31)
  })

  it('the events pipeline publishes for each partition the offset up to which everything is stored', async () => {
    await using world = await createWorld(store, { settings: { reportMs: 20 } })
    const reported: unknown[] = []
    world.hub.coordination.subscribe(positionsTopic, (message) => reported.push(message))
    for (const w of ['bytes', 'bytes-2', 'bytes']) await world.send(batchOf(`b-${w}`, 2), { w })
    await world.pipeline.idle()
    const ends = await world.files.reader.ends()
    expect(ends.reduce((sum, end) => sum + end)).toBe(3)
    await expect.poll(() => reported.at(-1), { timeout: 30_000 }).toEqual(ends)
  })

  it('a pipeline that owns some partitions stores and reports only those partitions', async () => {
    await using world = await createWorld(store)
    await world.pipeline.stop()
    const partitions = Array.from({ length: world.files.reader.partitions }, (_, partition) => partition)
    const workspaces = ['part-1', 'part-2', 'part-3', 'part-4', 'part-5', 'part-6']
    for (const w of workspaces) await world.send(batchOf(w, 5), { w })
    const ends = await world.files.reader.ends()
    const reported: number[][] = []
    world.hub.coordination.subscribe(positionsTopic, (message) => reported.push(message as number[]))
    const stored = async (): Promise<number> => (await Promise.all(workspaces.map(idsOf))).flat().length
    const counts: number[] = []
    for (const half of [0, 1]) {
      const owned = new Set(partitions.filter((partition) => partition % 2 === half))
      const journal = openJournal({ file: join(world.dir, `half-${half}.sqlite`) })
      const reader = readerOfOwned(world.files.reader, owned)
      const pipeline = world.another({ journal, reader, owned, settings: { reportMs: 20 } })
      pipeline.start()
      await pipeline.idle()
      const used = [...owned].filter((partition) => (ends[partition] ?? 0) > 0)
      expect([...journal.positions().keys()].toSorted((a, b) => a - b)).toEqual(used)
      const mine = ends.map((end, partition) => (owned.has(partition) ? end : unknownPosition))
      await expect.poll(() => reported.some((each) => String(each) === String(mine)), { timeout: 30_000 }).toBe(true)
      counts.push(await stored())
      await pipeline.stop()
      journal.close()
    }
    expect(counts).toEqual([expect.toSatisfy((count) => count > 0 && count < 30), 30])
    expect(await world.delivered()).toHaveLength(30)
  })

  it('the events pipeline stores the events of a quiet workspace while another floods the pipeline', async () => {
    await using world = await createWorld(store)
    const flood = JSON.stringify(batchOf('x', 500, { messageId: undefined, properties: { a: 'y'.repeat(300) } }))
    let sent = 0
    let flooding = true
    const flooded = (async () => {
      for (; flooding; await pause(5)) {
        const missing = Math.max(0, 40 - (await world.pipeline.state()).lagRecords)
        await Promise.all(Array.from({ length: missing }, () => world.send(flood, { w: 'flood' })))
        sent += missing
      }
    })()
    const delays: number[] = []
    /**
     * The maximum number of waiting records when a quiet event was sent. A single measurement may come just after a
     * commit, so the maximum counts.
     */
    let behind = 0
    for (let n = 0; n < 5; n++) {
      const began = performance.now()
      await world.send(batchOf(`q${n}`, 1), { w: 'quiet' })
      behind = Math.max(behind, (await world.pipeline.state()).lagRecords)
      await expect.poll(async () => (await idsOf('quiet')).length, { timeout: 30_000, interval: 20 }).toBe(n + 1)
      delays.push(performance.now() - began)
    }
    flooding = false
    await flooded
    await world.pipeline.idle()
    expect(behind).toBeGreaterThan(10)
    // A generous limit, because other tests run on the same machine.
    expect(Math.max(...delays)).toBeLessThan(8000)
    const [count] = await store.query<{ n: number }>("select count() as n from events where workspace_id = 'flood'")
    expect(count?.n).toBe(sent * 500)
  })

  it('other workspaces overtake a workspace with a backlog, and the events of each workspace keep their order', async () => {
    const asked: unknown[] = []
    await using world = await createWorld(store, {
      settings: { turnBytes: 20_000, flushRows: 200, flushAgeMs: 5, overtakeMs: 20 },
      mayOvertake: (partition, workspaceIds) => asked.push([partition, ...workspaceIds]) > 0,
    })
    // Both workspaces are in the same partition of the eight.
    const send = (w: string, n: number): Promise<void> => world.send(batchOf(`${w}/${n}`, 20), { w, s: `s-${w}` })
    await send('w-0', 0)
    await world.pipeline.idle()
    await world.pipeline.stop()
    for (let n = 1; n < 400; n++) await send('w-0', n)
    await send('w-19', 0)
    // A new journal does not say which records are stored.
    const journal = openJournal({ file: join(world.dir, 'journal.sqlite') })
    const successor = world.another({
      journal,
      settings: { turnBytes: 20_000, flushRows: 200, flushAgeMs: 5, overtakeMs: 20 },
      mayOvertake: (partition, workspaceIds) => asked.push([partition, ...workspaceIds]) > 0,
    })
    successor.start()
    await successor.idle()
    await send('w-19', 1)
    await send('w-0', 400)
    await successor.idle()
    await successor.stop()
    expect(asked).toEqual([[3, 'w-0']])
    const delivered = await world.delivered()
    for (const w of ['w-0', 'w-19']) {
      const own = Array.from({ length: w === 'w-0' ? 401 : 2 }, (_, n) =>
        Array.from({ length: 20 }, (_, index) => `${w}/${n}-${index}`),
      ).flat()
      expect(delivered.filter((id) => id.startsWith(`${w}/`))).toEqual(own)
      expect((await idsOf(w)).toSorted()).toEqual(own.toSorted())
    }
    expect(delivered.indexOf('w-19/0-19')).toBeLessThan(delivered.indexOf('w-0/300-0'))
    expect(journal.notes().get(3)).toBe('')
    journal.close()
  })

  it('a stop stores what was read, and the next start continues from there', async () => {
    await using world = await createWorld(store)
    await world.send(batchOf('s', 20), { w: 'stop' })
    await expect.poll(async () => (await world.delivered()).length, { timeout: 30_000 }).toBe(20)
    await world.pipeline.stop()
    expect(await idsOf('stop')).toHaveLength(20)
    expect(await world.pipeline.state()).toMatchObject({ running: false, lagRecords: 0 })
    await world.send(batchOf('t', 1), { w: 'stop' })
    await expect(world.pipeline.idle()).rejects.toThrow(/stopped/)
  })
})
