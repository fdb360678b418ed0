import { type ProfileValues, profileLacks } from '@tributary/connector-kit'
import { type PeerRequest, startPeer } from '@tributary/connector-kit/testing'
import type { EventMapping } from '@tributary/contract'
import { createTestStores, eventually } from '@tributary/test-kit'
import { expect, it } from 'vitest'
import { createFixture } from './testing.ts'
import { relay } from './testing-connector.ts'

const { database, store } = await createTestStores()

const hourMs = 3_600_000
/** Time between two groups of events, ms. It is the longest wait for profiles, so each group is sent when the next comes. */
const stepMs = 30_000
const eventsOfStep = 20

const target = { is_required: false, is_recommended: false, type: 'any', kind: 'custom' } as const
const mapping: EventMapping = {
  id: 'aaaa',
  enabled: true,
  event_name: '',
  event_type: '',
  filters: [],
  filter_match: 'all',
  destination: 'send',
  field_mappings: [
    {
      id: 'bbbb',
      enabled: true,
      source: { type: 'PROFILE', name: 'traits.email', display_name: '', is_event_name_key: false, kind: 'custom' },
      target: { ...target, name: 'email', display_name: 'Email' },
    },
  ],
}

type Sent = { messageId: string; payload: { email?: string } }
const sentTo = ({ requests }: { requests: readonly PeerRequest[] }): Sent[] =>
  requests.flatMap(({ body }) => JSON.parse(body) as Sent[])

it('profiles that are an hour behind hold each event for 30 seconds, and never one after the other', async () => {
  const start = Date.now()
  let now = start
  /** When the records of each partition were appended, by offset, epoch ms. */
  const appended = new Map<string, number>()
  let looks = 0
  const profiles: ProfileValues = {
    hasRead: (partition, offset) => now - (appended.get(`${partition} ${offset}`) ?? now) >= hourMs,
    look: async (_workspace, events) => {
      looks++
      return events.map(() => ({ json: '{}', lacks: profileLacks.unknown }))
    },
  }
  await using stack = new AsyncDisposableStack()
  const deps = { db: database.db, eventStore: store, connector: relay, profiles, clock: () => now }
  const fixture = stack.adopt(
    await createFixture({ ...deps, settings: { maintenanceMs: 20, profileWaitMs: 30_000 } }),
    (made) => made.close(),
  )
  const peer = stack.adopt(await startPeer(() => ({ status: 200 })), (made) => made.close())
  const destination = fixture.destination({ url: peer.url, batch: 10 }, { mappings: [mapping] })
  const steps = 20
  for (let step = 1; step <= steps; step++) {
    for (const { partition, offset } of await fixture.append([destination], eventsOfStep))
      appended.set(`${partition} ${offset}`, now)
    now += stepMs
    // All events of this step arrive now, and none of them waits for the end of another wait.
    await eventually(`the events of step ${step} are sent`, () => sentTo(peer).length >= step * eventsOfStep)
  }
  expect(now - start).toBe(steps * stepMs)
  expect(sentTo(peer)).toHaveLength(steps * eventsOfStep)
  expect(sentTo(peer).every(({ payload }) => payload.email === undefined)).toBe(true)
  expect(looks).toBeLessThanOrEqual(steps * eventsOfStep)
  await fixture.delivery.idle()
  const attempts = await fixture.attempts()
  expect(attempts).toHaveLength(steps * eventsOfStep)
  const reason = '"Email" (email) is not sent: profiles were behind'
  expect(new Set(attempts.map((attempt) => `${attempt.status}: ${attempt.reason}`))).toEqual(
    new Set([`delivered: ${reason}`]),
  )
})
