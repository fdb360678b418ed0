import { createLoadedConnectors, identifiersIn } from '@tributary/connector-kit'
import { type DeliveryMeta, methods, type NotSentReason, type SignalDefinition } from '@tributary/contract'
import { ExactNumber, newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createLatestProfileValues, createLearning } from '@tributary/profiles'
import type { LogEntry, ProducerStamp } from '@tributary/storage'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createDestinationCache } from '../../../../configuration/src/caches/destination-cache.ts'
import { type Candidate, convert } from '../../../../signals/src/engine/convert.ts'
import { createSignalAudienceFollower } from '../../../../signals/src/engine/follow-audiences.ts'
import { personHash } from '../../../../signals/src/engine/persons.ts'
import { createSignalSender } from '../../../../signals/src/engine/sender.ts'
import { eraseConversions } from '../../../../signals/src/erase.ts'
import { createSignalCache, type SignalCache } from '../../../../signals/src/signal-cache.ts'
import {
  type Harness,
  idIn,
  type Organization,
  startControl,
  startOrganization,
} from '../../testing/control-harness.ts'
import { trialAudience } from '../../testing/requests.ts'
import { makePlatform, signalsCatalog, trialSignal } from '../../testing/signals.ts'

let harness: Harness
let organization: Organization
let cache: SignalCache
let workspace: string
let source: string
const platforms: Record<'meta' | 'google_ads' | 'google_analytics', string> = {
  meta: '',
  google_ads: '',
  google_analytics: '',
}

beforeAll(async () => {
  harness = await startControl({ catalog: signalsCatalog })
  cache = createSignalCache({
    db: harness.db,
    pool: harness.database.pool,
    logger: silentLogger,
    connectors: createLoadedConnectors(signalsCatalog.destinations, silentLogger),
  })
  await cache.start()
})
afterAll(async () => {
  await cache.stop()
  await harness[Symbol.asyncDispose]()
})

beforeEach(async () => {
  organization = await startOrganization(harness)
  workspace = organization.workspaceId
  const body = { title: 'Shop', app: { name: 'catalogSources/ads' } }
  source = (await organization.administrator.ok(methods.sources.create, { workspace }, { body })).name
  platforms.meta = await makePlatform(organization, 'meta')
  platforms.google_ads = await makePlatform(organization, 'google-ads')
  platforms.google_analytics = await makePlatform(organization, 'google-analytics')
})

/** An enabled signal of orders; resolves to its id. */
const enable = async (more: Partial<SignalDefinition> = {}): Promise<string> => {
  const body = { title: 'Orders', enabled: true, ...trialSignal(source, Object.values(platforms)), ...more }
  const { name } = await organization.administrator.ok(methods.signals.create, { workspace }, { body })
  await cache.refresh()
  return idIn(name)
}

let serial = 0
const order = (more: Record<string, unknown> = {}, properties: Record<string, unknown> = {}) => {
  const id = `0-${++serial}-0`
  const time = new Date(harness.now()).toISOString()
  return {
    eventId: id,
    messageId: `m-${id}`,
    type: 'track' as const,
    event: 'Order Completed',
    userId: 'u1',
    anonymousId: 'a1',
    properties: { order_id: `o-${id}`, total: 25.5, currency: 'EUR', ...properties },
    context: { traits: { email: 'ada@example.com' } },
    test: false,
    receivedAt: time,
    timestamp: time,
    ...more,
  }
}

/** Hands events to the signals of the workspace. */
const receive = async (...events: ReturnType<typeof order>[]) => {
  const signals = cache.find(workspace)
  if (signals === undefined) throw new Error('there are no signals')
  const candidates = events.map((event): Candidate => {
    const own = signals.bySource.get(idIn(source)) ?? []
    return {
      event,
      signals: own.flatMap((signal) => {
        const origin = signal.matches(event)
        return origin === undefined ? [] : [{ signal, origin }]
      }),
    }
  })
  const profiles = createLatestProfileValues(harness.db)
  return await convert({ db: harness.db, clock: harness.now, profiles }, workspace, signals, candidates)
}

