import { createTestEventStore, startSharedEventStore } from '@tributary/test-kit'
import { type Figure, median, percentile } from '../harness.ts'
import { startBench } from '../product.ts'
import { fillEventStore } from '../stored-events.ts'

const runs = 30
const days = 30
const dayMs = 86_400_000
const rareEvent = 'Account Deleted'

/** Returns the duration of each run in ms, after two runs that are not counted. */
const timed = async (call: (run: number) => Promise<void>): Promise<number[]> => {
  const times: number[] = []
  for (let run = -2; run < runs; run++) {
    const began = performance.now()
    await call(run)
    if (run >= 0) times.push(performance.now() - began)
  }
  return times
}

const ids = (count: number): string[] => Array.from({ length: count }, () => crypto.randomUUID())

/** An event of 20 days ago, whose name no other event has. */
const rareEventOf = (workspace_id: string, source_id: string, until: number) => ({
  workspace_id,
  source_id,
  event_id: '001-000000000000-000',
  type: 'track',
  event: rareEvent,
  status: 'accepted',
  receive_time: until - 20 * dayMs,
  timestamp: until - 20 * dayMs,
  original: '{}',
})

/**
 * Measures how long a user waits for the live table of a source, or for the event explorer with filters, when many
 * events are stored. The requests go through the API of a running product, one after the other. If possible, each run
 * searches for another value, because the engine caches which parts of the table a condition excludes.
 */
export const measureExplorer = async (events: number): Promise<Figure[]> => {
  await using shared = await startSharedEventStore()
  await using store = await createTestEventStore(shared.url)
  const bench = await startBench({ env: { CLICKHOUSE_URL: store.url } })
  await using _ = bench.product
  const workspaceId = bench.workspace.split('/').at(-1) ?? ''
  const until = Date.now()
  await fillEventStore(store, {
    events,
    until,
    days,
    workspaces: [
      { id: workspaceId, sources: [bench.sourceId, ...ids(3)] },
      ...ids(2).map((id) => ({ id, sources: ids(4) })),
    ],
  })
  const rare = rareEventOf(workspaceId, bench.sourceId, until)
  await store.insert('events', JSON.stringify(rare), { token: 'rare' })

  const read = async (path: string, query: Record<string, string>, least: number): Promise<void> => {
    const found = await bench.product.api.ok(
      'GET',
      `${path}/events?${new URLSearchParams({ page_size: '50', ...query })}`,
    )
    const count = Array.isArray(found['events']) ? found['events'].length : 0
    if (count < least) throw new Error(`${path} ${JSON.stringify(query)} found ${count} events`)
  }
  // Values of stored events of the workspace: one event for each run.
  const known = await store.query<{ user_id: string; message_id: string; order_id: string }>(
    `select user_id, message_id, toString(properties.orderId) as order_id from events
     where workspace_id = {workspace:String} and user_id != '' and type = 'track' and status = 'accepted'
     order by cityHash64(event_id) limit {limit:UInt32}`,
    { workspace: workspaceId, limit: runs + 2 },
    { owner: workspaceId, slot: 'heavy' },
  )
  const one = (run: number): { user_id: string; message_id: string; order_id: string } => {
    const found = known[run + 2]
    if (found === undefined) throw new Error(`Only ${known.length} events to look for`)
    return found
  }
  const all = (query: Record<string, string>, least = 50) => read(`/${bench.workspace}`, query, least)
  const filters: Record<string, (run: number) => Promise<void>> = {
    'no filter': () => all({}),
    name: () => all({ event: 'Coupon Applied' }),
    'part of a name': () => all({ search: 'checkout' }),
    user: (run) => all({ user_id: one(run).user_id }, 1),
    'message id': (run) => all({ message_id: one(run).message_id }, 1),
    'frequent property': () => all({ property: 'plan', property_value: 'team' }),
    'rare property': (run) => all({ property: 'orderId', property_value: one(run).order_id }, 1),
    blocked: () => all({ status: 'blocked' }),
    'rare name, 20 days ago': () => all({ event: rareEvent }, 1),
    'name 20 days ago': (run) =>
      all({ event: 'Video Paused', end_time: new Date(until - 20 * dayMs - run * 60_000).toISOString() }),
  }
  const scan = median(
    await timed(async (run) => {
      await store.query(
        `select countIf(event = {event:String}) from events`,
        { event: `nothing ${run}` },
        { owner: workspaceId },
      )
    }),
  )
  const live = percentile(await timed(() => read(`/workspaces/${workspaceId}/sources/${bench.sourceId}`, {}, 50)), 0.95)
  const slowest = { name: '', p95: 0 }
  for (const [name, call] of Object.entries(filters)) {
    const p95 = percentile(await timed(call), 0.95)
    process.stdout.write(`  ${name}: p95 ${p95.toFixed(0)} ms\n`)
    if (p95 > slowest.p95) Object.assign(slowest, { name, p95 })
  }
  const stored = `${events / 1_000_000} million events`
  return [
    {
      figure: `live table opens, ${stored}`,
      target: 'p95 < 200 ms',
      measured: `${live.toFixed(0)} ms`,
      pass: live < 200,
    },
    {
      figure: `event explorer, first page, ${stored}`,
      target: 'p95 < 500 ms',
      measured: `${slowest.p95.toFixed(0)} ms by ${slowest.name} (one column of all: ${scan.toFixed(0)} ms)`,
      pass: slowest.p95 < 500,
    },
  ]
}
