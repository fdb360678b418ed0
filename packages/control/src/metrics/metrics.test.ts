import { methods } from '@tributary/contract'
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
import { makeSync } from '../testing/requests.ts'

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

const at = (text: string): number => Date.parse(text) / 1000
const range = (start: string, end: string) => ({ 'start_date.seconds': at(start), 'end_date.seconds': at(end) })
const january = range('2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z')

const start = async () => {
  const { administrator, workspaceId, otherWorkspaceId } = organization
  const { source, destination } = await makeResources(workspaceId, administrator)
  let index = 0
  const store = async (table: 'events' | 'deliveries', rows: object[]): Promise<void> =>
    harness.eventStore.insert(
      table,
      rows.map((row) => JSON.stringify({ workspace_id: workspaceId, source_id: idIn(source.name), ...row })).join('\n'),
      { token: newId() },
    )
  const event = (time: string, more: object = {}) => ({
    event_id: `${index}-${index++}-0`,
    type: 'track',
    status: 'accepted',
    receive_time: Date.parse(time),
    timestamp: 0,
    ...more,
  })
  const get = (query: object) =>
    administrator.ok(
      methods.metrics.get,
      { workspace: workspaceId },
      { query: { metric: 'events_received', source: source.name, ...january, ...query } },
    )
  const others = { inOtherWorkspace: { workspace_id: otherWorkspaceId }, ofOtherSource: { source_id: newId() } }
  return { store, event, get, source, destination, ...others }
}

test('received events are counted per UTC day and hour, under YYYYMMDD and YYYYMMDDHH', async () => {
  const { store, event, get, inOtherWorkspace, ofOtherSource } = await start()
  await store('events', [
    event('2023-12-31T23:59:59.999Z'),
    event('2024-01-01T00:00:00.000Z'),
    event('2024-01-31T23:00:00.000Z'),
    event('2024-01-31T23:59:59.999Z', { status: 'blocked' }),
    event('2024-01-31T22:59:59.999Z'),
    event('2024-01-31T22:10:00.000Z', { status: 'rejected' }),
    event('2024-02-01T00:00:00.000Z'),
    event('2024-01-31T12:00:00.000Z', inOtherWorkspace),
    event('2024-01-31T12:00:00.000Z', ofOtherSource),
  ])
  expect(await get({})).toEqual({ '20240101': 1, '20240131': 3 })
  expect(await get({ granularity: 'hour' })).toEqual({ '2024010100': 1, '2024013122': 1, '2024013123': 2 })
  expect(await get({ granularity: 'total' })).toEqual({ total: 4 })
  expect(await get({ metric: 'events_blocked' })).toEqual({ '20240131': 1 })
  expect(await get({ metric: 'events_rejected', granularity: 'hour' })).toEqual({ '2024013122': 1 })
  const partOfAnHour = range('2024-01-31T23:30:00Z', '2024-01-31T23:45:00Z')
  expect(await get(partOfAnHour)).toEqual({})
  expect(await get({ ...partOfAnHour, granularity: 'total' })).toEqual({ total: 0 })
})

test('without a source, the events of all sources of the workspace count, and of no other workspace', async () => {
  const { store, event, inOtherWorkspace, ofOtherSource } = await start()
  await store('events', [
    event('2022-05-05T01:00:00Z'),
    event('2022-05-05T02:00:00Z', ofOtherSource),
    event('2022-05-05T03:00:00Z', inOtherWorkspace),
  ])
  const { guest, outsider, workspaceId, otherWorkspaceId } = organization
  const query = { metric: 'events_received', ...range('2022-05-05T00:00:00Z', '2022-05-06T00:00:00Z') } as const
  expect(await guest.ok(methods.metrics.get, { workspace: workspaceId }, { query })).toEqual({ '20220505': 2 })
  expect(await outsider.ok(methods.metrics.get, { workspace: otherWorkspaceId }, { query })).toEqual({ '20220505': 1 })
})

