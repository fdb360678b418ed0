import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MethodRequest, methods, type PipelineEvent } from '@tributary/contract'
import {
  type BoardPlace,
  createThreadBoard,
  createWorkShare,
  joinThreadBoard,
  noMetrics,
  readThreadBoard,
  setFaultHandler,
  setHeldWork,
  silentLogger,
  type WorkNote,
  type WorkShare,
} from '@tributary/kernel'
import { EventStoreUnavailable, openLogReader, openLogWriter } from '@tributary/storage'
import { eventually } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createReplayRunner, type ReplayRunner } from '../../../replays/src/runner.ts'
import type { ReplayRunnerDeps } from '../../../replays/src/runner-ports.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { deadLetter, insertRows, storedRow } from '../testing/replays.ts'

let harness: Harness
let organization: Organization
let folder: string
let runners: ReplayRunner[] = []
let close: () => Promise<void>
let log: Pick<ReplayRunnerDeps, 'deliveries' | 'reader'>
const due: string[] = []
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-replays-'))
  const deliveries = await openLogWriter({ dir: folder, partitions: 4, inline: true })
  const reader = openLogReader({ dir: folder })
  log = { deliveries, reader }
  close = async () => {
    reader.close()
    await deliveries.close()
  }
})
afterEach(async () => {
  setFaultHandler(undefined)
  await Promise.all(runners.map((runner) => runner.stop()))
  runners = []
  await close()
  rmSync(folder, { recursive: true, force: true })
  await harness.db.deleteFrom('replays').execute()
})

const run = (more: Partial<ReplayRunnerDeps> = {}): ReplayRunner => {
  const runner = createReplayRunner({
    db: harness.db,
    eventStore: harness.eventStore,
    ...log,
    mayAppend: () => true,
    onDue: ({ destinationId }) => due.push(destinationId),
    clock: Date.now,
    logger: silentLogger,
    metrics: noMetrics,
    ...more,
    settings: { pollMs: 20, retryMs: 20, ...more.settings },
  })
  runners.push(runner)
  runner.start()
  return runner
}

/** The content of the log, record by record. */
const records = async () =>
  (
    await Promise.all(
      Array.from({ length: log.reader.partitions }, (_, partition) => log.reader.read(partition, 0, 1e9)),
    )
  )
    .flat()
    .map(({ key, meta, body }) => ({
      key,
      meta: JSON.parse(meta) as { w: string; s: string; d: string[]; n: number; p: string },
      events: JSON.parse(Buffer.from(body).toString()) as PipelineEvent[],
      text: Buffer.from(body).toString(),
    }))
const sentIds = async () => (await records()).flatMap(({ events }) => events.map(({ eventId }) => eventId))

const at = (ms: number): string => new Date(ms).toISOString()
const eventId = (n: number): string => `9-${String(n).padStart(10, '0')}-0000`

/** Makes a destination and a source with `count` events, one per second, in a workspace of an organization. */
const start = async (count: number, { administrator, workspaceId } = organization) => {
  const { source, destination } = await makeResources(workspaceId, administrator)
  const ids = { workspaceId, sourceId: idIn(source.name), destinationId: idIn(destination.name) }
  const params = { workspace: workspaceId, destination: ids.destinationId }
  const first = harness.now() - count * 1000 - 60_000
  const rows = Array.from({ length: count }, (_, n) =>
    storedRow(workspaceId, ids.sourceId, eventId(n), first + n * 1000, {
      event: n % 10 === 0 ? 'Tenth' : 'Order Completed',
      original: JSON.stringify({
        event: n % 10 === 0 ? 'Tenth' : 'Order Completed',
        userId: 'u1',
        properties: { n },
        integrations: { All: false },
      }),
    }),
  )
  if (count > 0) await insertRows(harness, 'events', rows)
  const create = async (more: Partial<MethodRequest<typeof methods.replays.create>> = {}) => {
    const body = {
      kind: 'history' as const,
      start_time: at(first),
      end_time: at(harness.now()),
      source: source.name,
      events_per_second: 5000,
      ...more,
    }
    const { name, event_count } = await administrator.ok(methods.replays.create, params, { body })
    const of = { ...params, replay: idIn(name) }
    return {
      event_count,
      id: idIn(name),
      get: () => administrator.ok(methods.replays.get, of),
      pause: () => administrator.ok(methods.replays.pause, of, { body: {} }),
      resume: () => administrator.ok(methods.replays.resume, of, { body: {} }),
      cancel: () => administrator.ok(methods.replays.cancel, of, { body: {} }),
      /** Waits until the replay has sent all events. No destination receives them in this test. */
      untilSent: () =>
        eventually('it has sent all', async () => {
          const row = await harness.db
            .selectFrom('replays')
            .select('state')
            .where('id', '=', of.replay)
            .executeTakeFirst()
          return row?.state === 'done' && (await administrator.ok(methods.replays.get, of))
        }),
      until: (state: string) =>
        eventually(`it is ${state}`, async () => {
          const replay = await administrator.ok(methods.replays.get, of)
          return replay.state === state && replay
        }),
    }
  }
  return { ids, create, source, destination }
}

