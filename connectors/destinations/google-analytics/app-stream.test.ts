import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent, runConnectionTest, runConnector } from '@tributary/connector-kit/testing'
import { startVendor } from '@tributary/connector-kit/testing-destination'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent } from '../../wire/conversions/testing-presets.ts'
import { googleAnalytics } from './definition.ts'
import { check } from './settings.ts'
import { createAnalytics, firebaseApp, origins, type Sent, secret } from './testing-google-analytics.ts'

const settings = { stream: 'app', firebase_app_id: firebaseApp, api_secret: secret }
const instance = 'd6f2a9c38b1e4f0795ad3c6b8e7f1024'

const send = async (event: OutgoingEvent, more: Record<string, unknown> = {}) => {
  const { answer, counted } = createAnalytics()
  const { asked, rebase } = await startVendor({ origins }, answer)
  const { outcomes } = await runConnector(googleAnalytics, { ...settings, ...more }, [event], { rebase })
  return { outcome: (outcomes as readonly EventOutcome[])[0], query: asked[0]?.query, sent: counted[0], asked }
}

const event = (payload: Record<string, unknown>): OutgoingEvent =>
  outgoingEvent(
    { messageId: 'm-1' },
    {
      action: 'send_event',
      payload: { event_name: 'login', event_time: new Date(Date.now() - 60_000).toISOString(), ...payload },
    },
  )

/*
 * "Send Measurement Protocol events to Google Analytics" (developers.google.com/analytics/devguides/collection/
 * protocol/ga4/sending-events), key request components by stream type: an app stream has firebase_app_id in the URL and
 * app_instance_id in the body. Names of the device and the place: "Measurement Protocol reference".
 */
describe('the stream of an app', () => {
  it('an event goes to the Firebase app with its installation, and without a client ID', async () => {
    const { outcome, query, sent } = await send(
      event({ ga_app_instance_id: instance, client_id: '1.2', user_id: 'u1' }),
    )
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(query).toEqual({ firebase_app_id: firebaseApp, api_secret: secret })
    expect(sent).toMatchObject({ app_instance_id: instance, user_id: 'u1' })
    expect(sent).not.toHaveProperty('client_id')
  })

  it.each(['screen_view', 'ad_impression', 'in_app_purchase'])(
    '%s is sent, which only apps have',
    async (event_name) => {
      const { outcome, sent } = await send(event({ ga_app_instance_id: instance, event_name }))
      expect(outcome).toEqual({ kind: 'delivered' })
      expect(sent?.events?.[0]?.name).toBe(event_name)
    },
  )

  it('an event without the installation is refused in words', async () => {
    const { outcome, asked } = await send(event({ user_id: 'u1' }))
    expect(outcome).toEqual({ kind: 'rejected', reason: expect.stringContaining('no app instance ID') })
    expect(asked).toHaveLength(0)
  })

  it('a screen call becomes screen_view with every mapped field', async () => {
    const call = receivedEvent('Checkout', {
      type: 'screen',
      properties: { screen_class: 'CheckoutController' },
      context: {
        app_instance_id: instance,
        locale: 'de-DE',
        screen: { width: 390, height: 844 },
        os: { name: 'iOS', version: '17.4' },
        device: { model: 'iPhone14,5', manufacturer: 'Apple' },
      },
    })
    const { outcome, sent } = await send(byPresets(googleAnalytics, call))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent).toEqual({
      app_instance_id: instance,
      user_id: 'u1',
      device: {
        language: 'de-DE',
        screen_resolution: '390x844',
        operating_system: 'iOS',
        operating_system_version: '17.4',
        model: 'iPhone14,5',
        brand: 'Apple',
      },
      events: [
        {
          name: 'screen_view',
          timestamp_micros: Date.parse(call.timestamp) * 1000,
          params: { screen_name: 'Checkout', screen_class: 'CheckoutController', engagement_time_msec: 1 },
        },
      ],
    } satisfies Sent)
  })

  it('a screen call to a web stream is filtered, and a mapped screen_view is refused', async () => {
    const web = { stream: 'web', measurement_id: 'G-A1B2C3D4E5' }
    const call = receivedEvent('Checkout', { type: 'screen' })
    expect((await send(byPresets(googleAnalytics, call), web)).outcome).toMatchObject({ kind: 'skipped' })
    const mapped = event({ event_name: 'screen_view', client_id: '1.2' })
    expect((await send(mapped, web)).outcome).toMatchObject({ kind: 'rejected' })
  })

  it('settings of version 0.2.0, which had no choice of a stream, are those of a web stream', async () => {
    const old = { stream: undefined, measurement_id: 'G-A1B2C3D4E5' }
    const { query, sent } = await send(event({ client_id: '1.2' }), old)
    expect(query).toMatchObject({ measurement_id: 'G-A1B2C3D4E5' })
    expect(sent).toMatchObject({ client_id: '1.2' })
    const call = receivedEvent('Checkout', { type: 'screen' })
    expect((await send(byPresets(googleAnalytics, call), old)).outcome).toMatchObject({ kind: 'skipped' })
  })

  it('the connection is tested with the Firebase app', async () => {
    const { answer } = createAnalytics()
    const { asked, rebase } = await startVendor({ origins }, answer)
    expect(await runConnectionTest(googleAnalytics, settings, { rebase })).toMatchObject({ ok: true })
    expect(asked[0]).toMatchObject({ path: '/debug/mp/collect', query: { firebase_app_id: firebaseApp } })
  })

  it.each([
    [{ stream: 'app' }, 'ID of the Firebase app'],
    [{ stream: 'web' }, 'measurement ID'],
  ])('with %j and no ID of the stream, events wait for the settings', async (stream, title) => {
    const none = { ...stream, firebase_app_id: undefined }
    await expect(send(event({ ga_app_instance_id: instance, client_id: '1.2' }), none)).rejects.toThrow(
      `Enter the ${title}`,
    )
  })

  it('an ID of another form is refused', () => {
    expect(check({ firebase_app_id: 'com.example.shop' })).toHaveProperty('firebase_app_id')
    expect(check({ firebase_app_id: '1:1234567890:android:321abc456def7890' })).toEqual({})
  })
})

describe('the surroundings of a web event', () => {
  const web = { stream: 'web', measurement_id: 'G-A1B2C3D4E5' }
  const device = { ga_os_name: 'iOS', ga_device_category: 'mobile', ga_browser: 'Safari', ga_browser_version: '17.4' }

  it('the device is sent without a user agent, from which Google would derive it', async () => {
    const { sent } = await send(event({ client_id: '1.2', ...device }), web)
    expect(sent?.device).toEqual({
      category: 'mobile',
      operating_system: 'iOS',
      browser: 'Safari',
      browser_version: '17.4',
    })
    const withAgent = await send(event({ client_id: '1.2', ...device, ga_user_agent: 'Mozilla/5.0' }), web)
    expect(withAgent.sent).not.toHaveProperty('device')
  })

  it('the place of the user arrives', async () => {
    const place = {
      city: 'Mountain View',
      region_id: 'US-CA',
      country_id: 'US',
      subcontinent_id: '021',
      continent_id: '019',
    }
    const mapped = Object.fromEntries(Object.entries(place).map(([name, text]) => [`ga_${name}`, text]))
    const { sent } = await send(event({ client_id: '1.2', ...mapped }), web)
    expect(sent?.user_location).toEqual(place)
  })
})
