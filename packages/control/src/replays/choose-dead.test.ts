import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type MethodRequest, methods } from '@tributary/contract'
import { newId, noMetrics, setFaultHandler, silentLogger } from '@tributary/kernel'
import { type LogReader, type LogWriter, openLogReader, openLogWriter } from '@tributary/storage'
import { eventually } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createReplayRunner, type ReplayRunner } from '../../../replays/src/runner.ts'
import {
  type Harness,
  idIn,
  makeResources,
  type Organization,
  startControl,
  startOrganization,
} from '../testing/control-harness.ts'
import { deadLetter } from '../testing/replays.ts'

let harness: Harness
let organization: Organization
let folder: string
let writer: LogWriter
let reader: LogReader
let runner: ReplayRunner | undefined
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-dead-'))
  writer = await openLogWriter({ dir: folder, partitions: 1, inline: true })
  reader = openLogReader({ dir: folder })
  harness = await startControl({ deliveries: reader })
  organization = await startOrganization(harness)
})
afterEach(async () => {
  setFaultHandler(undefined)
  await runner?.stop()
  runner = undefined
})
afterAll(async () => {
  reader.close()
  await writer.close()
  rmSync(folder, { recursive: true, force: true })
  await harness[Symbol.asyncDispose]()
})

const run = (): void => {
  runner = createReplayRunner({
    db: harness.db,
    eventStore: harness.eventStore,
    deliveries: writer,
    reader,
    mayAppend: () => true,
    onDue: () => {},
    clock: Date.now,
    logger: silentLogger,
    metrics: noMetrics,
    settings: { pollMs: 20, retryMs: 20 },
  })
  runner.start()
}

const hour = 3_600_000
const orders = 'Order Completed'
const carts = 'Cart Viewed'

/** Creates a destination with dead letters. `letter` makes a dead letter from events of a record with these names. */
const start = async () => {
  const { administrator, collaborator, workspaceId } = organization
  const { source, destination } = await makeResources(workspaceId, administrator)
  const ids = { workspaceId, sourceId: idIn(source.name), destinationId: idIn(destination.name) }
  const params = { workspace: workspaceId, destination: ids.destinationId }
  const scope = {
    kind: 'dead',
    start_time: new Date(harness.now() - hour).toISOString(),
    end_time: new Date(harness.now() + hour).toISOString(),
  } as const
  const append = async (names: readonly string[], more: object = {}) => {
    const prefix = newId()
    const events = names.map((event, n) => ({
      eventId: `${prefix}-${n}`,
      messageId: `m-${prefix}-${n}`,
      type: event === '' ? 'identify' : 'track',
      event,
      properties: { n },
      context: {},
      test: false,
      receivedAt: '2026-01-01T00:00:00.000Z',
      timestamp: '2026-01-01T00:00:00.000Z',
      ...more,
    }))
    const meta = { w: workspaceId, s: ids.sourceId, d: [ids.destinationId], n: names.length }
    const body = Buffer.from(`[${events.map((each) => JSON.stringify(each)).join(',\n')}]\n`)
    const { offset } = await writer.append({ key: workspaceId, meta: JSON.stringify(meta), body })
    return { offset, ids: events.map(({ eventId }) => eventId) }
  }
  const letter = async (names: readonly string[], more: Parameters<typeof deadLetter>[3] = {}) => {
    const record = await append(names)
    const indexes = more.indexes ?? names.map((_, index) => index)
    await deadLetter(harness, ids, record.offset, {
      ids: indexes.map((index) => record.ids[index] ?? ''),
      ...more,
      indexes,
    })
    return record
  }
  const preview = (more: Partial<MethodRequest<typeof methods.replays.preview>> = {}) =>
    collaborator.ok(methods.replays.preview, params, { body: { ...scope, ...more } })
  const create = (more: Partial<MethodRequest<typeof methods.replays.create>> = {}) =>
    collaborator.ok(methods.replays.create, params, { body: { ...scope, events_per_second: 5000, ...more } })
  /** Resolves when all events of the replay are due. No delivery runs in this test. */
  const allDue = ({ name }: { name: string }) =>
    eventually('all of it is due', async () => {
      const replay = await collaborator.ok(methods.replays.get, { ...params, replay: idIn(name) })
      return replay.state === 'delivering' && replay
    })
  const rows = (state: 'dead' | 'waiting') =>
    harness.db
      .selectFrom('parked_deliveries')
      .selectAll()
      .where('destination_id', '=', ids.destinationId)
      .where('state', '=', state)
      .orderBy('log_offset')
      .execute()
  const held = async (state: 'dead' | 'waiting') =>
    (await rows(state)).map((row) => [Number(row.log_offset), row.event_indexes, row.event_ids, row.event_count])
  const path = `/workspaces/${workspaceId}/destinations/${ids.destinationId}/replays`
  return { ids, params, scope, letter, preview, create, allDue, rows, held, path }
}