const range = (count: number) => Array.from({ length: count }, (_, n) => eventId(n))

test('a history by event time sends the events that happened then, whenever they were received, and no other events', async () => {
  const { ids, create } = await start(20)
  const now = harness.now()
  const happened = (n: number, ms: number) =>
    storedRow(ids.workspaceId, ids.sourceId, eventId(1000 + n), now - 1000, {
      timestamp: at(now - ms)
        .replace('T', ' ')
        .slice(0, 23),
    })
  const day = 86_400_000
  await insertRows(harness, 'events', [
    happened(1, 5 * day),
    happened(2, 7 * day),
    happened(3, 6 * day),
    happened(4, 0),
  ])
  const period = { start_time: at(now - 6 * day), end_time: at(now - 4 * day), time_by: 'event_time' } as const
  const replay = await create({ ...period, expected_event_count: 2 })
  run()
  expect(await replay.untilSent()).toMatchObject({ sent_count: 2, event_count: 2 })
  expect(await sentIds()).toEqual([eventId(1001), eventId(1003)])
})

test('a history is sent to one destination in order, each event once, in the form that deliveries read', async () => {
  const { ids, create } = await start(2500)
  const replay = await create()
  expect(replay.event_count).toBe(2500)
  run()
  expect(await replay.untilSent()).toMatchObject({ state: 'delivering', sent_count: 2500 })
  expect(await sentIds()).toEqual(range(2500))
  for (const { key, meta, events, text } of await records()) {
    expect(key).toBe(ids.workspaceId)
    expect(meta).toEqual({
      w: ids.workspaceId,
      s: ids.sourceId,
      d: [ids.destinationId],
      n: events.length,
      p: replay.id,
    })
    expect(text.split(',\n')).toHaveLength(events.length)
    expect(text.startsWith('[{"eventId":"') && text.endsWith('}]\n')).toBe(true)
  }
  expect((await records())[0]?.events[1]).toMatchObject({
    messageId: `m-${eventId(1)}`,
    type: 'track',
    properties: { n: 1 },
  })
})

test('a replay without the profile says so on each record, and shows it', async () => {
  const { create } = await start(3)
  const replay = await create({ profile: 'none' })
  run()
  expect(await replay.untilSent()).toMatchObject({ profile: 'none', sent_count: 3 })
  expect((await records()).map(({ meta }) => meta)).toEqual([expect.objectContaining({ p: replay.id, u: true })])
})