const outbox = async () =>
  (
    await harness.db
      .selectFrom('signal_outbox')
      .select(['destinations', 'json'])
      .where('workspace_id', '=', workspace)
      .orderBy('id')
      .execute()
  ).map(({ destinations, json }) => ({ destinations, event: JSON.parse(json) }))

/** The reasons why the latest conversion is not sent, by platform. */
const reasonsOf = (made: Awaited<ReturnType<typeof receive>>): Record<string, NotSentReason | ''> => {
  const names = Object.entries(platforms).map(([platform, name]): [string, string] => [idIn(name), platform])
  const by = new Map(names)
  return Object.fromEntries(
    (made.fresh.at(-1)?.platforms ?? []).map(({ destinationId, reason }) => [by.get(destinationId) ?? '', reason]),
  )
}
const all = (reason: NotSentReason | '') => ({ meta: reason, google_ads: reason, google_analytics: reason })

describe('the profile is the last source of a person', () => {
  const identify = async (traits: Record<string, unknown>, userId = 'u1'): Promise<void> => {
    const time = new Date(harness.now()).toISOString()
    const event = { eventId: `0-${++serial}-0`, type: 'identify', userId, traits, context: {} }
    const json = JSON.stringify({ ...event, receivedAt: time, timestamp: time })
    const accepted = { workspaceId: workspace, sourceId: idIn(source), eventId: event.eventId, json }
    await createLearning({ db: harness.db, metrics: noMetrics })([accepted])
  }
  /** The identifiers that each platform gets of the latest conversion. */
  const known = (made: Awaited<ReturnType<typeof receive>>): Record<string, string[]> =>
    Object.fromEntries(
      (made.fresh.at(-1)?.platforms ?? []).map(({ destinationId, identifiers }) => [
        Object.entries(platforms).find(([, name]) => idIn(name) === destinationId)?.[0] ?? '',
        identifiersIn(identifiers),
      ]),
    )
  const bare = () => order({ context: {} })

  test('a purchase of a known user has the email and phone that only the profile has, and nothing else', async () => {
    await enable()
    const person = { email: 'ada@example.com', phone: '+491701234567' }
    await identify({ ...person, secret: 'not needed' })
    const made = await receive(bare())
    expect(known(made)['meta']).toEqual(['email', 'phone', 'external_id'])
    expect(reasonsOf(made)).toEqual(all(''))
    const [sent] = await outbox()
    expect(sent?.event.context.signal.profile).toEqual({ traits: person, identifiers: {}, audiences: {} })
  })

  test('the values of the event come first, and another user gets none of them', async () => {
    await enable()
    await identify({ email: 'ada@example.com' })
    const own = await receive(order({ context: { traits: { email: 'new@example.com' } } }))
    expect(known(own)['meta']).toEqual(['email', 'external_id'])
    expect((await outbox())[0]?.event.context.traits).toEqual({ email: 'new@example.com' })
    expect(known(await receive({ ...bare(), userId: 'u2', anonymousId: 'a2' }))['meta']).toEqual(['external_id'])
  })

  test('events are conversions only while the profile meets the conditions of the signal', async () => {
    const events = trialSignal(source, []).trigger
    const filters = [{ id: 'c001', field: 'profile.traits.plan', operator: 'equals', value: 'pro' }] as const
    await enable({ trigger: { ...events, filters: [...filters], filter_match: 'all' } as SignalDefinition['trigger'] })
    expect((await receive(bare())).fresh).toEqual([])
    await identify({ plan: 'pro' })
    expect((await receive(bare(), { ...bare(), userId: 'u2', anonymousId: 'a2' })).fresh).toHaveLength(1)
    await identify({ plan: 'free' }, 'u3')
    expect((await receive({ ...bare(), userId: 'u3', anonymousId: 'a3' })).fresh).toEqual([])
  })

  test('without the consent of the person, or after its withdrawal, no value of the profile is used', async () => {
    await enable()
    await identify({ email: 'ada@example.com' })
    const consent = (advertising: boolean) => ({ consent: { categoryPreferences: { advertising } } })
    await receive(order({ context: consent(true) }))
    await receive(order({ context: consent(false), timestamp: new Date(harness.now() + 1000).toISOString() }))
    await receive(bare())
    const profiles = (await outbox()).map(({ event }) => event.context.signal.profile)
    expect(profiles[0]).toMatchObject({ traits: { email: 'ada@example.com' } })
    expect(profiles.slice(1).every((profile) => profile === undefined)).toBe(true)
  })
})

