import type { AcceptedEvent } from '@tributary/storage'
import { expect, test } from 'vitest'
import { createGivingWay } from './giving-way.ts'

const now = Date.parse('2026-01-01T00:00:00.000Z')
const event = (ageMs: number): AcceptedEvent => ({
  workspaceId: 'w',
  sourceId: 's',
  eventId: 'e',
  json: JSON.stringify({ receivedAt: new Date(now - ageMs).toISOString() }),
})

test.each<[string, AcceptedEvent[], number, boolean, number[]]>([
  ['while the pipeline is behind', [event(90_000), event(100)], 50, true, [600]],
  ['while it is behind, but not for long', [event(100)], 5000, true, [4000]],
  ['not when nobody comes first', [event(100)], 50, false, []],
  ['not when profiles are ten seconds behind', [event(10_000)], 50, true, []],
  ['not after nothing', [], 50, true, []],
])('after a batch, the consumer pauses %s', async (_, events, tookMs, busy, expected) => {
  const rests: number[] = []
  const giveWay = createGivingWay({ isBusy: () => busy, now: () => now, rest: async (ms) => void rests.push(ms) })
  await giveWay(events, tookMs)
  expect(rests).toEqual(expected)
})
