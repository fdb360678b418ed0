import { defaultPersonDataPaths } from '@tributary/contract'
import { silentLogger } from '@tributary/kernel'
import { describe, expect, it } from 'vitest'
import type { DestinationEntry } from '../ports.ts'
import { defaultDeliverySettings } from '../settings.ts'
import { relay } from '../testing-connector.ts'
import { createReadiness } from './readiness.ts'
import { createShares } from './shares.ts'

const entry: DestinationEntry = {
  id: 'd',
  workspaceId: 'w',
  title: 'Hook',
  app: relay.slug,
  enabled: true,
  settings: { url: 'http://127.0.0.1:1', rate: 8, rate_ms: 1000 },
  mappings: undefined,
  presetVersion: 2,
  consentCategories: [],
  filters: new Map(),
}
const nothingWaits = { waitingIn: async () => [] }
const readinessOf = (groups: number, definition = relay) => {
  const shares = createShares({
    groups,
    owned: new Set([0]),
    parking: nothingWaits,
    destinationCache: { get: () => entry },
    clock: () => 0,
    logger: silentLogger,
  })
  return createReadiness({
    connectors: new Map([[relay.slug, definition]]),
    forgotten: { until: () => 0, version: () => '', isOf: () => false },
    settings: { ...defaultDeliverySettings, concurrency: 6 },
    shares,
  })
}
const lookAt = (spread: number | undefined, groups: number) =>
  readinessOf(groups).look({ ...entry, ...(spread === undefined ? {} : { spread }) }).ready
/** The number of requests that start within a second, each as early as allowed. */
const perSecond = (spread: number | undefined, groups: number): number => {
  const bucket = lookAt(spread, groups)?.bucket
  let count = 0
  for (let now = 0; now < 1000; now += bucket?.wait(now) || 1)
    if (bucket?.wait(now) === 0) {
      bucket.take(now)
      count++
    }
  return count
}

describe('the limits of a destination', () => {
  it.each([
    ['is all for the one delivery that has its workspace', undefined, 4, 8, 6],
    ['is all for one delivery that has all its partitions', 4, 1, 8, 6],
    ['is shared by the deliveries of its workspace', 4, 8, 2, 1],
    ['is shared by no more deliveries than there are', 4, 2, 4, 3],
  ])('the limit of a destination %s', (_, spread, groups, rate, concurrency) => {
    expect(perSecond(spread, groups)).toBe(rate)
    expect(lookAt(spread, groups)?.concurrency).toBe(concurrency)
  })

  it('a destination with one request at a time waits if several deliveries would send to it', () => {
    const look = (spread: number, groups: number) =>
      readinessOf(groups, { ...relay, exclusive: true }).look({ ...entry, spread })
    expect(look(4, 4)).toMatchObject({ problem: expect.stringContaining('several partitions') })
    for (const [spread, groups] of [
      [1, 4],
      [4, 1],
    ] as const)
      expect(look(spread, groups)).toMatchObject({ ready: { concurrency: 6 }, problem: '' })
  })

  it("a destination's share shrinks when the workspace is spread, and its connections stay open", () => {
    const readiness = readinessOf(4)
    const before = readiness.look(entry).ready
    const after = readiness.look({ ...entry, spread: 4 }).ready
    expect([before?.concurrency, after?.concurrency]).toEqual([6, 1])
    expect(after?.bucket).not.toBe(before?.bucket)
    expect(after?.lifetime).toBe(before?.lifetime)
  })

  it("a destination's share is never zero, however many deliveries share its limits", () => {
    expect(lookAt(64, 64)?.concurrency).toBe(1)
    expect(lookAt(64, 64)?.bucket?.wait(0)).toBe(0)
  })
})

const signal = { eventName: '', testCode: '', fields: undefined }
const signals = new Map([['s1', signal]])

it.each<[string, Partial<DestinationEntry>, Partial<DestinationEntry>]>([
  ['a new signal', {}, { signals }],
  ['a further signal', { signals }, { signals: new Map([...signals, ['s2', signal]]) }],
  ['a changed signal', { signals }, { signals: new Map([['s1', { ...signal, testCode: 'TEST1' }]]) }],
  ['a removed signal', { signals }, {}],
  ['other paths of personal data', {}, { personData: { ...defaultPersonDataPaths, email: ['traits.mail'] } }],
  ['other consent', {}, { consentCategories: ['ads'] }],
])('a destination that sends takes up %s, and only then gets a new gate', (_, before, after) => {
  const readiness = readinessOf(1)
  const gate = (more: Partial<DestinationEntry>) => readiness.look({ ...entry, ...more }).ready?.gate
  const first = gate(before)
  expect(first).toBeDefined()
  expect(gate(structuredClone(before))).toBe(first)
  expect(gate(after)).not.toBe(first)
})

it('a destination whose app sends secrets elsewhere is held until they are entered again', () => {
  const readiness = readinessOf(1)
  expect(readiness.look({ ...entry, secretsToEnter: ['url'] })).toEqual({
    ready: undefined,
    problem: expect.stringMatching(/^A new version sends secrets to another host\. Enter them again: /),
  })
  expect(readiness.look({ ...entry, secretsToEnter: [] })).toMatchObject({ ready: {}, problem: '' })
})