describe('one conversion per signal and event ID', () => {
  test('a retry, a replay, a second server, or a browser beside a server creates no second conversion', async () => {
    await enable()
    const event = order()
    expect((await receive(event)).fresh).toHaveLength(1)
    // The same event is received again, as after a crash.
    expect(await receive(event)).toEqual({ fresh: [], repeated: [] })
    // The same order of another event: a second server, or the server beside the browser.
    const second = order({}, { order_id: event.properties['order_id'] })
    expect(await receive(second, order({}, { order_id: event.properties['order_id'] }))).toMatchObject({
      fresh: [],
      repeated: [{}, {}],
    })
    expect(await outbox()).toHaveLength(1)
  })

  test('two concurrent events with the same order ID create one conversion', async () => {
    await enable()
    const [one, other] = [order({}, { order_id: 'same' }), order({}, { order_id: 'same' })]
    const stored = await Promise.all([receive(one), receive(other), receive(one)])
    expect(stored.flatMap(({ fresh }) => fresh)).toHaveLength(1)
    expect(await outbox()).toHaveLength(1)
  })

  test('an event without an order ID uses its message ID as event ID', async () => {
    await enable()
    const event = order({}, { order_id: ' ' })
    const { fresh } = await receive(event)
    expect(fresh[0]?.eventId).toBe(event.messageId)
    expect((await outbox())[0]?.event).toMatchObject({ messageId: event.messageId, event: 'Order Completed' })
  })
})

describe('invalid events for a signal', () => {
  test.each<[string, Record<string, unknown>, NotSentReason | '', string?]>([
    ['a currency in lower case is sent in capitals', { currency: 'usd' }, '', 'USD'],
    ['an unknown currency is not sent', { currency: 'XYZ' }, 'invalid_currency'],
    ['a value as text with a comma is not sent', { total: '1.234,50' }, 'invalid_value'],
    ['a negative value is not sent', { total: -5 }, 'invalid_value'],
    ['a value as text with a point is sent as a number', { total: '25.50' }, '', 'EUR'],
  ])('%s', async (_, properties, reason, currency) => {
    await enable()
    const made = await receive(order({}, properties))
    expect(reasonsOf(made)).toEqual(all(reason))
    if (reason === '')
      expect((await outbox())[0]?.event.context.signal).toMatchObject({ value: 25.5, currency, kind: 'conversion' })
    else expect(await outbox()).toEqual([])
  })

  test('an event far in the future is not sent, and one with a slightly fast clock is', async () => {
    await enable()
    const at = (ms: number) => order({ timestamp: new Date(harness.now() + ms).toISOString() })
    expect(reasonsOf(await receive(at(3_600_000)))).toEqual(all('in_future'))
    expect(reasonsOf(await receive(at(60_000)))).toEqual(all(''))
  })

  test('an event beyond the maximum age of a platform is not sent, with a reason', async () => {
    await enable()
    const old = order({ timestamp: new Date(harness.now() - 8 * 86_400_000).toISOString() })
    expect(reasonsOf(await receive(old))).toEqual(all('too_old'))
  })

  test('a test event is sent only to a platform with a test code', async () => {
    const [first, ...rest] = trialSignal(source, Object.values(platforms)).platforms
    if (first === undefined) throw new Error('there are platforms')
    const signal = await enable({ platforms: [{ ...first, test_event_code: 'TEST1' }, ...rest] })
    expect(reasonsOf(await receive(order({ test: true })))).toEqual({ ...all('test_event'), meta: '' })
    const counts = await harness.db.selectFrom('signal_counts').select('kind').where('signal_id', '=', signal).execute()
    expect(counts.filter(({ kind }) => kind === 'conversion')).toEqual([])
  })

  test('an event without data about a person is not sent', async () => {
    await enable()
    const made = await receive(order({ context: {} }))
    expect(reasonsOf(made)).toEqual(all('no_identifier'))
  })

  test('a click ID in the field of another platform is not stored', async () => {
    await enable()
    await receive(order({}, { gclid: 'fb.1.1554763741205.AbCdEf' }))
    expect((await outbox())[0]?.event.context.signal).not.toHaveProperty('gclid')
  })

  test("a refund restates the order's remaining value once on platforms that support it", async () => {
    const refunds = {
      events: [{ event_type: 'track' as const, event_name: 'Order Refunded' }],
      order_path: 'properties.order_id',
      amount_path: 'properties.total',
    }
    await enable({ refunds })
    const event = order({}, { order_id: 'r1', total: 100 })
    const refund = (total: number) => order({ event: 'Order Refunded' }, { order_id: 'r1', total })
    const part = refund(30)
    expect(reasonsOf(await receive(event, part))).toEqual({
      meta: 'not_refundable',
      google_ads: '',
      google_analytics: '',
    })
    expect((await receive(part)).fresh).toEqual([])
    await receive(refund(20))
    const sent = (await outbox()).slice(1).map(({ event: { context } }) => context.signal)
    expect(sent).toMatchObject([
      { kind: 'refund', event_id: 'r1', value: 30, remaining_value: 70, conversion_time: event.timestamp },
      { kind: 'refund', event_id: 'r1', value: 20, remaining_value: 50 },
    ])
    expect(reasonsOf(await receive(order({ event: 'Order Refunded' }, { order_id: 'unknown', total: 1 })))).toEqual({
      meta: 'not_refundable',
      google_ads: 'no_order',
      google_analytics: 'no_order',
    })
  })
})

