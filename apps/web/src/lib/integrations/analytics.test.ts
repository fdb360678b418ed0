import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  type AnalyticsDeps,
  browserId,
  flushAnalytics,
  identify,
  productEvents,
  startAnalytics,
  track,
  trackPage,
} from './analytics.ts'

let bodies: { batch: Record<string, unknown>[]; writeKey: string }[]
let status: number
let user: string | null

const start = (given: Partial<AnalyticsDeps> = {}): void =>
  startAnalytics({
    writeKey: 'KEY',
    user: () => user,
    anonymousId: () => 'browser-1',
    send: async (body) => {
      bodies.push(JSON.parse(body))
      return status
    },
    now: () => new Date('2026-01-02T03:04:05Z'),
    ...given,
  })

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('window', { location: { origin: 'https://app.test' } })
  vi.stubGlobal('document', { referrer: '' })
  bodies = []
  status = 200
  user = 'users/u1'
})
afterEach(async () => {
  await flushAnalytics()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** The sent calls, one line each. */
const sent = (): unknown[] => bodies.flatMap(({ batch }) => batch.map((call) => call.event ?? call.type))

test('OBS-01, OBS-02: sources, destinations, and invitations have one event each for create, update, and delete', () => {
  for (const kind of ['Source', 'Destination', 'Invitation'])
    expect(productEvents.filter((name) => name.startsWith(kind))).toEqual([
      `${kind} Created`,
      `${kind} Updated`,
      `${kind} Deleted`,
    ])
})

test('events within a second are sent as one batch with the key, a message ID each, user and browser', async () => {
  start()
  track('Source Created', { source: 'workspaces/w/sources/s' })
  track('Source Deleted')
  expect(bodies).toEqual([])
  await vi.advanceTimersByTimeAsync(1000)
  expect(bodies).toHaveLength(1)
  expect(bodies[0]).toMatchObject({
    writeKey: 'KEY',
    sentAt: '2026-01-02T03:04:05.000Z',
    batch: [
      {
        type: 'track',
        event: 'Source Created',
        properties: { source: 'workspaces/w/sources/s' },
        userId: 'users/u1',
        anonymousId: 'browser-1',
        timestamp: '2026-01-02T03:04:05.000Z',
      },
      { event: 'Source Deleted', properties: {} },
    ],
  })
  const ids = bodies[0]?.batch.map(({ messageId }) => messageId)
  expect(new Set(ids).size).toBe(2)
})

test('OBS-05, OBS-06: page and identify calls are sent with path and traits, and before sign-in without a user', async () => {
  start()
  user = null
  trackPage('/auth/login')
  user = 'users/u1'
  identify({ email: 'a@example.com', first_name: 'Ada', last_name: 'L' })
  await vi.advanceTimersByTimeAsync(1000)
  const [page, who] = bodies[0]?.batch ?? []
  expect(page).toMatchObject({ type: 'page', properties: { path: '/auth/login', url: 'https://app.test/auth/login' } })
  expect(page).not.toHaveProperty('userId')
  expect(who).toMatchObject({
    type: 'identify',
    userId: 'users/u1',
    traits: { email: 'a@example.com', firstName: 'Ada', lastName: 'L' },
  })
})

test('OBS-11: without a key nothing is sent, neither earlier events nor later ones', async () => {
  start({ writeKey: '' })
  track('Source Created')
  trackPage('/')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(bodies).toEqual([])
})

test('a batch that failed is sent again with the next batch, with the same message IDs', async () => {
  start()
  status = 503
  track('Source Created')
  await vi.advanceTimersByTimeAsync(1000)
  status = 200
  track('Source Updated')
  await vi.advanceTimersByTimeAsync(1000)
  expect(sent()).toEqual(['Source Created', 'Source Created', 'Source Updated'])
  expect(bodies[1]?.batch[0]?.messageId).toBe(bodies[0]?.batch[0]?.messageId)
})

test('after the server has refused the key, nothing more is sent', async () => {
  start()
  status = 401
  track('Source Created')
  await vi.advanceTimersByTimeAsync(1000)
  track('Source Updated')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(sent()).toEqual(['Source Created'])
})

test('a page that closes sends its queue immediately', async () => {
  start()
  track('Destination Created')
  await flushAnalytics()
  expect(sent()).toEqual(['Destination Created'])
})

test('the ID of a browser is created once', () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  const id = browserId(storage)
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(browserId(storage)).toBe(id)
})