const byName = (event: string) => ({ event })
const meets = (field: string, operator: 'equals' | 'less_than' | 'exists', value = '') => ({
  filter: { match: 'all' as const, conditions: [{ id: 'aaaa', field, operator, value }] },
})

test('exactly the events that the preview counted become due; other events of their dead letters stay dead under the same ID', async () => {
  const { letter, preview, create, allDue, rows, held } = await start()
  const mixed = await letter([orders, carts, orders, ''], { indexes: [0, 1, 2] })
  const whole = await letter([orders, orders])
  const other = await letter([carts, ''])
  const counted = await preview(byName(orders))
  expect(counted).toMatchObject({ event_count: 4, unreadable_count: 0, samples: [] })
  const before = await rows('dead')
  const replay = await create({ ...byName(orders), expected_event_count: counted.event_count })
  expect(replay).toMatchObject({ kind: 'dead', event: orders, event_count: 4, sent_count: 0 })
  // Until they are due, the dead letters are unchanged.
  expect((await rows('dead')).map((row) => [row.id, row.event_indexes])).toEqual(
    before.map((row) => [row.id, row.event_indexes]),
  )
  run()
  expect(await allDue(replay)).toMatchObject({ sent_count: 4 })
  expect(await held('waiting')).toEqual([
    [mixed.offset, [0, 2], [mixed.ids[0], mixed.ids[2]], 2],
    [whole.offset, [0, 1], whole.ids, 2],
  ])
  expect(await held('dead')).toEqual([
    [mixed.offset, [1], [mixed.ids[1]], 1],
    [other.offset, [0, 1], other.ids, 2],
  ])
  const [rest] = await rows('dead')
  expect(rest).toMatchObject({ id: before[0]?.id, last_reason: 'HTTP 400', attempts: 3, replay_id: null, bytes: '34' })
  for (const row of await rows('waiting'))
    expect(row).toMatchObject({ replay_id: idIn(replay.name), replay_indexes: null, attempts: 0 })
  expect((await preview(byName(orders))).event_count).toBe(0)
  expect((await preview(byName(carts))).event_count).toBe(2)
})

test('dead letters are selected by type, conditions, source, time, and reason together', async () => {
  const { ids, letter, preview, scope } = await start()
  await letter([orders, '', carts, orders])
  await letter([orders, ''], { reason: 'HTTP 422' })
  await letter([orders], { time: harness.now() - 2 * hour })
  expect((await preview({ event_type: 'identify' })).event_count).toBe(2)
  expect((await preview(meets('properties.n', 'less_than', '2'))).event_count).toBe(4)
  expect((await preview(meets('properties.none', 'exists'))).event_count).toBe(0)
  expect((await preview({ ...byName(orders), ...meets('properties.n', 'equals', '3') })).event_count).toBe(1)
  expect((await preview({ ...byName(orders), reason: 'HTTP 422' })).event_count).toBe(1)
  expect((await preview({ ...byName(orders), start_time: new Date(0).toISOString() })).event_count).toBe(4)
  const { source } = await makeResources(ids.workspaceId, organization.administrator)
  expect((await preview({ ...byName(orders), source: source.name })).event_count).toBe(0)
  // A filter without conditions requires no reading of events.
  expect((await preview({ filter: { match: 'all', conditions: [] } })).event_count).toBe(6)
  expect(await preview(byName(orders))).toMatchObject({
    event_count: 3,
    first_time: expect.any(String),
    last_time: expect.any(String),
  })
  expect(scope.kind).toBe('dead')
})