describe("a replay's work is on the thread board, and a replay whose work is held ends with the reason", () => {
  const board = createThreadBoard()
  let place: BoardPlace
  beforeEach(() => {
    place = joinThreadBoard('tests')
  })
  afterEach(() => {
    place.leave()
    setHeldWork(new Map())
  })
  const own = () => readThreadBoard(board).find(({ name }) => name === 'tests')?.work
  const conditions = [{ id: 'aaaa', field: 'properties.n', operator: 'less_than', value: '200' } as const]
  const kinds: [title: string, more: object][] = [
    ['of history', {}],
    ['of history with conditions', { filter: { conditions } }],
    ['of history by event time', { time_by: 'event_time' }],
  ]

  test.each(kinds)('a replay %s shows its work on the thread board', async (_title, more) => {
    const { ids, create } = await start(120)
    const replay = await create(more)
    const work = { step: 'replay', workspaceId: ids.workspaceId, item: `replay ${ids.destinationId} ${replay.id}` }
    const seen: (WorkNote | undefined)[] = []
    const { deliveries } = log
    const appendGroup: typeof deliveries.appendGroup = async (...given) => {
      seen.push(own())
      return await deliveries.appendGroup(...given)
    }
    run({ deliveries: { ...deliveries, appendGroup } })
    await replay.untilSent()
    expect(seen.length).toBeGreaterThan(0)
    for (const each of seen) expect(each).toEqual(work)
    setHeldWork(new Map([[work.item, 'It blocked the thread']]))
    expect((await replay.get()).state).toBe('delivering')
  })

  test('a held replay of dead letters fails with the reason, and a released one shows its work on the thread board', async () => {
    const { ids, create } = await start(0)
    await deadLetter(harness, ids, 1)
    const replay = await create({ kind: 'dead' })
    const item = `replay ${ids.destinationId} ${replay.id}`
    setHeldWork(new Map([[item, 'It blocked the thread pipeline twice']]))
    run()
    expect(await replay.until('failed')).toMatchObject({ failure: 'It blocked the thread pipeline twice' })
    setHeldWork(new Map())
    const seen: (WorkNote | undefined)[] = []
    await runners.pop()?.stop()
    const again = await create({ kind: 'dead' })
    run({ onDue: () => seen.push(own()) })
    await eventually('it is due', () => seen.length > 0)
    expect(seen[0]).toMatchObject({ step: 'replay', item: `replay ${ids.destinationId} ${again.id}` })
  })
})

test('a replay sends exactly the events that match the name and conditions', async () => {
  const { create } = await start(300)
  const conditions = [{ id: 'aaaa', field: 'properties.n', operator: 'less_than', value: '200' } as const]
  const replay = await create({ event: 'Tenth', filter: { conditions } })
  expect(replay.event_count).toBe(20)
  run()
  await replay.untilSent()
  expect(await sentIds()).toEqual(Array.from({ length: 20 }, (_, n) => eventId(n * 10)))
})

test.each([
  ['the first', 1],
  ['a later', 3],
])(
  'if %s step was appended but not recorded, the replay finds it in the log, and sends every event once',
  async (_, step) => {
    const { create } = await start(1000)
    const replay = await create()
    let passes = 0
    setFaultHandler((name) => {
      if (name === 'replay.after-append' && ++passes === step) throw new Error('killed')
    })
    run({ settings: { stepEvents: 100 } })
    expect(await replay.untilSent()).toMatchObject({ sent_count: 1000 })
    expect(passes).toBeGreaterThanOrEqual(10)
    expect(await sentIds()).toEqual(range(1000))
  },
)

test('a replay continues where it stopped when another process takes over, and loses nothing while stores are unavailable', async () => {
  const { create } = await start(400)
  const replay = await create({ events_per_second: 2000 })
  let queries = 0
  const flaky: ReplayRunnerDeps['eventStore'] = {
    ...harness.eventStore,
    query: (...call) =>
      queries++ % 5 === 4 ? Promise.reject(new EventStoreUnavailable('away')) : harness.eventStore.query(...call),
  }
  const first = run({ eventStore: flaky, settings: { stepEvents: 50 } })
  await eventually('some is sent', async () => (await replay.get()).sent_count >= 100)
  await first.stop()
  const between = (await replay.get()).sent_count
  expect(between).toBeLessThan(400)
  expect(await sentIds()).toEqual(range(between))
  run({ settings: { stepEvents: 50 } })
  expect(await replay.untilSent()).toMatchObject({ sent_count: 400 })
  expect(await sentIds()).toEqual(range(400))
})

