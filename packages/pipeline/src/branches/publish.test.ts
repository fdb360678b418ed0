import { type LiveMessage, requestFactsOf, trackingLimits } from '@tributary/contract'
import { type JsonObject, noMetrics } from '@tributary/kernel'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveEvent } from '../process.ts'
import { createPublishBranch, liveOccupiedTopic, livePublishTopic } from './publish.ts'

type Published = { channel: string; event: string; data: LiveMessage }

const createBus = () => {
  const published: Published[] = []
  let listener: ((message: unknown) => void) | undefined
  return {
    published,
    occupy: (...channels: string[]) => listener?.({ channels }),
    occupyAt: (gateway: string, ...channels: string[]) => listener?.({ gateway, channels }),
    coordination: {
      publish(topic: string, message: unknown) {
        expect(topic).toBe(livePublishTopic)
        published.push(message as Published)
      },
      subscribe(topic: string, next: (message: unknown) => void) {
        expect(topic).toBe(liveOccupiedTopic)
        listener = next
        return () => {
          listener = undefined
        }
      },
    },
  }
}

const liveEvent = (index: number, userId = 'u'): LiveEvent => {
  const raw = {
    request: {
      meta: requestFactsOf({ w: 'w', s: 's', k: 'batch', r: 0, ip: '' }),
      receivedAt: '2026-01-01T00:00:00.000Z',
      rowPrefix: Buffer.alloc(0),
      context: undefined,
      integrations: undefined,
      exact: undefined,
      sentAt: undefined,
      sharedBytes: 0,
      events: 1,
    },
    partition: 0,
    offset: 0,
    incarnation: '',
    index,
    eventId: `0-0-${index}`,
    original: '{}',
    bytes: 2,
    depth: 1,
    lossy: false,
    context: undefined,
  }
  const event = {
    raw,
    body: {},
    messageId: `m-${index}`,
    ownMessageId: true,
    type: 'track' as const,
    event: 'Über “quoted”',
    userId,
    anonymousId: '',
    groupId: '',
    previousId: '',
    properties: '',
    traits: '',
    context: '{}',
    validated: undefined,
    integrations: undefined,
    exact: undefined,
    extraKeys: undefined,
    test: false,
    ip: '',
    timestamp: 0,
    originalTimestamp: undefined,
    sentAt: undefined,
    note: '',
    problem: undefined,
  }
  return { raw, event, rejected: undefined, status: 'accepted', fit: undefined }
}
const many = (count: number, userId?: string): LiveEvent[] =>
  Array.from({ length: count }, (_, i) => liveEvent(i, userId))

