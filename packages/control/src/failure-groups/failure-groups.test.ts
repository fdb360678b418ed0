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

let harness: Harness
let organization: Organization
beforeAll(async () => {
  harness = await startControl()
  organization = await startOrganization(harness)
})
afterAll(() => harness[Symbol.asyncDispose]())

let offset = 0

const start = async () => {
  const { administrator, workspaceId } = organization
  const { source, destination } = await makeResources(workspaceId, administrator)
  const place = { workspace: workspaceId, destination: idIn(destination.name) }
  const park = async (state: 'waiting' | 'dead', reason: string, more: object = {}, events: string[] = []) => {
    const id = newId()
    await harness.db
      .insertInto('parked_deliveries')
      .values({
        id,
        workspace_id: workspaceId,
        source_id: idIn(source.name),
        destination_id: place.destination,
        log_partition: 0,
        log_offset: offset++,
        event_indexes: events.map((_, index) => index),
        event_ids: events,
        event_count: Math.max(1, events.length),
        state,
        attempts: 1,
        first_time: '2026-01-01T00:00:00.000Z',
        next_time: '2026-01-02T00:00:00.000Z',
        last_status: 500,
        last_reason: reason,
        ...more,
      })
      .execute()
    return `${destination.name}/parkedDeliveries/${id}`
  }
  const groups = async () =>
    (await administrator.ok(methods.failureGroups.list, place, { query: { page_size: 50 } })).failure_groups
  return { source, destination, place, park, groups, administrator }
}

const storeEvents = (workspaceId: string, sourceId: string, ids: readonly string[]) =>
  harness.eventStore.insert(
    'events',
    ids
      .map((event_id) =>
        JSON.stringify({
          workspace_id: workspaceId,
          source_id: sourceId,
          event_id,
          message_id: `m-${event_id}`,
          user_id: `u-${event_id}`,
          anonymous_id: `a-${event_id}`,
          type: 'track',
          event: 'Order Completed',
          status: 'accepted',
          receive_time: 1767225600000,
          timestamp: 1767225600000,
          original: '{}',
        }),
      )
      .join('\n'),
    { token: newId() },
  )

test('held events are grouped by state, reason and status: dead letters first, then the largest, each with its latest sample', async () => {
  const { park, groups } = await start()
  await park('waiting', 'HTTP 503', { last_status: 503, event_count: 7, next_time: '2026-01-03T00:00:00.000Z' })
  await park('dead', 'HTTP 500', { event_count: 2, request: 'old' })
  await park('dead', 'HTTP 500', {
    event_count: 3,
    attempts: 4,
    first_time: '2026-01-01T05:00:00.000Z',
    next_time: '2026-01-02T09:00:00.000Z',
    request: 'new',
    response: 'answer',
  })
  await park('dead', 'HTTP 500', { event_count: 9, last_status: null })
  const found = await groups()
  expect(found).toMatchObject([
    { state: 'dead', reason: 'HTTP 500', http_status: null, event_count: 9 },
    {
      state: 'dead',
      reason: 'HTTP 500',
      http_status: 500,
      event_count: 5,
      attempts: 4,
      first_time: '2026-01-01T00:00:00.000Z',
      last_time: '2026-01-02T09:00:00.000Z',
      next_time: null,
      request: 'new',
      response: 'answer',
    },
    { state: 'waiting', reason: 'HTTP 503', event_count: 7, next_time: '2026-01-03T00:00:00.000Z' },
  ])
})

test('groups of one state are listed; groups of dead letters can be limited to those since a time', async () => {
  const { park, place, administrator } = await start()
  const since = new Date('2026-03-02T00:00:00Z')
  await park('dead', 'before', { next_time: new Date(since.getTime() - 1) })
  await park('dead', 'after', { next_time: since })
  await park('waiting', 'long ago', { first_time: new Date('2026-01-01T00:00:00Z') })
  const list = async (query: { state?: 'waiting' | 'dead'; start_time?: string }) =>
    (await administrator.ok(methods.failureGroups.list, place, { query })).failure_groups.map(({ reason }) => reason)
  expect(await list({ state: 'dead' })).toEqual(expect.arrayContaining(['before', 'after']))
  expect(await list({ state: 'waiting' })).toEqual(['long ago'])
  expect(await list({ start_time: since.toISOString() })).toEqual(['after', 'long ago'])
  expect(await list({ start_time: since.toISOString(), state: 'dead' })).toEqual(['after'])
})