describe('a refund', () => {
  const refunds = {
    events: [{ event_type: 'track' as const, event_name: 'Order Refunded' }],
    order_path: 'properties.order_id',
    amount_path: 'properties.total',
  }
  const of = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    order({ event: 'Order Refunded', ...more }, { order_id: 'r1', ...properties })
  const both = (google_ads: string, google_analytics = google_ads) => ({
    meta: 'not_refundable',
    google_ads,
    google_analytics,
  })
  const sent = async () => (await outbox()).slice(1).map(({ event: { context } }) => context.signal)
  const later = (ms: number) => ({ timestamp: new Date(harness.now() + ms).toISOString() })

  test.each<[string, Record<string, unknown>, Record<string, string>, object[]]>([
    [
      'in its own currency is not restated in that of the order',
      { total: 30, currency: 'USD' },
      both('refund_currency', ''),
      [{ value: 30, currency: 'USD' }],
    ],
    [
      'in the currency of the order, in lower case',
      { total: 30, currency: 'eur' },
      both(''),
      [{ value: 30, currency: 'EUR', remaining_value: 70 }],
    ],
    [
      'without a currency has that of the order',
      { total: 30, currency: undefined },
      both(''),
      [{ value: 30, currency: 'EUR' }],
    ],
    [
      'without an amount is all of the order, in its currency',
      { total: undefined, currency: 'USD' },
      both(''),
      [{ value: 100, currency: 'EUR', remaining_value: 0 }],
    ],
    ['with an unknown currency is not sent', { total: 30, currency: 'XYZ' }, both('invalid_currency'), []],
    ['of more than the order is rejected', { total: 100.01 }, both('refund_too_large'), []],
    [
      'of more than the order in another currency is sent in that',
      { total: 10_000, currency: 'JPY' },
      both('refund_currency', ''),
      [{ value: 10_000, currency: 'JPY' }],
    ],
    ['of all of the order is sent', { total: '100.00' }, both(''), [{ value: 100, remaining_value: 0 }]],
  ])('a refund: %s', async (_, properties, reasons, expectedSent) => {
    await enable({ refunds })
    expect(reasonsOf(await receive(order({}, { order_id: 'r1', total: 100 }), of(properties)))).toEqual(reasons)
    expect(await sent()).toMatchObject(expectedSent)
    expect(await sent()).toHaveLength(expectedSent.length)
  })

  test('goes to no platform that did not get the order without consent, and still reduces it for the others', async () => {
    await enable({ refunds })
    const consent = (advertising: boolean) => ({
      context: { traits: { email: 'ada@example.com' }, consent: { categoryPreferences: { advertising } } },
    })
    const bought = await receive(order(consent(false), { order_id: 'r1', total: 100 }))
    expect(reasonsOf(bought)).toEqual({ meta: 'no_consent', google_ads: 'no_consent', google_analytics: '' })
    for (const remaining_value of [70, 40]) {
      expect(reasonsOf(await receive(of({ total: 30 }, consent(true))))).toEqual(both('no_consent', ''))
      expect((await sent()).at(-1)).toMatchObject({ value: 30, remaining_value })
    }
  })

  test('several refunds together cannot exceed the order, and rejected refunds do not count', async () => {
    await enable({ refunds })
    await receive(order({}, { order_id: 'r1', total: 100 }), of({ total: 60 }))
    expect(reasonsOf(await receive(of({ total: 60 })))).toEqual(both('refund_too_large'))
    expect(reasonsOf(await receive(of({ total: 20, currency: 'USD' })))).toEqual(both('refund_currency', ''))
    expect(reasonsOf(await receive(of({ total: 40 })))).toEqual(both(''))
    expect((await sent()).at(-1)).toMatchObject({ value: 40, remaining_value: 0 })
    expect(reasonsOf(await receive(of({ total: 0.01 })))).toEqual(both('refund_too_large'))
  })

  test.each([
    ['20 digits', '12345678901234567890', '12345678901234567891'],
    ['more digits than a double has', '9007199254740993', '9007199254740992'],
    ['a point and a zero', '1001.0', '1002.0'],
  ])('a refund whose order ID is a number with %s belongs to exactly that order', async (_, id, other) => {
    await enable({ refunds })
    const [order_id, another] = [new ExactNumber(id), new ExactNumber(other)]
    expect(reasonsOf(await receive(order({}, { order_id, total: 100 }), of({ order_id, total: 30 })))).toEqual(both(''))
    expect((await sent()).at(-1)).toMatchObject({ value: 30, remaining_value: 70 })
    expect(reasonsOf(await receive(of({ order_id: another, total: 1 })))).toEqual(both('no_order'))
  })

  test.each([
    ['at once', [undefined]],
    ['in parts', [60, 40]],
    ['in a part and the rest', [60, undefined]],
  ])('a refund without an amount, of an order that was refunded %s, is rejected', async (_, totals) => {
    await enable({ refunds })
    await receive(order({}, { order_id: 'r1', total: 100 }), ...totals.map((total) => of({ total })))
    const count = (await sent()).length
    expect(reasonsOf(await receive(of({ total: undefined })))).toEqual(both('refund_too_large'))
    expect(await sent()).toHaveLength(count)
  })

  test('refunds in hundredths add up to the order exactly', async () => {
    await enable({ refunds })
    await receive(order({}, { order_id: 'r1', total: 0.3 }), of({ total: 0.1 }), of({ total: 0.1 }))
    expect(reasonsOf(await receive(of({ total: 0.1 })))).toEqual(both(''))
  })

  test('a refund that happened before an order does not belong to that order', async () => {
    await enable({ refunds })
    await receive(order(later(-60_000), { order_id: 'r1', total: 100 }))
    expect(reasonsOf(await receive(of({ total: 5 }, later(-60_001))))).toEqual(both('no_order'))
    expect(reasonsOf(await receive(of({ total: 5 }, later(-86_400_000))))).toEqual(both('no_order'))
    expect(reasonsOf(await receive(of({ total: 5 }, later(-60_000))))).toEqual(both(''))
  })

  test('a refund that comes before its order is rejected, and does not reduce the later order', async () => {
    await enable({ refunds })
    const early = of({ total: 50 })
    expect(reasonsOf(await receive(early, order({}, { order_id: 'r1', total: 100 })))).toEqual(all(''))
    const { fresh } = await receive(of({ total: 100 }))
    expect(fresh[0]?.platforms.map(({ reason }) => reason)).toEqual(['not_refundable', '', ''])
    expect((await sent()).at(-1)).toMatchObject({ value: 100, remaining_value: 0 })
  })

  test('a refund of a test event does not reduce a real order', async () => {
    await enable({ refunds })
    await receive(order({}, { order_id: 'r1', total: 100 }), of({ total: 50 }, { test: true }))
    expect(reasonsOf(await receive(of({ total: 100 })))).toEqual(both(''))
  })
})