test('unreadable events are counted and stay dead: those of ranges, of letters missing in the log, and beyond the end of a record', async () => {
  const { ids, letter, preview, create, allDue, held } = await start()
  const legacy = await letter([orders, carts, orders], { ids: [] })
  const odd = await letter([orders], { indexes: [0, 7] })
  await deadLetter(harness, ids, 5_000_000, { end: 5_000_010, events: 50 })
  await deadLetter(harness, ids, 6_000_000, { events: 3 })
  expect(await preview(byName(orders))).toMatchObject({ event_count: 3, unreadable_count: 54 })
  // Without conditions, all events are sent, including unreadable ones.
  expect(await preview()).toMatchObject({ event_count: 58, unreadable_count: 0 })
  const replay = await create(byName(orders))
  run()
  expect(await allDue(replay)).toMatchObject({ event_count: 3, sent_count: 3 })
  // A dead letter of an earlier version has no event IDs, and neither do its parts.
  expect(await held('waiting')).toEqual([
    [legacy.offset, [0, 2], [], 2],
    [odd.offset, [0], [odd.ids[0]], 1],
  ])
  expect((await held('dead')).map(([offset, indexes, , count]) => [offset, indexes, count])).toEqual([
    [legacy.offset, [1], 1],
    [odd.offset, [7], 1],
    [5_000_000, [], 50],
    [6_000_000, [0, 1, 2], 3],
  ])
})

test('if a step of a replay is killed, every dead letter stays complete, and each event becomes due once', async () => {
  const { letter, create, allDue, held } = await start()
  const letters = []
  for (let n = 0; n < 30; n++) letters.push(await letter([orders, carts, orders]))
  let passes = 0
  setFaultHandler((name) => {
    if (name === 'replay.after-split' && ++passes === 2) throw new Error('killed')
  })
  const replay = await create({ ...byName(orders), events_per_second: 40 })
  run()
  expect(await allDue(replay)).toMatchObject({ event_count: 60, sent_count: 60 })
  expect(passes).toBeGreaterThan(3)
  expect(await held('waiting')).toEqual(letters.map(({ offset, ids }) => [offset, [0, 2], [ids[0], ids[2]], 2]))
  expect(await held('dead')).toEqual(letters.map(({ offset, ids }) => [offset, [1], [ids[1]], 1]))
})

test('a canceled replay leaves dead letters unchanged, and a dead letter that was retried manually leaves the replay', async () => {
  const { params, letter, create, allDue, rows, held } = await start()
  const { collaborator } = organization
  const first = await letter([orders, carts])
  const before = await rows('dead')
  const cancelled = await create(byName(orders))
  await collaborator.ok(methods.replays.cancel, { ...params, replay: idIn(cancelled.name) }, { body: {} })
  expect(await rows('dead')).toEqual(before)
  const second = await letter([orders, carts])
  const replay = await create(byName(orders))
  const parked_delivery = `workspaces/${params.workspace}/destinations/${params.destination}/parkedDeliveries/${before[0]?.id}`
  expect(await collaborator.ok(methods.destinations.retry, params, { body: { parked_delivery } })).toEqual({
    event_count: 2,
  })
  run()
  expect(await allDue(replay)).toMatchObject({ event_count: 2, sent_count: 1 })
  expect(await held('dead')).toEqual([[second.offset, [1], [second.ids[1]], 1]])
  expect((await rows('waiting')).map((row) => [Number(row.log_offset), row.event_indexes, row.replay_id])).toEqual([
    [first.offset, [0, 1], null],
    [second.offset, [0], idIn(replay.name)],
  ])
})

