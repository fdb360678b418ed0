import { createHash } from 'node:crypto'
import type { OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { tiktokEvents } from './definition.ts'
import { app, createTikTok, offlineEventSet, pixel, token } from './testing-tiktok.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const idfa = '6D92078A-8246-4BA4-AE5B-76104861E7DC'

type Sent = { event: string; user: Record<string, unknown>; properties?: Record<string, unknown> } & Record<
  string,
  unknown
>
type Body = { event_source: string; event_source_id: string; data: Sent[] }

const send = async (event: OutgoingEvent, more: Record<string, unknown> = { tiktok_app_id: app }) => {
  const { asked, outcomes } = await sendTo(
    {
      definition: tiktokEvents,
      origin: 'https://business-api.tiktok.com',
      settings: { pixel_code: pixel, access_token: token, offline_event_set_id: offlineEventSet, ...more },
      answer: createTikTok().answer,
    },
    [event],
  )
  const body = asked[0]?.body as Body | undefined
  return { body, sent: body?.data[0], outcome: outcomes[0] }
}

const conversion = (changes: Record<string, unknown>): OutgoingEvent =>
  outgoingEvent(
    { messageId: 'o-1' },
    {
      action: 'send_conversion',
      payload: {
        event_name: 'Purchase',
        event_id: 'o-1',
        event_time: new Date(Date.now() - 60_000).toISOString(),
        ...changes,
      },
    },
  )

const ofApp = (changes: Record<string, unknown>): OutgoingEvent =>
  conversion({ event_source: 'app', app_id: '1234567890', device_type: 'ios', advertising_id: idfa, ...changes })

/*
 * Names, hashes, and rules of Segment (action-destinations, `tiktok-app-events/reportAppEvent`: utils.ts, formatter.ts,
 * types.ts, fields/common_fields.ts). TikTok's page was not seen. The hash of an advertising ID is SHA-256, of an IDFA in
 * lower case.
 */
describe('an event of an app for TikTok', () => {
  it('has the app, the hashed advertising ID, and the status of tracking', async () => {
    const event = ofApp({
      app_name: 'Shop',
      app_version: '2.1',
      device_id: 'e621e1f8-c36c-495a-93fc-0c247a3e6e5f',
      device_version: '17.4',
      tracking_allowed: true,
      ad: { campaign_id: 'c-1', is_retargeting: false, attributed: true, secret: 'x', callback: '' },
    })
    const { body, sent, outcome } = await send(event)
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(body).toMatchObject({ event_source: 'app', event_source_id: app })
    expect(sent).toMatchObject({
      event: 'Purchase',
      app: { app_id: '1234567890', app_name: 'Shop', app_version: '2.1' },
      ad: { campaign_id: 'c-1', is_retargeting: false, attributed: true },
    })
    expect(sent?.['ad']).toEqual({ campaign_id: 'c-1', is_retargeting: false, attributed: true })
    expect(sent?.user).toEqual({
      idfa: sha256('6d92078a-8246-4ba4-ae5b-76104861e7dc'),
      idfv: 'e621e1f8-c36c-495a-93fc-0c247a3e6e5f',
      att_status: 'AUTHORIZED',
    })
  })

  it('of Android has its own advertising ID, and no ID of a vendor', async () => {
    const { sent } = await send(ofApp({ device_type: 'Android', device_id: 'x-1', tracking_allowed: false }))
    expect(sent?.user).toEqual({ gaid: sha256(idfa), att_status: 'NOT_APPLICABLE' })
  })

  it.each<[Record<string, unknown>, string]>([
    [{ att_status: 'restricted' }, 'RESTRICTED'],
    [{ att_status: 'AUTO', tracking_allowed: false }, 'DENIED'],
    [{ tracking_allowed: true, device_version: '13.7' }, 'NOT_APPLICABLE'],
    [{ device_version: '14.0' }, 'NOT_DETERMINED'],
    [{}, 'NOT_DETERMINED'],
  ])('with %j has the status %s', async (given, status) => {
    const { sent } = await send(ofApp(given))
    expect(sent?.user['att_status']).toBe(status)
  })

  it.each([
    ['InitiateCheckout', 'Checkout'],
    ['CompleteRegistration', 'Registration'],
    ['Lead', 'GenerateLead'],
    ['AddToCart', 'AddToCart'],
    ['constructor', 'constructor'],
  ])('%s is the app event %s', async (event_name, name) => {
    expect((await send(ofApp({ event_name }))).sent?.event).toBe(name)
  })

  it.each<[Record<string, unknown>, string]>([
    [{ app_id: ' ' }, 'App events need the ID of the app. Map app_id'],
    [{ advertising_id: '00000000-0000-0000-0000-000000000000' }, 'nothing that TikTok can match a person by'],
    [{ device_type: 'Windows' }, 'nothing that TikTok can match a person by'],
  ])('with %j is refused in words', async (given, reason) => {
    const { body, outcome } = await send(ofApp(given))
    expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringContaining(reason) })
    expect(body).toBeUndefined()
  })

  it('an unknown status is left out and noted', async () => {
    const { outcome } = await send(ofApp({ att_status: 'yes' }))
    expect(outcome).toMatchObject({ kind: 'delivered', note: expect.stringContaining('att_status') })
  })

  it.each([
    ['Application Installed', 'InstallApp'],
    ['Application Opened', 'LaunchAPP'],
    ['Signed In', 'Login'],
  ])('%s arrives as %s with every mapped field, and is filtered without an app', async (name, wanted) => {
    const event = receivedEvent(name, {
      context: {
        app: { namespace: 'com.example.shop', name: 'Shop', version: '2.1' },
        device: { type: 'android', advertisingId: idfa, adTrackingEnabled: true },
        os: { version: '14' },
        ip: '192.0.2.71',
        userAgent: 'Dalvik/2.1',
        locale: 'de-DE',
        traits: { email: 'Alice@Example.com' },
      },
    })
    const { sent, outcome } = await send(byPresets(tiktokEvents, event))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent).toEqual({
      event: wanted,
      event_id: 'm-1',
      event_time: Math.floor(Date.parse(event.timestamp) / 1000),
      user: {
        email: sha256('alice@example.com'),
        external_id: sha256('u1'),
        gaid: sha256(idfa),
        att_status: 'NOT_APPLICABLE',
        ip: '192.0.2.71',
        user_agent: 'Dalvik/2.1',
        locale: 'de-DE',
      },
      app: { app_id: 'com.example.shop', app_name: 'Shop', app_version: '2.1' },
    })
    expect(() => byPresets(tiktokEvents, { ...event, context: {} })).toThrow('unmapped')
    expect((await send(byPresets(tiktokEvents, event), {})).outcome).toEqual({
      kind: 'skipped',
      reason: 'Enter the ID of the app in the settings, because the event source is app',
    })
  })
})