test('with a validation status, only events with that status are counted', async () => {
  const { store, event, get } = await start()
  await store('events', [
    event('2024-01-02T00:00:00Z', { compatibility: 'compatible' }),
    event('2024-01-02T00:00:00Z', { compatibility: 'incompatible', status: 'blocked' }),
    event('2024-01-03T00:00:00Z', { compatibility: 'incompatible' }),
    event('2024-01-03T00:00:00Z'),
  ])
  expect(await get({ compatibility: 'incompatible' })).toEqual({ '20240102': 1, '20240103': 1 })
  expect(await get({ compatibility: 'needsAttention' })).toEqual({})
})

test('a profile is one distinct user of a time bucket, by user ID or else by anonymous ID', async () => {
  const { store, event, get } = await start()
  await store('events', [
    event('2024-01-02T01:00:00Z', { user_id: 'a', anonymous_id: 'x' }),
    event('2024-01-02T02:00:00Z', { user_id: 'a', anonymous_id: 'y' }),
    event('2024-01-02T03:00:00Z', { anonymous_id: 'x' }),
    event('2024-01-02T03:00:00Z', { anonymous_id: 'a' }),
    event('2024-01-02T03:00:00Z', {}),
    event('2024-01-02T03:00:00Z', { user_id: 'rejected', status: 'rejected' }),
    event('2024-01-03T03:00:00Z', { user_id: 'a' }),
  ])
  expect(await get({ metric: 'profiles' })).toEqual({ '20240102': 3, '20240103': 1 })
  expect(await get({ metric: 'profiles', granularity: 'total' })).toEqual({ total: 3 })
})

test('deliveries count when they are settled, not per attempt, and filtered ones are neither delivered nor failed', async () => {
  const { store, get, destination, inOtherWorkspace } = await start()
  const attempt = (event_id: string, status: string, time: string, more: object = {}) => ({
    destination_id: idIn(destination.name),
    event_id,
    status,
    time: Date.parse(time),
    ...more,
  })
  await store('deliveries', [
    attempt('1', 'retry', '2024-01-02T01:00:00Z'),
    attempt('1', 'retry', '2024-01-02T02:00:00Z'),
    attempt('1', 'delivered', '2024-01-03T01:00:00Z'),
    attempt('2', 'retry', '2024-01-02T01:00:00Z'),
    attempt('2', 'dead', '2024-01-04T01:00:00Z'),
    attempt('3', 'delivered', '2024-01-03T05:00:00Z'),
    attempt('5', 'filtered', '2024-01-03T05:00:00Z', { reason: 'No mapping matches' }),
    attempt('4', 'delivered', '2024-01-03T05:00:00Z', inOtherWorkspace),
  ])
  expect(await get({ metric: 'deliveries_succeeded' })).toEqual({ '20240103': 2 })
  expect(await get({ metric: 'deliveries_failed', granularity: 'hour' })).toEqual({ '2024010401': 1 })
})

test('OPEN-12: only failed sync runs count, at the time of their end, without a source', async () => {
  const { administrator, outsider, workspaceId, otherWorkspaceId } = organization
  const { destination } = await makeResources(workspaceId, administrator)
  const sync_id = await makeSync(harness, organization, destination.name)
  const run = (number: number, state: 'failed' | 'partial', time: string) => ({
    id: newId(),
    sync_id,
    workspace_id: workspaceId,
    number,
    state,
    trigger: 'manual' as const,
    resync: false,
    create_time: new Date('2024-01-01T00:00:00Z'),
    finish_time: new Date(time),
  })
  await harness.db
    .insertInto('sync_runs')
    .values([
      run(101, 'failed', '2024-01-02T23:59:59.999Z'),
      run(102, 'failed', '2024-01-03T00:00:00Z'),
      run(103, 'failed', '2024-01-03T05:00:00Z'),
      run(104, 'partial', '2024-01-03T05:00:00Z'),
      run(105, 'failed', '2024-02-01T00:00:00Z'),
    ])
    .execute()
  const query = { metric: 'syncs_failed', ...january } as const
  const get = (more: object) =>
    administrator.ok(methods.metrics.get, { workspace: workspaceId }, { query: { ...query, ...more } })
  expect(await get({})).toEqual({ '20240102': 1, '20240103': 2 })
  expect(await get({ granularity: 'hour' })).toEqual({ '2024010223': 1, '2024010300': 1, '2024010305': 1 })
  expect(await get({ granularity: 'total' })).toEqual({ total: 3 })
  expect(await outsider.ok(methods.metrics.get, { workspace: otherWorkspaceId }, { query })).toEqual({})
  const { source } = await makeResources(workspaceId, administrator)
  await expect(get({ source: source.name })).rejects.toThrow('Syncs belong to no source of events')
})