test('if a crash left two letters for the same events, a replay loses none of the events', async () => {
  const { ids, letter, create, allDue, held } = await start()
  const { offset, ids: of } = await letter([orders, carts, orders])
  await deadLetter(harness, ids, offset, { indexes: [0, 2], ids: [of[0] ?? '', of[2] ?? ''] })
  await deadLetter(harness, ids, offset, { indexes: [1], ids: [of[1] ?? ''] })
  const replay = await create(byName(orders))
  run()
  await allDue(replay)
  expect(await held('waiting')).toEqual([[offset, [0, 2], [of[0], of[2]], 2]])
  expect(await held('dead')).toEqual([[offset, [1], [of[1]], 1]])
})

test('an invalid replay is refused with code, reason, message, and metadata, and changes nothing', async () => {
  const { ids, scope, letter, path, rows } = await start()
  const { administrator, guest, outsider, otherWorkspaceId } = organization
  await letter([orders, carts])
  const before = await rows('dead')
  const refused = async (body: object, of: string): Promise<[number, unknown]> => {
    const reply = await administrator.call('POST', of, { ...scope, ...body })
    expect(Object.keys(reply.body).toSorted()).toEqual(['code', 'message', 'metadata', 'reason'])
    return [reply.status, reply.body.reason]
  }
  const condition = { id: 'aaaa', field: 'event', operator: 'equals', value: orders }
  for (const of of [path, `${path}:preview`]) {
    for (const body of [
      { event: '' },
      { event: 'x'.repeat(501) },
      { event: 7 },
      { event_type: 'order' },
      { filter: { conditions: [{ ...condition, value: '' }] } },
      { filter: { conditions: [{ ...condition, operator: 'like' }] } },
      { filter: { conditions: Array.from({ length: 21 }, () => condition) } },
      { filter: 'all' },
    ])
      expect(await refused(body, of)).toEqual([400, 'VALIDATION'])
    const source = `workspaces/${otherWorkspaceId}/sources/${ids.sourceId}`
    expect(await refused({ event: orders, source }, of)).toEqual([404, 'NOT_FOUND'])
    const body = { ...scope, event: orders }
    expect(await harness.call('', 'POST', of, body)).toMatchObject({ status: 401 })
    expect(await guest.call('POST', of, body)).toMatchObject({ status: 403 })
    expect(await outsider.call('POST', of, body)).toMatchObject({ status: 404 })
    const elsewhere = of.replace(ids.workspaceId, otherWorkspaceId)
    expect(await administrator.call('POST', elsewhere, body)).toMatchObject({ status: 404 })
  }
  expect(await refused({ event: 'Nothing' }, path)).toEqual([400, 'VALIDATION'])
  expect(await refused({ event: orders, expected_event_count: -1 }, path)).toEqual([400, 'VALIDATION'])
  // The expected number of events differs from the actual one.
  expect(await refused({ event: orders, expected_event_count: 2 }, path)).toEqual([409, 'REPLAY_CHANGED'])
  expect(await rows('dead')).toEqual(before)
  expect(await rows('waiting')).toEqual([])
  expect((await administrator.call('GET', path)).body).toMatchObject({ replays: [] })
})

test('if the log of deliveries is unreadable, only calls that need it are temporarily refused', async () => {
  const { scope, path, letter } = await start()
  await letter([orders])
  await using without = await startControl()
  const other = await startOrganization(without)
  const { destination } = await makeResources(other.workspaceId, other.administrator)
  const of = `/${destination.name}/replays:preview`
  expect(await other.administrator.call('POST', of, { ...scope, event: orders })).toMatchObject({
    status: 503,
    body: { reason: 'UNAVAILABLE' },
  })
  expect(await other.administrator.call('POST', of, scope)).toMatchObject({ status: 200 })
  expect(await organization.administrator.call('POST', `${path}:preview`, { ...scope, event: orders })).toMatchObject({
    status: 200,
  })
})
