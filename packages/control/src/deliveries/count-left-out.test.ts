import { methods } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

const first = Date.parse('2026-03-02T00:00:00Z')
const query = { 'start_date.seconds': first / 1000, 'end_date.seconds': first / 1000 + 86_400 }

const start = async () => {
  const { administrator, workspaceId } = organization
  const { source, destination } = await makeResources(workspaceId, administrator)
  const place = { workspace: workspaceId, destination: idIn(destination.name) }
  let made = 0
  /** Stores one delivery for each note, an hour into the period. */
  const store = (notes: readonly string[], more: object = {}) =>
    harness.eventStore.insert(
      'deliveries',
      notes
        .map((reason) =>
          JSON.stringify({
            workspace_id: workspaceId,
            source_id: idIn(source.name),
            destination_id: place.destination,
            event_id: `0-${made++}-0`,
            time: first + 3_600_000,
            attempt: 1,
            status: 'delivered',
            reason,
            ...more,
          }),
        )
        .join('\n'),
      { token: newId() },
    )
  const get = async () => (await administrator.ok(methods.leftOutCounts.get, place, { query })).left_out
  const list = async (left_out: string) =>
    (await administrator.ok(methods.deliveries.list, place, { query: { left_out } })).deliveries
  return { place, store, get, list }
}

describe('what events were sent without', () => {
  test('reasons are counted over all deliveries, the most frequent first, and each is a filter of the list', async () => {
    const { store, get, list } = await start()
    const notes = [
      'Sent without ga_x: a reserved name; lead_id: not an integer',
      'Sent without ga_x: a reserved name',
      'Sent without 2 of 7 products: neither ID nor name; ga_x: a reserved name; and 3 more',
      'Sent without 1 of 3 products: neither ID nor name; 4 parameters: more than 100',
      '"Value" (value): properties.total is text that is not a number; Sent without lead_id: not an integer',
      'Not sent: country is not a country',
      '"Products" (contents): 2 of 5 items: without product_id',
      '"Products" (contents): 1 of 2 items: without product_id',
      // The same reason twice in one delivery counts once.
      'Sent without custom_data.a: too many levels; custom_data.a: too many levels',
    ]
    const denied = (time: string): string =>
      `"Email" (email) is not sent: the profile's consent of ${time} allows no values of it`
    await store([denied('2026-03-01T00:00:00.000Z'), denied('2026-03-01T10:20:30.456Z')])
    await store([
      ...notes,
      "values of the profile by the event's consent",
      "values of the profile by the profile's consent of 2026-03-01T00:00:00.000Z",
      'currency: the default EUR is used',
      '',
      '',
    ])
    const counts = await get()
    expect(counts).toEqual([
      { reason: 'ga_x: a reserved name', delivery_count: 3 },
      { reason: `"Email" (email) is not sent: the profile's consent allows no values of it`, delivery_count: 2 },
      { reason: '"Products" (contents): items: without product_id', delivery_count: 2 },
      { reason: 'lead_id: not an integer', delivery_count: 2 },
      { reason: 'products: neither ID nor name', delivery_count: 2 },
      { reason: '"Value" (value): properties.total is text that is not a number', delivery_count: 1 },
      { reason: 'country is not a country', delivery_count: 1 },
      { reason: 'custom_data.a: too many levels', delivery_count: 1 },
      { reason: 'parameters: more than 100', delivery_count: 1 },
    ])
    for (const { reason, delivery_count } of counts) expect(await list(reason)).toHaveLength(delivery_count)
    expect((await list('products: neither ID nor name')).map(({ reason }) => reason).toSorted()).toEqual(
      [notes[2], notes[3]].toSorted(),
    )
    expect(await list('no such reason')).toEqual([])
  })

  test('other outcomes, other periods, and other destinations do not count', async () => {
    const { store, get, list } = await start()
    const note = 'Sent without ga_x: a reserved name'
    await store([note], { status: 'dead' })
    await store([note], { status: 'filtered' })
    await store([note], { time: first - 1 })
    await store([note], { time: first + 86_400_000 })
    await store([note], { destination_id: newId() })
    expect(await get()).toEqual([])
    expect(await list('ga_x: a reserved name')).toHaveLength(2)
  })

  test('at most 20 reasons are returned, the most frequent ones', async () => {
    const { store, get } = await start()
    const notes = Array.from({ length: 30 }, (_, n) =>
      Array.from({ length: n + 1 }, () => `Sent without p${String(n).padStart(2, '0')}: a reserved name`),
    )
    await store(notes.flat())
    const counts = await get()
    expect(counts).toHaveLength(20)
    expect(counts[0]).toEqual({ reason: 'p29: a reserved name', delivery_count: 30 })
    expect(counts[19]).toEqual({ reason: 'p10: a reserved name', delivery_count: 11 })
  })
})

test('a period has an end after its start and at most 92 days', async () => {
  const { place } = await start()
  const { administrator } = organization
  const call = (end: number) =>
    administrator.call(
      'GET',
      `/workspaces/${place.workspace}/destinations/${place.destination}/leftOutCounts?start_date.seconds=1000&end_date.seconds=${end}`,
    )
  expect(await call(1000)).toMatchObject({ status: 400, body: { reason: 'VALIDATION' } })
  expect(await call(1000 + 92 * 86_400 + 1)).toMatchObject({
    status: 400,
    body: { metadata: { 'end_date.seconds': 'At most 92 days after start_date.seconds' } },
  })
  expect((await call(1000 + 92 * 86_400)).status).toBe(200)
})

test('only members of the organization can count what was left out', async () => {
  const { place } = await start()
  const { guest, outsider, otherWorkspaceId } = organization
  const path = (workspace: string, destination: string): string =>
    `/workspaces/${workspace}/destinations/${destination}/leftOutCounts?start_date.seconds=1000&end_date.seconds=2000`
  const own = path(place.workspace, place.destination)
  expect((await harness.call('', 'GET', own)).status).toBe(401)
  expect((await guest.call('GET', own)).status).toBe(200)
  expect((await outsider.call('GET', own)).status).toBe(404)
  expect((await outsider.call('GET', path(otherWorkspaceId, place.destination))).status).toBe(404)
  expect((await guest.call('GET', path(place.workspace, newId()))).status).toBe(404)
})
