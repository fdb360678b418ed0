import { type MethodRequest, methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
let bound = ''
beforeAll(async () => {
  harness = await startControl({ storedBefore: async () => bound })
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const hour = 3_600_000
const at = (ms: number): string => new Date(ms).toISOString()
const storedTime = (ms: number): string => at(ms).replace('T', ' ').slice(0, 23)

/** Makes a destination and a source for one test, and the period of the last hour. */
const start = async () => {
  const { administrator, collaborator, workspaceId } = organization
  const { source, destination } = await makeResources(workspaceId, administrator)
  const ids = { workspaceId, sourceId: idIn(source.name), destinationId: idIn(destination.name) }
  const params = { workspace: workspaceId, destination: ids.destinationId }
  const now = harness.now()
  // The source narrows each test to its own events.
  const history = {
    kind: 'history',
    start_time: at(now - hour),
    end_time: at(now),
    source: source.name,
  } as const
  const dead = { ...history, kind: 'dead' } as const
  const row = (id: string, minutesAgo: number, more: Record<string, unknown> = {}) =>
    storedRow(workspaceId, ids.sourceId, id, now - minutesAgo * 60_000, more)
  const preview = (body: MethodRequest<typeof methods.replays.preview>) =>
    collaborator.ok(methods.replays.preview, params, { body })
  const create = (body: MethodRequest<typeof methods.replays.create>) =>
    collaborator.ok(methods.replays.create, params, { body })
  const path = `/workspaces/${workspaceId}/destinations/${ids.destinationId}/replays`
  return { ids, params, source, destination, now, history, dead, row, preview, create, path }
}

test('a preview counts the accepted events of a period, source, name, and type, and shows the newest', async () => {
  const { row, now, history, preview, source } = await start()
  await insertRows(harness, 'events', [
    row('9-0000000001-0000', 50),
    row('9-0000000001-0001', 40, { event: "Cart's" }),
    row('9-0000000001-0002', 30, { type: 'page', event: 'Home' }),
    row('9-0000000001-0003', 20, { status: 'blocked' }),
    row('9-0000000001-0004', 20, { status: 'rejected' }),
    row('9-0000000001-0005', 61),
    row('9-0000000001-0006', 20, { source_id: newId() }),
    row('9-0000000001-0007', 10),
  ])
  const all = await preview(history)
  expect(all).toMatchObject({
    event_count: 4,
    first_time: at(now - 50 * 60_000),
    last_time: at(now - 10 * 60_000),
    stored_before: '',
  })
  expect(all.samples.map(({ event_id, source: of }) => [event_id.slice(-1), of])).toEqual([
    ['7', source.name],
    ['2', source.name],
    ['1', source.name],
    ['0', source.name],
  ])
  expect((await preview({ ...history, event: "Cart's" })).event_count).toBe(1)
  expect((await preview({ ...history, event_type: 'page' })).event_count).toBe(1)
  // The end is not part of the time.
  expect((await preview({ ...history, end_time: at(now - 10 * 60_000) })).event_count).toBe(3)
  expect(await preview({ ...history, event: 'Nothing' })).toMatchObject({
    event_count: 0,
    first_time: null,
    last_time: null,
    samples: [],
  })
})

test('by event time, events that happened in the period are counted whenever they were received, also with conditions', async () => {
  const { ids, row, now, history, preview, create, params } = await start()
  const happened = (minutesAgo: number) => ({ timestamp: storedTime(now - minutesAgo * 60_000) })
  await insertRows(harness, 'events', [
    // These events were received days after they happened, or happened before the period.
    row('9-0000000011-0000', 50, happened(3 * 24 * 60)),
    row('9-0000000011-0001', 2 * 24 * 60, happened(3 * 24 * 60 - 10)),
    row('9-0000000011-0002', 1, happened(30)),
    // The clock of the sender is ahead, so the events count as of their receipt.
    row('9-0000000011-0003', 40, happened(-600)),
    row('9-0000000011-0004', 90, happened(-600)),
    row('9-0000000011-0005', 50, happened(70)),
  ])
  const by = { time_by: 'event_time' } as const
  const older = { start_time: at(now - 4 * 24 * hour), end_time: at(now - 2 * 24 * hour), ...by }
  const filter = {
    match: 'all' as const,
    conditions: [{ id: '0000', field: 'type', operator: 'equals' as const, value: 'track' }],
  }
  for (const more of [{}, { filter }]) {
    expect(await preview({ ...history, ...more, ...by })).toMatchObject({
      event_count: 2,
      first_time: at(now - 40 * 60_000),
      last_time: at(now - 30 * 60_000),
    })
    expect(await preview({ ...history, ...more })).toMatchObject({ event_count: 4 })
    expect(await preview({ ...history, ...more, ...older })).toMatchObject({
      event_count: 2,
      first_time: at(now - 3 * 24 * hour),
    })
  }
  const made = await create({ ...history, ...older, expected_event_count: 2 })
  expect(made).toMatchObject({ event_count: 2, time_by: 'event_time' })
  const refused = await organization.collaborator.call(
    'POST',
    `/workspaces/${ids.workspaceId}/destinations/${params.destination}/replays:preview`,
    { ...history, kind: 'dead', ...by },
  )
  expect(refused.status).toBe(400)
})

test('conditions are evaluated on each event in the form that deliveries read', async () => {
  const { row, now, history, preview } = await start()
  const original = (total: unknown) => JSON.stringify({ event: 'Order Completed', properties: { total } })
  await insertRows(harness, 'events', [
    row('9-0000000002-0000', 50, { original: original(5) }),
    row('9-0000000002-0001', 40, { original: original('50') }),
    row('9-0000000002-0002', 30, { original: original(500), context: '{"page":{"url":"https://a.example"}}' }),
    row('9-0000000002-0003', 20, { original: original(null) }),
  ])
  const meets = (field: string, operator: 'greater_than' | 'exists' | 'starts_with', value = '') =>
    preview({
      ...history,
      filter: { match: 'all', conditions: [{ id: 'aaaa', field, operator, value }] },
    })
  expect(await meets('properties.total', 'greater_than', '9')).toMatchObject({
    event_count: 2,
    first_time: at(now - 40 * 60_000),
    last_time: at(now - 30 * 60_000),
  })
  const some = await meets('context.page.url', 'starts_with', 'https:')
  expect([some.event_count, some.samples.map(({ event_id }) => event_id)]).toEqual([1, ['9-0000000002-0002']])
  expect((await meets('properties.total', 'exists')).event_count).toBe(3)
  expect((await meets('properties.nothing', 'exists')).event_count).toBe(0)
})

test('conditions that read too much of one event are refused before a replay is created', async () => {
  const { ids, path, row, history, preview } = await start()
  const original = JSON.stringify({ event: 'Order Completed', properties: { text: 'a'.repeat(31_000) } })
  await insertRows(harness, 'events', [row('9-0000000009-0000', 50, { original })])
  const each = { field: 'properties.text', operator: 'not_contains', value: `${'a'.repeat(999)}b` } as const
  const filter = (count: number) => ({
    match: 'all' as const,
    conditions: Array.from({ length: count }, (_, n) => ({ id: `aa${String(n).padStart(2, '0')}`, ...each })),
  })
  // Five of them are within the work that deliveries have for an event, twenty are not.
  expect((await preview({ ...history, filter: filter(5) })).event_count).toBe(1)
  for (const of of [path, `${path}:preview`]) {
    const reply = await organization.collaborator.call('POST', of, { ...history, filter: filter(20) })
    expect(reply).toMatchObject({ status: 400, body: { reason: 'VALIDATION' } })
    expect(reply.body.metadata).toEqual({ filter: expect.stringContaining('too much of each event') })
  }
  const { destinationId } = ids
  expect(
    await harness.db.selectFrom('replays').select('id').where('destination_id', '=', destinationId).execute(),
  ).toEqual([])
})

test('many events are counted in chunks, with and without conditions', async () => {
  const { row, now, history, preview } = await start()
  const rows = Array.from({ length: 12_500 }, (_, n) =>
    row(`9-0000000003-${String(n).padStart(4, '0')}`, 0, {
      // Most events have the same time, the others are 1.5 s apart.
      receive_time: n < 11_000 ? now - 50 * 60_000 : now - 49 * 60_000 + (n - 11_000) * 1500,
    }),
  )
  await insertRows(harness, 'events', rows)
  const conditions = [{ id: 'aaaa', field: 'event', operator: 'equals', value: 'Order Completed' } as const]
  expect((await preview(history)).event_count).toBe(12_500)
  const asked = await preview({ ...history, filter: { conditions } })
  expect([asked.event_count, asked.samples.length]).toEqual([12_500, 5])
})

test('an event that is stored after the preview is not part of the replay', async () => {
  const { row, history, preview, create } = await start()
  await insertRows(harness, 'events', [row('7-0000000001-0000', 10), row('3-0000000009-0000', 10)])
  bound = '7-0000000002-'
  try {
    const counted = await preview(history)
    expect(counted).toMatchObject({ event_count: 2, stored_before: bound })
    // This event was received in the period, but is stored only now.
    await insertRows(harness, 'events', [row('7-0000000002-0000', 10)])
    bound = '7-0000000003-'
    expect((await preview(history)).event_count).toBe(3)
    const made = await create({ ...history, stored_before: counted.stored_before })
    expect(made.event_count).toBe(2)
  } finally {
    bound = ''
  }
})

test('in a workspace with several partitions, the preview bounds each partition at its own position', async () => {
  const { row, history, preview, create } = await start()
  await insertRows(harness, 'events', [row('7-0000000001-0000', 10), row('8-0000000001-0000', 10)])
  bound = '7-0000000002-,8-0000000002-'
  try {
    const counted = await preview(history)
    expect(counted).toMatchObject({ event_count: 2, stored_before: bound })
    await insertRows(harness, 'events', [row('7-0000000002-0000', 10), row('8-0000000002-0000', 10)])
    bound = '7-0000000003-,8-0000000002-'
    expect((await preview(history)).event_count).toBe(3)
    // The workspace has used another partition since the preview.
    bound = '7-0000000003-,8-0000000003-,9-0000000000-'
    expect((await preview(history)).event_count).toBe(4)
    const made = await create({ ...history, stored_before: counted.stored_before })
    expect(made.event_count).toBe(2)
  } finally {
    bound = ''
  }
})

test("the preview's bound includes all offsets of earlier incarnations of the log, and none of later ones", async () => {
  const { row, history, preview, create } = await start()
  const events = ['7-0000000900-0000', '7-0000000900-0000-a', '7-0000000001-0000-b', '7-0000000009-0001-b']
  await insertRows(
    harness,
    'events',
    events.map((id) => row(id, 10)),
  )
  bound = '7-0000000010-b'
  try {
    const counted = await preview(history)
    expect(counted).toMatchObject({ event_count: 4, stored_before: bound })
    // One row is of the same incarnation, and one is of another that begins at a low offset again.
    await insertRows(harness, 'events', [row('7-0000000010-0000-b', 10), row('7-0000000000-0000-c', 10)])
    expect((await preview(history)).event_count).toBe(4)
    bound = '7-0000000001-c'
    expect((await preview(history)).event_count).toBe(6)
    const made = await create({ ...history, stored_before: counted.stored_before })
    expect(made.event_count).toBe(4)
  } finally {
    bound = ''
  }
})

test('a replay shows its scope, its author, and its progress', async () => {
  const { ids, row, history, create, params, source } = await start()
  await insertRows(harness, 'events', [row('9-0000000004-0000', 10), row('9-0000000004-0001', 10)])
  const filter = { match: 'any' as const, conditions: [{ id: 'aB12', field: 'userId', operator: 'exists' as const }] }
  const made = await create({ ...history, event: 'Order Completed', event_type: 'track', filter })
  expect(made).toEqual({
    name: expect.stringContaining(`${params.destination}/replays/`),
    kind: 'history',
    start_time: history.start_time,
    end_time: history.end_time,
    time_by: 'receive_time',
    source: { name: source.name, title: 'Shop' },
    event: 'Order Completed',
    event_type: 'track',
    filter: { match: 'any', conditions: [{ id: 'aB12', field: 'userId', operator: 'exists', value: '' }] },
    reason: '',
    events_per_second: 500,
    profile: 'latest',
    state: 'running',
    failure: '',
    event_count: 2,
    sent_count: 0,
    delivered_count: 0,
    filtered_count: 0,
    failed_count: 0,
    creator: { name: `users/${organization.collaborator.userId}`, display_name: expect.any(String) },
    create_time: expect.any(String),
    finish_time: null,
  })
  expect((await harness.audits()).at(-1)).toMatchObject({
    action: 'replays.create',
    actor_id: organization.collaborator.userId,
    resource: made.name,
    detail: { kind: 'history', event_count: 2, event: 'Order Completed' },
  })
  const replay = idIn(made.name)
  await harness.db.updateTable('replays').set({ sent_count: 2 }).where('id', '=', replay).execute()
  const attempt = (event_id: string, status: string, more: object = {}) => ({
    workspace_id: ids.workspaceId,
    source_id: ids.sourceId,
    destination_id: ids.destinationId,
    event_id,
    status,
    attempt: 1,
    time: harness.now() + 1000,
    replay_id: replay,
    ...more,
  })
  await insertRows(harness, 'deliveries', [
    attempt('1', 'delivered'),
    attempt('1', 'delivered'),
    attempt('2', 'filtered'),
    attempt('3', 'retry'),
    attempt('3', 'dead'),
    attempt('4', 'delivered', { replay_id: '' }),
    attempt('5', 'delivered', { destination_id: newId() }),
  ])
  const { guest } = organization
  const seen = await guest.ok(methods.replays.get, { ...params, replay })
  expect(seen).toMatchObject({ sent_count: 2, delivered_count: 1, filtered_count: 1, failed_count: 1 })
  expect((await guest.ok(methods.replays.list, params)).replays).toEqual([seen])
})

/** A replay of two events with the fields of `row`, and the outcomes of its deliveries. */
const startSent = async (row: {
  state: 'paused' | 'cancelled' | 'done' | 'failed'
  sent?: number
  daysAgo?: number
}) => {
  const { ids, row: event, history, create, params, path } = await start()
  await insertRows(harness, 'events', [event(newId(), 10), event(newId(), 10)])
  const replay = idIn((await create(history)).name)
  const finish_time = row.state === 'paused' ? null : new Date(harness.now() - (row.daysAgo ?? 0) * 24 * hour)
  await harness.db
    .updateTable('replays')
    .set({ state: row.state, sent_count: row.sent ?? 2, finish_time })
    .where('id', '=', replay)
    .execute()
  const { guest } = organization
  const deliver = (outcomes: readonly (readonly [eventId: string, status: string])[]) =>
    insertRows(
      harness,
      'deliveries',
      outcomes.map(([event_id, status]) => ({
        workspace_id: ids.workspaceId,
        source_id: ids.sourceId,
        destination_id: ids.destinationId,
        event_id,
        status,
        attempt: 1,
        time: harness.now() + 1000,
        replay_id: replay,
      })),
    )
  const get = () => guest.ok(methods.replays.get, { ...params, replay })
  const list = async () => (await guest.ok(methods.replays.list, params)).replays
  return { ids, replay, deliver, get, list, create: () => create(history), path: `${path}/${replay}` }
}

test('a replay that has sent everything is delivering until each event has an outcome, and then done with final figures', async () => {
  const { deliver, get, list, create, path } = await startSent({ state: 'done' })
  expect(await get()).toMatchObject({ state: 'delivering', delivered_count: 0, finish_time: null })
  await deliver([
    ['1', 'retry'],
    ['2', 'delivered'],
  ])
  const delivering = await get()
  expect(delivering).toMatchObject({ state: 'delivering', delivered_count: 1, finish_time: null })
  expect(await list()).toEqual([delivering])
  expect(await organization.collaborator.call('POST', `${path}:cancel`, {})).toMatchObject({
    status: 409,
    body: { reason: 'REPLAY_ENDED', message: 'The replay has sent all its events already' },
  })
  await deliver([['1', 'filtered']])
  const done = await get()
  expect(done).toMatchObject({ state: 'done', delivered_count: 1, filtered_count: 1, finish_time: expect.any(String) })
  // The next one does not wait for the outcomes of the last.
  expect(await create()).toMatchObject({ state: 'running' })
})

test.each([
  [
    'delivered twice after a crash, and the other one has no outcome',
    [
      ['1', 'delivered'],
      ['1', 'delivered'],
    ],
    'delivering',
  ],
  [
    'given up and then delivered, and the other one has no outcome',
    [
      ['1', 'dead'],
      ['1', 'delivered'],
    ],
    'delivering',
  ],
  [
    'only tried, as is the other one',
    [
      ['1', 'retry'],
      ['2', 'retry'],
    ],
    'delivering',
  ],
  [
    'given up, and the other one is left out',
    [
      ['1', 'retry'],
      ['1', 'dead'],
      ['2', 'filtered'],
    ],
    'done',
  ],
] as const)('a replay of two events, of which one is %s, has the matching state', async (_, outcomes, state) => {
  const { deliver, get } = await startSent({ state: 'done' })
  await deliver(outcomes)
  expect((await get()).state).toBe(state)
})

test.each([
  ['is paused', { state: 'paused' }, 'paused'],
  ['was canceled', { state: 'cancelled' }, 'cancelled'],
  ['has failed', { state: 'failed' }, 'failed'],
  ['has sent nothing since nothing was left', { state: 'done', sent: 0 }, 'done'],
  ['sent all six days ago', { state: 'done', daysAgo: 6 }, 'delivering'],
  ['sent all a week ago, and its outcomes never came', { state: 'done', daysAgo: 8 }, 'done'],
] as const)('a replay that %s shows the right state, if no event has an outcome', async (_, row, state) => {
  expect((await (await startSent(row)).get()).state).toBe(state)
})

test('a replay of dead letters is delivering while a letter waits, and done after the last one is discarded', async () => {
  const { ids, replay, deliver, get } = await startSent({ state: 'done' })
  await harness.db.updateTable('replays').set({ kind: 'dead' }).where('id', '=', replay).execute()
  await deadLetter(harness, ids, 71, { state: 'waiting' })
  const rows = harness.db.updateTable('parked_deliveries').where('destination_id', '=', ids.destinationId)
  await rows.set({ replay_id: replay }).execute()
  await deliver([['1', 'delivered']])
  expect((await get()).state).toBe('delivering')
  await harness.db.deleteFrom('parked_deliveries').where('destination_id', '=', ids.destinationId).execute()
  expect(await get()).toMatchObject({ state: 'done', sent_count: 2, delivered_count: 1 })
})

test('a destination has at most one open replay, running or paused', async () => {
  const { row, history, create, params, path } = await start()
  await insertRows(harness, 'events', [row('9-0000000005-0000', 10)])
  const first = await create(history)
  const again = () => organization.collaborator.call('POST', path, history)
  expect(await again()).toMatchObject({
    status: 409,
    body: {
      reason: 'REPLAY_OPEN',
      message: 'Another replay of this destination is running. Let it finish or cancel it, then start this one',
    },
  })
  const of = { ...params, replay: idIn(first.name) }
  expect(await organization.collaborator.ok(methods.replays.pause, of, { body: {} })).toMatchObject({ state: 'paused' })
  expect((await again()).status).toBe(409)
  const over = await organization.collaborator.ok(methods.replays.cancel, of, { body: {} })
  expect(over).toMatchObject({ state: 'cancelled', sent_count: 0, finish_time: expect.any(String) })
  const second = await create(history)
  const { replays, next_page_token } = await organization.guest.ok(methods.replays.list, params, {
    query: { page_size: 1 },
  })
  expect(replays.map(({ name }) => name)).toEqual([second.name])
  const rest = await organization.guest.ok(methods.replays.list, params, { query: { page_token: next_page_token } })
  expect(rest.replays.map(({ name, state }) => [name, state])).toEqual([[first.name, 'cancelled']])
})

test('pausing, resuming, and canceling change the shown state; an ended replay stays ended', async () => {
  const { row, history, create, params, path } = await start()
  await insertRows(harness, 'events', [row('9-0000000006-0000', 10)])
  const of = { ...params, replay: idIn((await create(history)).name) }
  const { collaborator } = organization
  const change = async (verb: 'pause' | 'resume' | 'cancel') =>
    (await collaborator.ok(methods.replays[verb], of, { body: {} })).state
  expect([await change('resume'), await change('pause'), await change('pause')]).toEqual([
    'running',
    'paused',
    'paused',
  ])
  expect([await change('resume'), await change('cancel')]).toEqual(['running', 'cancelled'])
  for (const verb of ['pause', 'resume', 'cancel'])
    expect(await collaborator.call('POST', `${path}/${of.replay}:${verb}`, {})).toMatchObject({
      status: 409,
      body: { reason: 'REPLAY_ENDED', message: 'The replay was canceled already' },
    })
  expect((await harness.audits()).at(-1)).toMatchObject({ action: 'replays.cancel', detail: { sent_count: 0 } })
})

test('dead letters are counted by source, time, and reason, marked at creation, and unmarked at cancellation', async () => {
  const { ids, now, dead, preview, create, params } = await start()
  await deadLetter(harness, ids, 1, { events: 3 })
  await deadLetter(harness, ids, 2, { end: 9, events: 100, reason: 'limit' })
  await deadLetter(harness, ids, 3, { time: now - 2 * hour })
  await deadLetter(harness, ids, 4, { state: 'waiting' })
  await deadLetter(harness, { ...ids, sourceId: newId() }, 5)
  await deadLetter(harness, { ...ids, destinationId: newId() }, 6)
  expect(await preview(dead)).toEqual({
    event_count: 103,
    unreadable_count: 0,
    first_time: at(now - 60_000),
    last_time: at(now - 60_000),
    samples: [],
    stored_before: '',
  })
  const { source: _, ...everything } = dead
  expect((await preview(everything)).event_count).toBe(104)
  expect((await preview({ ...dead, reason: 'limit' })).event_count).toBe(100)
  const made = await create(dead)
  expect(made).toMatchObject({ kind: 'dead', event_count: 103, sent_count: 0 })
  const marked = async () =>
    (
      await harness.db
        .selectFrom('parked_deliveries')
        .select('log_offset')
        .where('replay_id', '=', idIn(made.name))
        .orderBy('log_offset')
        .execute()
    ).map(({ log_offset }) => Number(log_offset))
  expect(await marked()).toEqual([1, 2])
  await organization.collaborator.ok(methods.replays.cancel, { ...params, replay: idIn(made.name) }, { body: {} })
  expect(await marked()).toEqual([])
})

test('an invalid replay is refused, and the response names the wrong field', async () => {
  const { history, dead, path, now } = await start()
  const { administrator } = organization
  const refused = async (body: unknown, of = path) => {
    const reply = await administrator.call('POST', of, body)
    return [reply.status, reply.body.metadata]
  }
  for (const of of [path, `${path}:preview`]) {
    expect(await refused({ ...history, end_time: history.start_time }, of)).toEqual([
      400,
      { end_time: 'Must be after the start' },
    ])
    expect(await refused({ ...history, reason: 'x' }, of)).toEqual([400, { reason: 'Only dead letters have a reason' }])
    expect((await refused({ ...history, source: 'sources/x' }, of))[0]).toBe(400)
    expect((await refused({ ...history, start_time: 'yesterday' }, of))[0]).toBe(400)
    expect((await refused({ ...history, source: `workspaces/${newId()}/sources/${newId()}` }, of))[0]).toBe(404)
  }
  expect((await refused({ ...history, events_per_second: 0 }))[0]).toBe(400)
  expect(await refused({ ...history, events_per_second: 5001 })).toEqual([400, { events_per_second: 'At most 5000' }])
  expect((await refused({ ...history, profile: 'then' }))[0]).toBe(400)
  expect(await refused({ ...dead, profile: 'none' })).toEqual([400, { profile: 'Dead letters get the latest profile' }])
  expect((await refused({ ...history, stored_before: "1' or 1" }))[0]).toBe(400)
  // Nothing is there.
  expect(await refused(history)).toEqual([400, { start_time: 'There are no events to send' }])
  expect(await refused({ ...dead, end_time: at(now) })).toEqual([400, { start_time: 'There are no events to send' }])
})

test('a replay is found only under its destination and workspace, and only by editors of the organization', async () => {
  const { row, history, create, path, params } = await start()
  await insertRows(harness, 'events', [row('9-0000000007-0000', 10)])
  const { administrator, guest, outsider, otherWorkspaceId } = organization
  const replay = idIn((await create(history)).name)
  const another = await start()
  expect(await harness.call('', 'POST', path, history)).toMatchObject({ status: 401 })
  expect(await guest.call('POST', path, history)).toMatchObject({ status: 403 })
  expect(await guest.call('POST', `${path}/${replay}:cancel`, {})).toMatchObject({ status: 403 })
  expect(await outsider.call('POST', path, history)).toMatchObject({ status: 404 })
  expect(await outsider.call('GET', `${path}/${replay}`)).toMatchObject({ status: 404 })
  const elsewhere = [
    `${another.path}/${replay}`,
    `/workspaces/${otherWorkspaceId}/destinations/${params.destination}/replays/${replay}`,
    `${path}/${newId()}`,
    `${path}/x`,
  ]
  for (const of of elsewhere) {
    expect(await administrator.call('GET', of)).toMatchObject({ status: 404 })
    expect(await administrator.call('POST', `${of}:cancel`, {})).toMatchObject({ status: 404 })
  }
  expect(await administrator.ok(methods.replays.get, { ...params, replay })).toMatchObject({ state: 'running' })
})