test('a replay keeps to its rate, stops when it is paused, and sends nothing more when it is canceled', async () => {
  const { create } = await start(600)
  const replay = await create({ events_per_second: 100 })
  const began = Date.now()
  run()
  await eventually('some is sent', async () => (await replay.get()).sent_count >= 100)
  expect(Date.now() - began).toBeGreaterThanOrEqual(490)
  const { sent_count } = await replay.pause()
  expect(await sentIds()).toHaveLength(sent_count)
  // A step that began before the pause has ended by the time that another replay is done.
  const other = await start(10)
  await (await other.create()).untilSent()
  expect((await sentIds()).filter((id) => id !== '')).toHaveLength(sent_count + 10)
  expect(await replay.get()).toMatchObject({ state: 'paused', sent_count })
  await replay.resume()
  await eventually('more is sent', async () => (await replay.get()).sent_count > sent_count)
  const cancelled = await replay.cancel()
  expect(cancelled.sent_count).toBeLessThan(600)
  const last = await start(10)
  await (await last.create()).untilSent()
  expect(await replay.get()).toMatchObject({ state: 'cancelled', sent_count: cancelled.sent_count })
  expect(await sentIds()).toHaveLength(cancelled.sent_count + 20)
})

test('a replay waits while deliveries lag far behind it or the disk is nearly full', async () => {
  const { ids, create } = await start(100)
  let room = false
  const replay = await create()
  run({ mayAppend: () => room, settings: { stepEvents: 10, aheadSeconds: 0, aheadEvents: 25 } })
  const other = await start(0)
  await deadLetter(harness, other.ids, 1)
  // Replays of dead letters need no room in the log.
  await (await other.create({ kind: 'dead' })).untilSent()
  expect((await replay.get()).sent_count).toBe(0)
  room = true
  await eventually('as much as may wait is sent', async () => (await replay.get()).sent_count === 30)
  await eventually('it is asked again', async () => (await replay.get()).sent_count === 30)
  const attempts = Array.from({ length: 30 }, (_, n) => ({
    workspace_id: ids.workspaceId,
    source_id: ids.sourceId,
    destination_id: ids.destinationId,
    event_id: eventId(n),
    status: n % 2 === 0 ? 'delivered' : 'retry',
    attempt: 1,
    time: harness.now() + 1000,
    replay_id: replay.id,
  }))
  await insertRows(harness, 'deliveries', attempts)
  await eventually('the next go', async () => (await replay.get()).sent_count === 60)
  expect(await sentIds()).toEqual(range(60))
})

test('replays of one workspace take turns with those of others, whatever their number and order of arrival', async () => {
  const settings = { replays: 2, stepEvents: 10, aheadSeconds: 0, aheadEvents: 25 }
  // None of these replays ends, because deliveries do not keep up.
  const many = await Promise.all([start(100), start(100), start(100)])
  const replays: Awaited<ReturnType<(typeof many)[number]['create']>>[] = []
  for (const { create } of many) replays.push(await create())
  const sent = () => Promise.all(replays.map(async ({ get }) => (await get()).sent_count))
  run({ settings, isMine: () => true })
  await eventually('two of them send', async () => (await sent()).join() === '30,30,0')
  const other = await start(20, await startOrganization(harness))
  const replay = await other.create()
  expect(await replay.untilSent()).toMatchObject({ sent_count: 20 })
  await replays[0]?.cancel()
  await eventually('the next one of the workspace sends', async () => (await sent()).join() === '30,30,30')
})

