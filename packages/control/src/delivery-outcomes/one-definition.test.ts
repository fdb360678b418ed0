import { addOutcomes, methods, successRate } from '@tributary/contract'
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

const hour = 3_600_000
const first = Date.parse('2026-03-02T00:00:00Z')
const range = { 'start_date.seconds': first / 1000, 'end_date.seconds': first / 1000 + 86_400 }

/** The histories of an event at a destination, as rows of status, hours after the start of the period, and attempt. */
const ways = [
  [['delivered', 1, 1]],
  [['delivered', 2, 1]],
  // Tried again, then delivered.
  [
    ['retry', 1, 1],
    ['delivered', 3, 2],
  ],
  // Given up, then delivered by a retry: it has not failed.
  [
    ['dead', 2, 1],
    ['delivered', 4, 1],
  ],
  // Given up, retried, given up again: it counts as failed once.
  [
    ['dead', 2, 1],
    ['dead', 5, 1],
  ],
  [['dead', 6, 1]],
  [['retry', 7, 1]],
  [['filtered', 8, 0]],
  // Given up in the period before, delivered in this one.
  [
    ['dead', -3, 1],
    ['delivered', 1, 1],
  ],
  // Given up in this period, delivered after it.
  [
    ['dead', 23, 1],
    ['delivered', 25, 1],
  ],
  [['dead', -2, 1]],
  [['delivered', 26, 1]],
] as const

/** Counted by hand: received, filtered, pending, failed, delivered in the period. */
const expected = { received: 10, filtered: 1, pending: 1, failed: 3, delivered: 5 }

test('the overview, connections, and metrics show the same numbers for the same deliveries', async () => {
  const { administrator, workspaceId } = organization
  const one = await makeResources(workspaceId, administrator)
  const other = await makeResources(workspaceId, administrator)
  const rows = [one, other].flatMap(({ source, destination }) =>
    ways.flatMap((way, index) =>
      way.map(([status, at, attempt]) =>
        JSON.stringify({
          workspace_id: workspaceId,
          source_id: idIn(source.name),
          destination_id: idIn(destination.name),
          // The same event goes to both destinations: it counts for each.
          event_id: `0-${index}-0`,
          status,
          time: first + at * hour,
          attempt,
        }),
      ),
    ),
  )
  await harness.eventStore.insert('deliveries', rows, { token: newId() })
  const untried = { ...expected, received: expected.received + 6, pending: expected.pending + 4, failed: 5 }
  for (const [state, event_count] of [
    ['waiting', 4],
    ['dead', 2],
  ] as const)
    await harness.db
      .insertInto('parked_deliveries')
      .values({
        id: newId(),
        workspace_id: workspaceId,
        source_id: idIn(other.source.name),
        destination_id: idIn(other.destination.name),
        log_partition: 0,
        log_offset: event_count,
        event_indexes: [],
        event_count,
        state,
        attempts: 0,
        first_time: new Date(first + 9 * hour),
        next_time: new Date(first + 9 * hour),
        last_status: null,
        last_reason: state === 'dead' ? 'limit' : '',
      })
      .execute()
  const query = { query: range }
  const { activities } = await administrator.ok(methods.connections.getActivity, { workspace: workspaceId }, query)
  for (const [{ source, destination }, counts] of [
    [one, expected],
    [other, untried],
  ] as const) {
    const place = { workspace: workspaceId, destination: idIn(destination.name) }
    for (const granularity of ['hour', 'day'] as const) {
      const { current, buckets } = await administrator.ok(methods.deliveryOverviews.get, place, {
        query: { ...range, granularity },
      })
      expect(current).toMatchObject(counts)
      const bars = Object.values(buckets)
      expect(bars.reduce((sum, bar) => sum + bar.failed, 0)).toBe(counts.failed)
      expect(bars.reduce((sum, bar) => sum + bar.delivered + bar.retried, 0)).toBe(counts.delivered)
    }
    const mine = activities.filter((each) => each.destination === destination.name)
    expect(mine).toEqual([{ source: source.name, destination: destination.name, ...counts }])
    for (const granularity of ['hour', 'day', 'total'] as const) {
      const count = async (metric: 'deliveries_failed' | 'deliveries_succeeded', ofSource: object) => {
        const found = await administrator.ok(
          methods.metrics.get,
          { workspace: workspaceId },
          { query: { metric, granularity, ...range, ...ofSource } },
        )
        return Object.values(found).reduce((sum, each) => sum + each, 0)
      }
      expect(await count('deliveries_failed', { source: source.name })).toBe(counts.failed)
      expect(await count('deliveries_succeeded', { source: source.name })).toBe(counts.delivered)
      expect(await count('deliveries_failed', {})).toBe(addOutcomes(activities).failed)
      expect(await count('deliveries_succeeded', {})).toBe(addOutcomes(activities).delivered)
    }
  }
})

test('the success share is delivered / (delivered + failed), and is absent while both are zero', () => {
  expect(successRate({ delivered: 3, failed: 1 })).toBe(0.75)
  expect(successRate({ delivered: 0, failed: 2 })).toBe(0)
  expect(successRate({ delivered: 0, failed: 0 })).toBeUndefined()
})

test("attempts are listed from a period's start to before its end, and an empty period is refused", async () => {
  const { administrator, workspaceId } = organization
  const { source, destination } = await makeResources(workspaceId, administrator)
  const attempt = (event_id: string, time: number) =>
    JSON.stringify({
      workspace_id: workspaceId,
      source_id: idIn(source.name),
      destination_id: idIn(destination.name),
      event_id,
      status: 'dead',
      time,
      attempt: 1,
    })
  await harness.eventStore.insert(
    'deliveries',
    [
      attempt('before', first - 1),
      attempt('start', first),
      attempt('last', first + hour - 1),
      attempt('end', first + hour),
    ],
    { token: newId() },
  )
  const place = { workspace: workspaceId, destination: idIn(destination.name) }
  const [start_time, end_time] = [new Date(first).toISOString(), new Date(first + hour).toISOString()]
  const { deliveries } = await administrator.ok(methods.deliveries.list, place, {
    query: { status: 'dead', start_time, end_time },
  })
  expect(deliveries.map(({ event_id }) => event_id)).toEqual(['last', 'start'])
  const ofSource = (name: string) =>
    administrator.call('GET', `/${destination.name}/deliveries?source=${encodeURIComponent(name)}`)
  expect((await ofSource(source.name)).body['deliveries']).toHaveLength(4)
  expect((await ofSource(`workspaces/${workspaceId}/sources/${newId()}`)).body['deliveries']).toEqual([])
  expect((await ofSource(`workspaces/${organization.otherWorkspaceId}/sources/${newId()}`)).status).toBe(404)
  for (const query of [`start_time=${end_time}&end_time=${end_time}`, 'end_time=soon'])
    expect(await administrator.call('GET', `/${destination.name}/deliveries?${query}`)).toMatchObject({
      status: 400,
      body: { metadata: { end_time: expect.any(String) } },
    })
})
