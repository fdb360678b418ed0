import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'

const events = 4000

const send = async (url: string, key: string, count: number, prefix: string): Promise<void> => {
  for (let from = 0; from < count; from += 1000) {
    const batch = Array.from({ length: 1000 }, (_, n) => ({
      type: 'track',
      event: (from + n) % 4 === 0 ? 'Cart Viewed' : 'Order Completed',
      userId: `u-${n % 7}`,
      messageId: `${prefix}-${from + n}`,
      properties: { total: from + n, text: 'ä "quoted" \u2028' },
      // It was for the first destination only; a replay is for the one that it names.
      integrations: { All: true, 'New warehouse': false },
      channel: 'server',
    }))
    const answer = await fetch(`${url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ batch, context: { library: { name: 'test' } } }),
    })
    expect(answer.status).toBe(200)
  }
}

const sorted = (ids: Iterable<string>): string[] => [...ids].toSorted()

test('a replay of a day to a second destination delivers exactly what the preview counted, though the product is killed between sending and noting it', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-replay-'))
  await using first = await startWebhookReceiver()
  await using second = await startWebhookReceiver()
  try {
    const killed = await startProduct({ dataDir, env: { TRIBUTARY_FAULT: 'replay.after-append:2' } })
    const { api } = killed
    await api.login(adminCredentials)
    const { workspace } = await createWorkspace(api)
    const { source, key } = await createSource(api, workspace)
    const { source: unused } = await createSource(api, workspace, 'Unused')
    await createWebhook(api, workspace, source, { url: first.url })
    const destination = await createWebhook(api, workspace, unused, { url: second.url }, 'New warehouse')
    // A delivery while the process is killed would be repeated: only the replay matters here.
    await api.ok('PATCH', `/${destination}?update_mask=enabled`, { enabled: false })
    await send(killed.url, key, events, 'm')
    await eventually('every event is stored and delivered', () => first.messageIds().size === events, 60_000)
    const day = {
      kind: 'history',
      start_time: new Date(Date.now() - 24 * 3_600_000).toISOString(),
      end_time: new Date(Date.now() + 60_000).toISOString(),
      source,
      event: 'Order Completed',
    }
    const preview = await eventually('every event is counted', async () => {
      const found = await api.ok('POST', `/${destination}/replays:preview`, day)
      return found.event_count === (events * 3) / 4 && found
    })
    const { stored_before } = preview
    expect(stored_before).toMatch(/^\d+-\d{10}-[0-9a-z]{14}$/)
    const replay = await api.ok('POST', `/${destination}/replays`, { ...day, stored_before, events_per_second: 2000 })
    expect(replay.event_count).toBe(preview.event_count)
    // More of the kind and of the time, which were not counted.
    await send(killed.url, key, 1000, 'late').catch(() => {})
    await killed.ended
    expect(second.messageIds().size).toBe(0)

    await using product = await startProduct({ dataDir })
    await product.api.login(adminCredentials)
    const read = () => product.api.ok('GET', `/${String(replay.name)}`)
    await eventually('the replay has sent all', async () => (await read()).state === 'delivering', 60_000)
    expect(await read()).toMatchObject({ sent_count: preview.event_count, failure: '', delivered_count: 0 })
    await product.api.ok('PATCH', `/${destination}?update_mask=enabled`, { enabled: true })
    await eventually(
      'all of it is delivered',
      async () => (await read()).delivered_count === preview.event_count,
      60_000,
    )
    const expected = Array.from({ length: events }, (_, n) => n).filter((n) => n % 4 !== 0)
    expect(sorted(second.messageIds().keys())).toEqual(sorted(expected.map((n) => `m-${n}`)))
    expect([...second.messageIds().values()].filter((times) => times !== 1)).toEqual([])
    expect(await read()).toMatchObject({ state: 'done', filtered_count: 0, failed_count: 0 })
    // Each came as the first destination had got it.
    const textOf = (calls: readonly { body: string }[], id: string) =>
      calls.find(({ body }) => body.includes(`"messageId":"${id}"`))?.body
    for (const id of ['m-1', 'm-1999', 'm-3999']) expect(textOf(second.calls, id)).toBe(textOf(first.calls, id))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})

test('a replay of dead letters by event name delivers exactly what the preview counted, and the events of another name stay among the failures', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tributary-replay-dead-'))
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 404, body: 'no such hook' })
  try {
    await using product = await startProduct({ dataDir })
    const { api } = product
    await api.login(adminCredentials)
    const { workspace } = await createWorkspace(api)
    const { source, key } = await createSource(api, workspace)
    // In batches, so that most dead letters hold events of both names.
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
    const { parked_deliveries } = await api.ok(
      'GET',
      `/${destination}/parkedDeliveries?failure_group=${String(group?.name)}&page_size=100`,
    )
    const events = (parked_deliveries as { events: { event_title: string }[] }[]).flatMap((row) => row.events)
    expect(events.map(({ event_title }) => event_title)).toContain('Cart Viewed')
    // Nothing of what stayed is lost: without a name, all of it goes.
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
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