test('dead letters become due in steps, each once, even if they fail again meanwhile; a range becomes due as a whole', async () => {
  const { ids, create } = await start(0)
  for (let offset = 0; offset < 5; offset++)
    await deadLetter(harness, ids, offset, { events: 2, time: harness.now() - 20_000 })
  await deadLetter(harness, ids, 10, { events: 50, end: 60, time: harness.now() - 30_000 })
  await deadLetter(harness, ids, 99, { state: 'waiting' })
  const replay = await create({ kind: 'dead', events_per_second: 50 })
  expect(replay.event_count).toBe(60)
  const rows = () =>
    harness.db.selectFrom('parked_deliveries').selectAll().where('destination_id', '=', ids.destinationId).execute()
  const before = due.filter((id) => id === ids.destinationId).length
  run()
  await eventually('the oldest, a range, is due', async () => (await replay.get()).sent_count === 50)
  const changed = (await rows()).filter((row) => row.state === 'waiting' && row.replay_id === replay.id)
  // The dead letters come after live events, too.
  expect(changed.map((row) => [Number(row.log_offset), row.attempts, row.bulk])).toEqual([[10, 0, true]])
  expect(changed[0]?.first_time.getTime()).toBeGreaterThan(Date.now() - 10_000)
  // It fails for good once more.
  await harness.db
    .updateTable('parked_deliveries')
    .set({ state: 'dead' })
    .where('id', '=', changed[0]?.id ?? '')
    .execute()
  expect(await replay.untilSent()).toMatchObject({ sent_count: 60 })
  const after = await rows()
  expect(after.filter((row) => row.state === 'dead').map((row) => Number(row.log_offset))).toEqual([10])
  expect(after.filter((row) => row.replay_id === replay.id).map(({ bulk }) => bulk)).toEqual(Array(6).fill(true))
  expect(due.filter((id) => id === ids.destinationId).length).toBeGreaterThan(before)
})

test('a replay whose conditions used their CPU share waits for its turn, without delaying others or repeating events', async () => {
  const slow = await start(12)
  const plain = await start(5)
  const conditions = [{ id: 'aaaa', field: 'properties.n', operator: 'exists' } as const]
  const [one, two] = [await slow.create({ filter: { conditions } }), await plain.create()]
  // Time passes only when events are read, 40 ms each, or when the test advances it.
  let time = 0
  let asked = 0
  const share = createWorkShare({ share: 0.25, together: 0.5, burstMs: 50 }, () => time)
  const workShare: WorkShare = {
    ...share,
    run: (key, work, pieces) =>
      share.run(
        key,
        () => {
          asked++
          time += 40
          return work()
        },
        pieces,
      ),
  }
  run({ workShare })
  await two.untilSent()
  await eventually('some were asked', async () => asked > 0)
  expect(asked).toBeLessThan(12)
  expect((await one.get()).state).toBe('running')
  while ((await one.get()).state === 'running') time += 1000
  expect(asked).toBe(12)
  expect((await sentIds()).toSorted()).toEqual([...range(12), ...range(5)].toSorted())
})

test('a replay whose destination is deleted fails with the reason', async () => {
  const { create, destination } = await start(5)
  const replay = await create()
  await organization.administrator.call('DELETE', `/${destination.name}`)
  run()
  await eventually('it failed', async () => {
    const row = await harness.db.selectFrom('replays').selectAll().where('id', '=', replay.id).executeTakeFirst()
    return row?.state === 'failed' && row.failure === 'The destination was deleted'
  })
  expect(await sentIds()).toEqual([])
})

test('a replay with a permanent failure fails, and other replays continue', async () => {
  const broken = await start(5)
  const sound = await start(5)
  const [one, two] = [await broken.create(), await sound.create()]
  await harness.db
    .updateTable('replays')
    .set({ log_offset: 0, cursor_ms: -9_000_000_000_000_000, cursor_id: 'x' })
    .where('id', '=', one.id)
    .execute()
  const failing: ReplayRunnerDeps['eventStore'] = {
    ...harness.eventStore,
    query: (text, params, ...rest) =>
      params?.['source'] === broken.ids.sourceId
        ? Promise.reject(new Error('broken'))
        : harness.eventStore.query(text, params, ...rest),
  }
  run({ eventStore: failing })
  expect(await two.untilSent()).toMatchObject({ sent_count: 5 })
  expect(await one.until('failed')).toMatchObject({
    failure: "It stopped at an unexpected error. See the server's log",
    sent_count: 0,
  })
})
