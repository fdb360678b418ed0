import { createHash } from 'node:crypto'
import { mappingProblems, type OutgoingEvent, presetMappings } from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { googleAds } from './definition.ts'
import { conversionAction, createGoogleAds, type IngestedEvent, token } from './testing-google-ads.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const gclid = 'Cj0KCQjwtest_0123456789-abcdef'

const send = async (event: OutgoingEvent) => {
  const { asked, outcomes } = await sendTo(
    {
      definition: googleAds,
      origin: 'https://datamanager.googleapis.com',
      settings: {
        customer_id: '123-456-7890',
        conversion_action_id: conversionAction,
        client_id: 'client',
        client_secret: 'GOCSPX-0123456789',
      },
      answer: createGoogleAds().answer,
      accessToken: async () => token,
    },
    [event],
  )
  const [sent] = asked.flatMap(({ body }) => (body as { events: IngestedEvent[] }).events)
  return { sent, outcome: outcomes[0] }
}

const conversion = (changes: Record<string, unknown> = {}, action = 'upload_conversion'): OutgoingEvent =>
  outgoingEvent(
    { messageId: 'o-1' },
    {
      action,
      payload: {
        transaction_id: 'o-1',
        event_time: new Date(Date.now() - 60_000).toISOString(),
        value: 25.5,
        currency: 'EUR',
        gclid,
        ...changes,
      },
    },
  )

// "EventSource" of the Data Manager API (docs.cloud.google.com/php/docs/reference/data-manager/latest/V1.EventSource,
// version 0.5.0): WEB, APP, IN_STORE, PHONE, MESSAGE, OTHER.
describe('the event source of Google Ads', () => {
  it.each([
    ['message', 'MESSAGE'],
    [' Message ', 'MESSAGE'],
    ['in_store', 'IN_STORE'],
    ['phone', 'PHONE'],
    ['app', 'APP'],
    ['other', 'OTHER'],
    ['', 'WEB'],
    [undefined, 'WEB'],
  ])('%j is sent as %s', async (event_source, expected) => {
    const { sent, outcome } = await send(conversion({ event_source }))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent?.eventSource).toBe(expected)
  })

  it('of another kind is refused', async () => {
    const { outcome } = await send(conversion({ event_source: 'chat' }))
    expect(outcome).toEqual({ kind: 'rejected', reason: 'Google knows no event source "CHAT"' })
  })
})

// "Event" and "DeviceInfo" of the Data Manager API (developers.google.com/data-manager/api/reference/rest/v1/DeviceInfo):
// eventDeviceInfo with userAgent and ipAddress, and no IP addresses of the EEA, the United Kingdom and Switzerland.
describe('the device of a conversion', () => {
  const device = { ip_address: '192.0.2.71', user_agent: 'Mozilla/5.0 (X11)' }

  it.each<[Record<string, unknown>, object]>([
    [
      { ...device, country: 'us' },
      { ipAddress: '192.0.2.71', userAgent: 'Mozilla/5.0 (X11)' },
    ],
    [device, { userAgent: 'Mozilla/5.0 (X11)' }],
    [
      { ...device, country: 'BR' },
      { ipAddress: '192.0.2.71', userAgent: 'Mozilla/5.0 (X11)' },
    ],
    [
      { ...device, ip_address: '2001:db8::1', country: 'JP' },
      { ipAddress: '2001:db8::1', userAgent: 'Mozilla/5.0 (X11)' },
    ],
    [{ user_agent: device.user_agent }, { userAgent: 'Mozilla/5.0 (X11)' }],
  ])('of %j is sent as eventDeviceInfo', async (changes, expected) => {
    const { sent, outcome } = await send(conversion(changes))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent?.eventDeviceInfo).toEqual(expected)
  })

  it.each(['DE', 'no', ' GB', 'CH', 'UK', 'AX', 'RE', 'Germany', 'Deutschland', 'England', 'DE-BY'])(
    'is sent without the IP address of a person in %s, and the delivery says so',
    async (country) => {
      const { sent, outcome } = await send(conversion({ ...device, country }))
      expect(sent?.eventDeviceInfo).toEqual({ userAgent: 'Mozilla/5.0 (X11)' })
      expect(outcome).toEqual({ kind: 'delivered', note: expect.stringMatching(/^Sent without ip_address/) })
    },
  )

  it('is absent without values, and is only the user agent in an adjustment', async () => {
    expect((await send(conversion({ ip_address: 'unknown', user_agent: ' ' }))).sent).not.toHaveProperty(
      'eventDeviceInfo',
    )
    const { sent } = await send(conversion(device, 'adjust_conversion'))
    expect(sent?.eventDeviceInfo).toEqual({ userAgent: device.user_agent })
  })

  it('is no identifier of a person', async () => {
    const { outcome } = await send(conversion({ ...device, gclid: undefined }))
    expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('no click ID of Google') })
  })
})

it('Order Completed arrives with every mapped field, also from snake_case and the website tag', async () => {
  const event = receivedEvent('Order Completed', {
    properties: { order_id: 'o-1', revenue: 25, currency: 'USD' },
    context: {
      ip: '192.0.2.71',
      userAgent: 'Mozilla/5.0 (X11)',
      clickIds: { gclid },
      consent: { categoryPreferences: { advertising: true } },
      traits: {
        email: ' user.name+NYC@Example.com ',
        phone: '+1 (800)555-0100',
        first_name: 'Ada',
        last_name: ' O’Neil ',
        address: { postal_code: '94045', country: 'US' },
      },
    },
  })
  const { sent, outcome } = await send(byPresets(googleAds, event))
  expect(outcome).toEqual({ kind: 'delivered' })
  // The normalized texts are the examples of "Format user data"
  // (developers.google.com/data-manager/api/devguides/concepts/formatting).
  expect(sent).toMatchObject({
    transactionId: 'o-1',
    conversionValue: 25,
    currency: 'USD',
    eventSource: 'WEB',
    adIdentifiers: { gclid },
    eventDeviceInfo: { ipAddress: '192.0.2.71', userAgent: 'Mozilla/5.0 (X11)' },
    consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED' },
    userData: {
      userIdentifiers: [
        { emailAddress: sha256('user.name+nyc@example.com') },
        { phoneNumber: sha256('+18005550100') },
        {
          address: {
            givenName: sha256('ada'),
            familyName: sha256('oneil'),
            regionCode: 'US',
            postalCode: '94045',
          },
        },
      ],
    },
  })
  expect(mappingProblems(googleAds, presetMappings(googleAds))).toEqual({})
})