describe('consent for a conversion', () => {
  const consent = (advertising: unknown) => ({
    context: { traits: { email: 'ada@example.com' }, consent: { categoryPreferences: { advertising } } },
  })
  test('consent of the event decides, and a platform that accepts a denial receives it', async () => {
    await enable()
    expect(reasonsOf(await receive(order(consent(true))))).toEqual(all(''))
    expect(reasonsOf(await receive(order(consent(false))))).toEqual({ ...all('no_consent'), google_analytics: '' })
    const [granted, denied] = await outbox()
    expect(granted?.event.context.signal.consent).toBe(true)
    expect(denied?.event.context.signal.consent).toBe(false)
  })

  test('a setting of the workspace decides on events without consent', async () => {
    await enable()
    expect(reasonsOf(await receive(order()))).toEqual(all(''))
    const body = { without_consent: 'leave_out' as const }
    await organization.administrator.ok(methods.signalSettings.update, { workspace }, { body })
    await cache.refresh()
    expect(reasonsOf(await receive(order()))).toEqual(all('consent_unknown'))
  })

  test('consent that was withdrawn after the event prevents sending, and stored clicks are deleted', async () => {
    await enable()
    const earlier = new Date(harness.now() - 60_000).toISOString()
    await receive(order({}, { gclid: 'CjwKCAiAabcdefghijk' }))
    await receive(order({ event: 'Seen', ...consent(false) }))
    const late = order({ ...consent(true), timestamp: earlier })
    expect(reasonsOf(await receive(late))).toEqual(all('consent_withdrawn'))
    const kept = await harness.db
      .selectFrom('signal_clicks')
      .select('name')
      .where('workspace_id', '=', workspace)
      .execute()
    expect(new Set(kept.map(({ name }) => name))).toEqual(new Set(['consent']))
  })
})

