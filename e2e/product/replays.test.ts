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
import { send, sorted } from './replayed-events.ts'

/** Sent again in three steps, at `perSecond` events a second. */
const events = Number(process.env.SOAK_ROUNDS ?? 0) > 0 ? 4000 : 2000
const perSecond = events / 2

test('a replay of a day to another destination delivers exactly the counted events, even if killed between sending and recording', async () => {
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
    // The destination is disabled, because a kill would repeat deliveries, and only the replay matters here.
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
    const replay = await api.ok('POST', `/${destination}/replays`, {
      ...day,
      stored_before,
      events_per_second: perSecond,
    })
    expect(replay.event_count).toBe(preview.event_count)
    // Sends more events of the same kind and time, which were not counted.
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
    // Each event arrived in the same form as at the first destination.
    const textOf = (calls: readonly { body: string }[], id: string) =>
      calls.find(({ body }) => body.includes(`"messageId":"${id}"`))?.body
    for (const id of ['m-1', `m-${events / 2 - 1}`, `m-${events - 1}`])
      expect(textOf(second.calls, id)).toBe(textOf(first.calls, id))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