describe('the live branch', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
  afterEach(() => void vi.useRealTimers())

  const open = () => {
    const bus = createBus()
    const settings = { liveMs: 100, liveBytes: 10_000 }
    return { bus, branch: createPublishBranch({ ...bus, clock: Date.now, metrics: noMetrics, settings }) }
  }

  it('the live branch publishes nothing for a channel without viewers', () => {
    const { bus, branch } = open()
    branch.add('s', many(3))
    expect([branch.isWatched('s'), bus.published]).toEqual([false, []])
  })

  it('the live branch publishes immediately to a watched channel', () => {
    const { bus, branch } = open()
    bus.occupy('private-sources-s')
    branch.add('s', many(2))
    expect(bus.published).toHaveLength(1)
    expect(bus.published[0]).toMatchObject({ channel: 'private-sources-s', event: 'events', data: { skipped: 0 } })
    expect(bus.published[0]?.data.events.map(({ messageId }) => messageId)).toEqual(['m-0', 'm-1'])
  })

  it('the live branch sends at most ten messages a second, each within 10 kB on the wire, and counts every event', () => {
    const { bus, branch } = open()
    bus.occupy('private-sources-s')
    let added = 0
    for (let ms = 0; ms < 1000; ms += 10) {
      branch.add('s', many(30, 'ü'.repeat(300)))
      added += 30
      vi.advanceTimersByTime(10)
    }
    vi.advanceTimersByTime(200)
    expect(bus.published.length).toBeLessThanOrEqual(11)
    for (const { channel, event, data } of bus.published) {
      const frame = JSON.stringify({ event, channel, data: JSON.stringify(data) })
      expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(10_000)
    }
    const reported = bus.published.reduce((sum, { data }) => sum + data.events.length + data.skipped, 0)
    expect(reported).toBe(added)
  })

  it('the live branch adds short values if space remains, first of the newest event, and omits no event for them', () => {
    const { bus, branch } = open()
    bus.occupy('private-sources-s')
    const withValues = (index: number, validated: JsonObject, exact?: Map<string, string>): LiveEvent => {
      const { event, ...rest } = liveEvent(index)
      return { ...rest, event: event && { ...event, validated, exact } }
    }
    const validated = { total: 42.5, paid: true, note: 'ü'.repeat(61), of: { a: 1 }, none: null, currency: '“EUR”' }
    branch.add('s', [withValues(0, validated), withValues(1, { id: 1 }, new Map([['id', '1.0']])), liveEvent(2)])
    const [first] = bus.published
    expect(first?.data.events.map(({ values }) => values)).toEqual([
      { total: 42.5, paid: true, none: null, currency: '“EUR”' },
      undefined,
      undefined,
    ])
    const long = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`property ${n}`, 'x'.repeat(30)]))
    branch.add(
      's',
      Array.from({ length: 28 }, (_, index) => withValues(index, long)),
    )
    vi.advanceTimersByTime(100)
    const data = bus.published[1]?.data
    expect([data?.events.length, data?.skipped]).toEqual([28, 0])
    const has = data?.events.map(({ values }) => values !== undefined) ?? []
    expect(has.indexOf(true)).toBeGreaterThan(0)
    expect(has.slice(has.indexOf(true))).not.toContain(false)
    const frame = JSON.stringify({ event: 'events', channel: 'private-sources-s', data: JSON.stringify(data) })
    expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(10_000)
  })

  it('the live branch sends the last events even if no further events arrive', () => {
    const { bus, branch } = open()
    bus.occupy('private-sources-s')
    branch.add('s', many(1))
    branch.add('s', many(2))
    expect(bus.published).toHaveLength(1)
    vi.advanceTimersByTime(100)
    expect(bus.published[1]?.data.events).toHaveLength(2)
  })

  it('the live branch publishes nothing after the last viewer has left', () => {
    const { bus, branch } = open()
    bus.occupy('private-sources-s')
    branch.add('s', many(1))
    branch.add('s', many(1))
    bus.occupy()
    vi.advanceTimersByTime(1000)
    branch.add('s', many(1))
    expect(bus.published).toHaveLength(1)
  })

  it('the live branch publishes a channel while any gateway watches it, until none does or its gateway has ended', () => {
    const { bus, branch } = open()
    bus.occupyAt('a', 'private-sources-s')
    bus.occupyAt('b', 'private-sources-t')
    expect([branch.isWatched('s'), branch.isWatched('t')]).toEqual([true, true])
    bus.occupyAt('b')
    expect([branch.isWatched('s'), branch.isWatched('t')]).toEqual([true, false])
    vi.advanceTimersByTime(10_001)
    bus.occupyAt('b', 'private-sources-t')
    expect([branch.isWatched('s'), branch.isWatched('t')]).toEqual([false, true])
  })

  it('the live branch shows the compatibility of an event with its schema, and whether it was blocked', () => {
    const { bus, branch } = open()
    bus.occupy('private-sources-s')
    const [event] = many(1)
    if (event === undefined) throw new Error('no event')
    const fit = { compatibility: 'needsAttention', version: 4 } as const
    branch.add('s', [event, { ...event, fit }, { ...event, fit, status: 'blocked' }])
    const summaries = bus.published[0]?.data.events ?? []
    expect(summaries.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'blocked'])
    expect(summaries.map(({ compatibility, schemaVersion }) => [compatibility, schemaVersion])).toEqual([
      [undefined, undefined],
      ['needsAttention', 4],
      ['needsAttention', 4],
    ])
  })

  it('the live branch shows the reason of a rejected event, cut to its maximum length', () => {
    const { bus, branch } = open()
    bus.occupy('private-sources-s')
    const [event] = many(1)
    const why = { kind: 'reject', reason: 'missing_ids', message: 'x'.repeat(trackingLimits.eventBytes) } as const
    if (event !== undefined) branch.add('s', [{ ...event, rejected: why }])
    const [summary] = bus.published[0]?.data.events ?? []
    expect(summary?.status).toBe('rejected')
    expect(summary?.reason).toMatch(/^missing_ids: x{1,190}…$/)
  })
})
