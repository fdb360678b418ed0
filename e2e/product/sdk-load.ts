import { setTimeout as pause } from 'node:timers/promises'
import { Analytics } from '@segment/analytics-node'
import { isEarlier, parseEventId } from '@tributary/kernel'
import { eventually } from '@tributary/test-kit'
import { expect } from 'vitest'
import type { StoredEvent } from './calls.ts'

/**
 * Pause of a user between two events, ms. The pause is longer in the short run than in the long one (`npm run soak`),
 * so that fewer events must be counted at the end. At any moment, some of the users have a running request.
 */
export const userPauseMs = Number(process.env.SOAK_ROUNDS ?? 0) === 0 ? 80 : 20

/**
 * Creates users, each of which sends one event after the other with the SDK, and records the acknowledged events by
 * user.
 */
export const createSdkLoad = (
  places: readonly { key: string; url: string; users: readonly string[] }[],
  { pauseMs = 20 } = {},
) => {
  const acknowledged = new Map<string, string[]>()
  let running = true
  let serial = 0
  const user = async (sdk: Analytics, userId: string): Promise<void> => {
    const ids: string[] = []
    acknowledged.set(userId, ids)
    while (running) {
      const messageId = `${userId}-${serial++}`
      await new Promise<void>((resolve) =>
        sdk.track({ userId, event: 'Ordered', messageId }, (error) => {
          if (error === undefined) ids.push(messageId)
          resolve()
        }),
      )
      await pause(pauseMs)
    }
  }
  const sdks: Analytics[] = []
  const users = places.flatMap(({ key, url, users: ids }) => {
    const sdk = new Analytics({ writeKey: key, host: url, flushInterval: 20, maxRetries: 20 })
    sdk.on('error', () => {})
    sdks.push(sdk)
    return ids.map((id) => user(sdk, id))
  })
  const count = (): number => [...acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0)
  return {
    acknowledged,
    ids: () => [...acknowledged.values()].flat(),
    /** Resolves when `least` more events are acknowledged. */
    async more(least: number): Promise<void> {
      const wanted = count() + least
      await eventually('events acknowledged', () => count() >= wanted, 60_000)
    },
    async stop(): Promise<void> {
      running = false
      await Promise.all(users)
      for (const sdk of sdks) await sdk.closeAndFlush()
    },
  }
}

/**
 * Expects that the events of a user were stored in the order in which they were sent, as far as they are in one
 * partition.
 */
export const expectInOrder = (
  stored: readonly StoredEvent[],
  acknowledged: ReadonlyMap<string, readonly string[]>,
): void => {
  const places = new Map(stored.map((event) => [event.message_id, parseEventId(event.event_id)]))
  for (const [user, sent] of acknowledged)
    for (const [at, id] of sent.entries()) {
      const [before, place] = [places.get(sent[at - 1] ?? ''), places.get(id)]
      if (before === undefined || place === undefined || before.partition !== place.partition) continue
      const isInOrder = isEarlier(before, place) || (before.offset === place.offset && before.index < place.index)
      expect(isInOrder, `${id} of ${user}`).toBe(true)
    }
}