/** Names and types of Segment (`tiktok-conversions/reportWebEvent`: fields/travel_fields.ts, fields/vehicle_fields.ts). */
const travel = {
  city: 'Kyoto',
  region: 'Kansai',
  country: 'JP',
  checkin_date: '2026-12-01',
  checkout_date: '2026-12-05',
  num_adults: 2,
  num_children: 1,
  num_infants: 0,
  suggested_hotels: ['h1', 'h2'],
  departing_departure_date: '20261130',
  returning_departure_date: '2026-12-05T10:30Z',
  origin_airport: 'FRA',
  destination_airport: 'KIX',
  destination_ids: ['d1'],
  departing_arrival_date: '2026-12-01T08:00:00+09:00',
  returning_arrival_date: '2026-12-05',
  travel_class: 'eco',
  user_score: 0.5,
  preferred_num_stops: 0,
  travel_start: '2026-11-30',
  travel_end: '2026-12-06',
  suggested_destinations: ['d2'],
}
const vehicle = {
  postal_code: '94035',
  make: 'Volvo',
  model: 'EX30',
  year: 2026,
  state_of_vehicle: 'New',
  exterior_color: 'blue',
  transmission: 'Automatic',
  body_style: 'SUV',
  fuel_type: 'Electric',
  drivetrain: 'RWD',
  trim: 'Plus',
  vin: 'YV1000000R1000000',
  interior_color: 'gray',
  condition_of_vehicle: 'Excellent',
  viewcontent_type: 'detail',
  search_type: 'dealer',
  registration_type: 'newsletter',
}