describe('clicks of a visit', () => {
  const gclid = 'CjwKCAiAabcdefghijk'
  const visit = (more: Record<string, unknown> = {}) => ({
    ...order({ type: 'page', event: '', userId: undefined, properties: {}, ...more }),
    context: { page: { url: `https://shop.example/?gclid=${gclid}&utm_source=google&utm_campaign=spring` } },
  })

  test.each(['null', '(null)', 'undefined', '0', '{}', 'not_set'])(
    'clicks of a visit with the placeholder %j as its IDs are not joined to conversions',
    async (value) => {
      await enable()
      await receive(visit({ userId: value, anonymousId: value }) as unknown as ReturnType<typeof order>)
      await receive(order({ userId: value, anonymousId: value }))
      expect((await outbox())[0]?.event.context.signal).not.toHaveProperty('gclid')
    },
  )

  test('clicks of an anonymous visit are joined to a later conversion of the same person, and credited with it', async () => {
    const signal = await enable()
    await receive(visit({ anonymousId: 'visitor' }) as unknown as ReturnType<typeof order>)
    const learn = createLearning({ db: harness.db, metrics: noMetrics })
    const link = order({ type: 'identify', userId: 'buyer', anonymousId: 'visitor' })
    await learn([{ workspaceId: workspace, sourceId: newId(), eventId: link.eventId, json: JSON.stringify(link) }])
    await receive(order({ userId: 'buyer', anonymousId: undefined }))
    expect((await outbox())[0]?.event.context.signal).toMatchObject({ gclid })
    const day = Math.floor(harness.now() / 86_400_000) * 86_400
    const query = { 'start_date.seconds': day, 'end_date.seconds': day + 86_400, touch: 'first' as const }
    const { rows } = await organization.guest.ok(methods.signals.getAttribution, { workspace }, { query })
    expect(rows).toMatchObject([
      {
        clicked_platform: 'google',
        utm_source: 'google',
        utm_campaign: 'spring',
        conversion_count: 1,
        amounts: [{ currency: 'EUR', amount: 25.5 }],
        signal: `workspaces/${workspace}/signals/${signal}`,
      },
    ])
    const csv = await organization.guest.ok(methods.signals.exportAttribution, { workspace }, { query })
    expect(csv.content.split('\r\n')[1]).toMatch(/^\d{4}-\d\d-\d\d,Orders,google,google,,spring,1,EUR,25\.5$/)
  })

  test('clicks are not joined to an earlier conversion, or after they expired', async () => {
    await enable()
    const before = new Date(harness.now() - 3_600_000).toISOString()
    await receive(visit() as unknown as ReturnType<typeof order>)
    await receive(order({ timestamp: before }))
    expect((await outbox())[0]?.event.context.signal).not.toHaveProperty('gclid')
    const long = new Date(harness.now() - 91 * 86_400_000).toISOString()
    await receive({ ...(visit({ anonymousId: 'old' }) as unknown as ReturnType<typeof order>), timestamp: long })
    await receive(order({ anonymousId: 'old', userId: undefined }))
    expect((await outbox())[1]?.event.context.signal).not.toHaveProperty('gclid')
  })

  test('clicks are stored and found only under hashes', async () => {
    await enable()
    await receive(visit({ anonymousId: 'visitor@example.com' }) as unknown as ReturnType<typeof order>)
    const rows = await harness.db
      .selectFrom('signal_clicks')
      .selectAll()
      .where('workspace_id', '=', workspace)
      .execute()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain('visitor')
  })
})