test('the parked deliveries of a group name their events; one delivery or the whole group can be made due', async () => {
  const { park, groups, place, administrator, source } = await start()
  await storeEvents(place.workspace, idIn(source.name), ['e1', 'e2'])
  const one = await park('dead', 'HTTP 500', {}, ['e1', 'e2'])
  await park('dead', 'HTTP 500', {}, ['gone'])
  await park('dead', 'other', {}, ['e3'])
  const failure_group = (await groups()).find(({ reason }) => reason === 'HTTP 500')?.name ?? ''
  const { parked_deliveries } = await administrator.ok(methods.deliveries.listParked, place, {
    query: { failure_group },
  })
  expect(parked_deliveries.map(({ events }) => events.map((event) => [event.event_id, event.event_title]))).toEqual(
    expect.arrayContaining([
      [
        ['e1', 'Order Completed'],
        ['e2', 'Order Completed'],
      ],
      [['gone', '']],
    ]),
  )
  expect(parked_deliveries).toHaveLength(2)
  const named = parked_deliveries.flatMap(({ events }) => events)
  expect(named.find(({ event_id }) => event_id === 'e2')).toMatchObject({
    message_id: 'm-e2',
    user_id: 'u-e2',
    anonymous_id: 'a-e2',
    receive_time: '2026-01-01T00:00:00.000Z',
  })
  expect(named.find(({ event_id }) => event_id === 'gone')).toMatchObject({ user_id: '', receive_time: null })
  const retry = (body: object) => administrator.ok(methods.destinations.retry, place, { body })
  expect(await retry({ parked_delivery: one })).toEqual({ event_count: 2 })
  expect(await retry({ failure_group })).toEqual({ event_count: 1 })
  expect(await retry({ failure_group })).toEqual({ event_count: 0 })
  expect((await groups()).map(({ state, reason, event_count }) => [state, reason, event_count])).toEqual([
    ['dead', 'other', 1],
    ['waiting', 'HTTP 500', 3],
  ])
})

test('discarded events are removed, and the delivery log shows this for each event', async () => {
  const { park, groups, place, administrator, source } = await start()
  await storeEvents(place.workspace, idIn(source.name), ['d1'])
  await park('dead', 'no such order', { last_status: 422, attempts: 2 }, ['d1', 'd2'])
  await park('dead', 'other', {}, ['d3'])
  const name = (await groups()).find(({ reason }) => reason === 'no such order')?.name ?? ''
  const params = { ...place, failure_group: idIn(name) }
  expect(await administrator.ok(methods.failureGroups.discard, params, { body: {} })).toEqual({ event_count: 2 })
  expect((await groups()).map(({ reason }) => reason)).toEqual(['other'])
  const { deliveries } = await administrator.ok(methods.deliveries.list, place, { query: { status: 'dead' } })
  expect(deliveries.map((row) => [row.event_id, row.message_id, row.reason, row.http_status])).toEqual(
    expect.arrayContaining([
      ['d1', 'm-d1', 'Discarded. no such order', 422],
      ['d2', '', 'Discarded. no such order', 422],
    ]),
  )
  expect(await administrator.call('GET', `/${name}`)).toMatchObject({ status: 404 })
  expect(await administrator.call('POST', `/${name}:discard`, {})).toMatchObject({ status: 404 })
})

test('events that are still retried cannot be discarded', async () => {
  const { park, groups, administrator } = await start()
  await park('waiting', 'HTTP 503', {}, ['w1'])
  const [group] = await groups()
  expect(await administrator.call('POST', `/${group?.name}:discard`, {})).toMatchObject({
    status: 400,
    body: { reason: 'VALIDATION' },
  })
  expect(await groups()).toHaveLength(1)
})

test('a name from another destination is not found, and a name of another kind is refused', async () => {
  const { park, destination, groups, administrator } = await start()
  const other = await start()
  const foreign = await other.park('dead', 'no')
  await park('dead', 'no')
  const [group] = await other.groups()
  const retry = (body: object) => administrator.call('POST', `/${destination.name}:retry`, body)
  expect(await retry({ failure_group: group?.name })).toMatchObject({ status: 404 })
  expect(await retry({ parked_delivery: foreign })).toMatchObject({ status: 404 })
  expect(await retry({ failure_group: destination.name })).toMatchObject({ status: 400 })
  expect(await retry({ parked_delivery: 'x' })).toMatchObject({ status: 400 })
  expect(
    await administrator.call('GET', `/${destination.name}/parkedDeliveries?failure_group=${group?.name}`),
  ).toMatchObject({ status: 404 })
  expect((await groups()).map(({ state }) => state)).toEqual(['dead'])
  expect(await organization.outsider.call('GET', `/${destination.name}/failureGroups`)).toMatchObject({ status: 404 })
})
