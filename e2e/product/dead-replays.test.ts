import { createSource, createWebhook, createWorkspace, eventually, startWebhookReceiver } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { send, sorted } from './replayed-events.ts'
import { joinProduct } from './shared-product.ts'

test('a replay of dead letters by event name delivers exactly the counted events, and those of other names stay in Failures', async () => {
  const product = await joinProduct()
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 404, body: 'no such hook' })
  const { api } = product
  const { workspace } = await createWorkspace(api)
  const { source, key } = await createSource(api, workspace)
  // Events are sent in batches, so that most dead letters have events with both names.
  const batches = { batching: true, batch_size: 100, batch_wait_ms: 500 }
  const destination = await createWebhook(api, workspace, source, { url: peer.url, ...batches })
  const dead = async () => {
    const { failure_groups } = await api.ok('GET', `/${destination}/failureGroups`)
    const groups = failure_groups as { name: string; state: string; event_count: number }[]
    return groups.filter(({ state }) => state === 'dead')
  }
  const deadEvents = async () => (await dead()).reduce((sum, { event_count }) => sum + event_count, 0)
  await send(product.url, key, 1000, 'm')
  await eventually('all of it is refused', async () => (await deadEvents()) === 1000, 60_000)
  peer.behave({ status: 200 })
  const scope = {
    kind: 'dead',
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    end_time: new Date().toISOString(),
    source,
    event: 'Order Completed',
    filter: {
      match: 'all',
      conditions: [{ id: 'aaaa', field: 'properties.total', operator: 'less_than', value: '800' }],
    },
  }
  const preview = await api.ok('POST', `/${destination}/replays:preview`, scope)
  expect(preview).toMatchObject({ event_count: 600, unreadable_count: 0 })
  const all = await api.ok('GET', `/${destination}/parkedDeliveries?state=dead&page_size=200`)
  expect((all.parked_deliveries as unknown[]).length).toBeLessThan(100)
  expect(peer.messageIds().size).toBe(0)
  const replay = await api.ok('POST', `/${destination}/replays`, {
    ...scope,
    expected_event_count: preview.event_count,
    events_per_second: 5000,
  })
  const read = () => api.ok('GET', `/${String(replay.name)}`)
  await eventually('all of it is delivered', async () => (await read()).delivered_count === 600, 60_000)
  expect(await read()).toMatchObject({ state: 'done', event_count: 600, sent_count: 600, failed_count: 0 })
  const chosen = Array.from({ length: 800 }, (_, n) => n).filter((n) => n % 4 !== 0)
  expect(sorted(peer.messageIds().keys())).toEqual(sorted(chosen.map((n) => `m-${n}`)))
  expect([...peer.messageIds().values()].filter((times) => times !== 1)).toEqual([])
  expect(await deadEvents()).toBe(400)
  const [group] = await dead()
  const titles = async (): Promise<string[]> => {
    const { parked_deliveries } = await api.ok(
      'GET',
      `/${destination}/parkedDeliveries?failure_group=${String(group?.name)}&page_size=100`,
    )
    const rows = parked_deliveries as { events: { event_title: string }[] }[]
    return rows.flatMap(({ events }) => events.map(({ event_title }) => event_title))
  }
  // An event has its title once it is stored, which can be after its first delivery.
  await eventually('the titles of the rest', async () => (await titles()).includes('Cart Viewed'))
  // None of the remaining events is lost: a replay without a name sends all of them.
  const rest = await api.ok('POST', `/${destination}/replays`, {
    kind: 'dead',
    start_time: scope.start_time,
    end_time: scope.end_time,
    expected_event_count: 400,
  })
  expect(rest.event_count).toBe(400)
  await eventually('every event has come once', () => peer.messageIds().size === 1000, 60_000)
  expect(await deadEvents()).toBe(0)
  expect([...peer.messageIds().values()].filter((times) => times !== 1)).toEqual([])
})