describe('travel and vehicles for TikTok', () => {
  const known = { ttclid: 'E.C.P.abc' }

  it('every field of travel arrives, and nothing else of the object', async () => {
    const { sent, outcome } = await send(conversion({ ...known, travel: { ...travel, email: 'ada@example.com' } }))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent?.properties).toEqual(travel)
  })

  it('every field of a vehicle arrives, with its mileage and range of prices', async () => {
    const pairs = {
      mileage_value: '12.5',
      mileage_unit: 'KM',
      preferred_price_range_min: 20_000,
      preferred_price_range_max: 30_000,
    }
    const { sent, outcome } = await send(conversion({ ...known, vehicle: { ...vehicle, ...pairs } }))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent?.properties).toEqual({
      ...vehicle,
      mileage: { unit: 'KM', value: 12.5 },
      preferred_price_range: [20_000, 30_000],
    })
  })

  it.each<[Record<string, unknown>, string]>([
    [{ travel: { travel_class: 'luxury' } }, 'travel_class: none of eco, prem, bus, first'],
    [{ travel: { travel_start: 'next week' } }, 'travel_start: not a date such as 2026-11-29'],
    [{ travel: { num_adults: 'two' } }, 'num_adults: not a number'],
    [{ vehicle: { drivetrain: '4x4' } }, 'drivetrain: none of AWD, FOUR_WD, FWD, RWD, TWO_WD, Other'],
    [{ vehicle: { make: { name: 'x' } } }, 'make: neither a text nor a number'],
  ])('of %j the wrong part is left out and noted', async (given, reason) => {
    const { sent, outcome } = await send(conversion({ ...known, ...given }))
    expect(outcome).toEqual({ kind: 'delivered', note: `Sent without ${reason}` })
    expect(sent).not.toHaveProperty('properties')
  })

  it('an event of a store has none of them, and its lead is with the person', async () => {
    const event = conversion({ ...known, travel, event_source: 'offline', lead_id: '7123456789' })
    const { sent } = await send(event)
    expect(sent).not.toHaveProperty('properties')
    expect(sent?.user['lead_id']).toBe('7123456789')
  })
})

describe('further fields of TikTok', () => {
  it('content IDs, content type, and search text replace those of the products', async () => {
    const { sent } = await send(
      conversion({
        ttclid: 'E.C.P.abc',
        contents: [{ product_id: 'p1' }],
        content_ids: ['g1', 7, ''],
        content_type: 'product_group',
        search_string: ' red shoes ',
      }),
    )
    expect(sent?.properties).toMatchObject({
      content_ids: ['g1', '7'],
      content_type: 'product_group',
      search_string: 'red shoes',
      contents: [{ content_id: 'p1' }],
    })
  })

  it.each<[unknown, boolean, unknown]>([
    [true, false, true],
    [undefined, true, true],
    [false, true, undefined],
    [undefined, false, undefined],
  ])('limited data use of the event %j and of the settings %j is %j', async (own, ofSettings, wanted) => {
    const event = conversion({ ttclid: 'E.C.P.abc', limited_data_use: own })
    expect((await send(event, { limited_data_use: ofSettings })).sent?.['limited_data_use']).toBe(wanted)
  })
})