const base = 'metric=events_received&start_date.seconds=1704067200'
test.each([
  ['metric=nothing&start_date.seconds=1&end_date.seconds=2', 'metric'],
  ['metric=profiles&end_date.seconds=2', 'start_date.seconds'],
  ['metric=profiles&start_date.seconds=-1&end_date.seconds=2', 'start_date.seconds'],
  [`${base}&end_date.seconds=12345678901234`, 'end_date.seconds'],
  [`${base}&end_date.seconds=1704067200`, 'end_date.seconds'],
  [`${base}&end_date.seconds=1704067199`, 'end_date.seconds'],
  [`${base}&end_date.seconds=${1704067200 + 400 * 86_400 + 1}`, 'end_date.seconds'],
  [`${base}&end_date.seconds=${1704067200 + 31 * 86_400 + 1}&granularity=hour`, 'end_date.seconds'],
  [`${base}&end_date.seconds=1704067201&granularity=month`, 'granularity'],
  [`${base}&end_date.seconds=1704067201&source=sources/1`, 'source'],
  [`${base}&end_date.seconds=1704067201&compatibility=good`, 'compatibility'],
  ['metric=deliveries_failed&start_date.seconds=1&end_date.seconds=2&compatibility=compatible', 'compatibility'],
])('the query %s is refused with 400, and the response names the field', async (query, field) => {
  const reply = await organization.guest.call('GET', `/workspaces/${organization.workspaceId}/metrics?${query}`)
  expect([reply.status, Object.keys(reply.body['metadata'] ?? {})]).toEqual([400, [field]])
})

test('metrics of the longest time ranges are returned', async () => {
  const path = `/workspaces/${organization.workspaceId}/metrics?${base}`
  for (const [days, granularity] of [
    [400, 'day'],
    [400, 'total'],
    [31, 'hour'],
  ] as const) {
    const query = `&end_date.seconds=${1704067200 + days * 86_400}&granularity=${granularity}`
    expect(await organization.guest.call('GET', path + query)).toMatchObject({ status: 200 })
  }
  const far = `metric=profiles&start_date.seconds=${9_999_999_999 - 10}&end_date.seconds=9999999999`
  expect(await organization.guest.call('GET', `/workspaces/${organization.workspaceId}/metrics?${far}`)).toMatchObject({
    status: 200,
    body: {},
  })
})

test('a caller cannot count events of a foreign workspace or source', async () => {
  const { workspaceId, otherWorkspaceId, outsider, administrator } = organization
  const { source } = await makeResources(workspaceId, administrator)
  const query = `?${base}&end_date.seconds=1704067201`
  const foreign = { status: 404, body: { reason: 'NOT_FOUND' } }
  expect(await harness.call('', 'GET', `/workspaces/${workspaceId}/metrics${query}`)).toMatchObject({ status: 401 })
  expect(await outsider.call('GET', `/workspaces/${workspaceId}/metrics${query}`)).toMatchObject(foreign)
  expect(
    await outsider.call('GET', `/workspaces/${otherWorkspaceId}/metrics${query}&source=${source.name}`),
  ).toMatchObject(foreign)
  const unknown = `workspaces/${workspaceId}/sources/${newId()}`
  expect(await administrator.call('GET', `/workspaces/${workspaceId}/metrics${query}&source=${unknown}`)).toMatchObject(
    foreign,
  )
})