describe('the stream', () => {
  const stream = () => {
    const appended: { entries: readonly LogEntry[]; stamp: ProducerStamp | undefined }[] = []
    let sequence = 0
    return {
      appended,
      port: {
        appendGroup: async (entries: readonly LogEntry[], stamp?: ProducerStamp) => {
          appended.push({ entries, stamp })
          sequence = stamp?.sequence ?? sequence
          return []
        },
        beginEpoch: async () => 1,
        lastSequences: async () => (sequence === 0 ? [] : [{ partition: 0, sequence, note: '' }]),
      },
    }
  }
  const senderOf = (port: ReturnType<typeof stream>['port']) =>
    createSignalSender({ db: harness.db, stream: port as never, mayAppend: () => true, logger: silentLogger })

  test('the stream gets each conversion once for the destinations of its signal, even if the sender is killed after appending', async () => {
    // Removes unsent conversions of other workspaces, which do not belong to this test.
    await harness.db.deleteFrom('signal_outbox').execute()
    const signal = await enable()
    await receive(order(), order())
    const { appended, port } = stream()
    const { rows } = await harness.database.pool.query('select * from signal_outbox where workspace_id = $1', [
      workspace,
    ])
    await senderOf(port).send()
    const metas = appended.flatMap(({ entries }) => entries.map(({ meta }): DeliveryMeta => JSON.parse(meta)))
    expect(metas).toEqual([
      expect.objectContaining({
        w: workspace,
        s: signal,
        d: Object.values(platforms).map(idIn),
        n: 2,
        b: { k: 'signal', n: `signal ${signal}`, e: rows.map(({ key }) => key) },
      }),
    ])
    const body = Buffer.from(appended[0]?.entries[0]?.body ?? '').toString()
    expect(body).toMatch(
      new RegExp(`^\\[\\{"eventId":"${signal}-[0-9a-f]{32}","messageId":"o-[^"]+","type":"track","event":`),
    )
    expect(await outbox()).toEqual([])
    // Killed before the rows were removed: another process finds them, and the stream has them.
    for (const row of rows)
      await harness.database.pool.query(
        `insert into signal_outbox (id, workspace_id, signal_id, destinations, key, source_id, subjects, json)
         overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [row.id, row.workspace_id, row.signal_id, row.destinations, row.key, row.source_id, row.subjects, row.json],
      )
    await senderOf(port).send()
    expect(appended).toHaveLength(1)
    expect(await outbox()).toEqual([])
  })
})

test('the pipeline gets the sources of enabled signals, and delivery gets the conversions of each destination', async () => {
  const destinations = createDestinationCache({
    db: harness.db,
    pool: harness.database.pool,
    secretBox: harness.secretBox,
    logger: silentLogger,
  })
  await destinations.start()
  onTestFinished(() => destinations.stop())
  const signal = await enable()
  await destinations.refresh()
  expect(destinations.feedsSignal(idIn(source))).toBe(true)
  expect(destinations.destinationsFor(idIn(source))).toEqual([])
  const sent = () => destinations.get(idIn(platforms.meta))?.signals?.get(signal)
  expect(sent()).toEqual({ eventName: 'Purchase', testCode: '', fields: undefined })
  const { administrator } = organization
  const params = { workspace, signal }
  await administrator.ok(methods.signals.disable, params, { body: {} })
  await Promise.all([destinations.refresh(), cache.refresh()])
  expect(destinations.feedsSignal(idIn(source))).toBe(false)
  expect(cache.find(workspace)).toBeUndefined()
  // Earlier conversions are still sent.
  expect(sent()).toBeDefined()
  await administrator.ok(methods.signals.delete, params)
  await destinations.refresh()
  expect(sent()).toBeUndefined()
})

test('a profile that enters an audience creates one conversion', async () => {
  const { administrator } = organization
  const body = { title: 'Reachable', query: trialAudience }
  const audience = await administrator.ok(methods.audiences.create, { workspace }, { body })
  await enable({
    trigger: { type: 'audience', audience: audience.name },
    value: { type: 'none' },
    event_id: { type: 'message_id' },
  })
  const learn = createLearning({ db: harness.db, metrics: noMetrics })
  const known = { ...order({ type: 'identify' }), traits: { email: 'eve@example.com' } }
  await learn([{ workspaceId: workspace, sourceId: newId(), eventId: known.eventId, json: JSON.stringify(known) }])
  const { profile_id } = await harness.db
    .selectFrom('profile_identifiers')
    .select('profile_id')
    .where('workspace_id', '=', workspace)
    .executeTakeFirstOrThrow()
  await sql`insert into audience_changes (audience_id, profile_id, kind, time)
    values (${idIn(audience.name)}::uuid, ${profile_id}::uuid, 'entered', ${new Date(harness.now())})`.execute(
    harness.db,
  )
  const followed = () =>
    createSignalAudienceFollower({ db: harness.db, clock: harness.now, cache, logger: silentLogger }).follow()
  await followed()
  await followed()
  const sent = await outbox()
  expect(sent).toHaveLength(1)
  expect(sent[0]?.event).toMatchObject({
    event: 'Audience Entered',
    context: {
      traits: { email: 'eve@example.com' },
      signal: { kind: 'conversion', action_source: 'system_generated' },
    },
  })
})

test('deleting a user removes the clicks, IDs, and unsent conversions, and keeps the count of conversions', async () => {
  await enable()
  const event = order(
    { userId: 'zora', anonymousId: 'a-zora' },
    { order_id: 'order-of-zora', gclid: 'CjwKCAiAabcdefghijk' },
  )
  await receive(event, order({ userId: 'yves', anonymousId: 'a-yves' }, { gclid: 'CjwKCAiAabcdefghijk' }))
  const requestId = newId()
  const people = {
    workspaceId: workspace,
    requestId,
    identifiers: [
      { type: 'user_id', value: 'zora' },
      { type: 'anonymous_id', value: 'a-zora' },
    ],
  }
  const marked: string[] = []
  const eventStore = { insert: async (_: string, rows: unknown) => void marked.push(String(rows)) }
  await eraseConversions({ db: harness.db, eventStore: eventStore as never }, people)
  expect(await outbox()).toHaveLength(1)
  const rows = await harness.db
    .selectFrom('signal_conversions')
    .select(['event_id', 'source_event', 'subjects', sql<string>`encode(key, 'hex')`.as('key'), 'signal_id'])
    .where('workspace_id', '=', workspace)
    .orderBy('id')
    .execute()
  expect(rows[0]).toMatchObject({ event_id: '', source_event: '', subjects: [] })
  expect(rows[1]?.event_id).not.toBe('')
  expect(marked.join()).toContain(`"event_id":"${rows[0]?.signal_id}-${rows[0]?.key}"`)
  const clicks = await harness.db
    .selectFrom('signal_clicks')
    .select('person')
    .where('workspace_id', '=', workspace)
    .execute()
  const ofYves = ['user_id yves', 'anonymous_id a-yves'].map((text) => {
    const [type = '', value = ''] = text.split(' ')
    return personHash(workspace, { type, value }).toString('hex')
  })
  expect(new Set(clicks.map(({ person }) => Buffer.from(person).toString('hex')))).toEqual(new Set(ofYves))
  // It is not made again.
  expect((await receive(event)).fresh).toEqual([])
})
