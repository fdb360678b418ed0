import type { OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { googleAds } from './definition.ts'
import { conversionAction, createGoogleAds, type IngestedEvent, token } from './testing-google-ads.ts'

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

const conversion = (changes: Record<string, unknown>, action = 'upload_conversion'): OutgoingEvent =>
  outgoingEvent(
    { messageId: 'o-1' },
    {
      action,
      payload: {
        transaction_id: 'o-1',
        event_time: new Date(Date.now() - 60_000).toISOString(),
        gclid: 'Cj0KCQjwtest_0123456789-abcdef',
        ...changes,
      },
    },
  )

const gclid = { gclid: 'Cj0KCQjwtest_0123456789-abcdef' }

/*
 * Names, types, and enum values of the Data Manager API (github.com/googleapis/googleapis, commit f8291d2b,
 * google/ads/datamanager/v1): "DeviceInfo" of device_info.proto, "CartData" of cart_data.proto, "CustomVariable",
 * "AdIdentifiers" and "EventLocation" of event.proto, "UserProperties" of user_properties.proto.
 */
describe('the details of a conversion of Google Ads', () => {
  it.each<[string, Record<string, unknown>, Partial<IngestedEvent>]>([
    [
      'every value of the device',
      {
        user_agent: 'Mozilla/5.0',
        device_category: 'mobile',
        locale: 'de-DE',
        screen_width: '390',
        screen_height: '844',
        os_name: 'iOS',
        os_version: '17.4',
        device_model: 'iPhone14,5',
        device_brand: 'Apple',
        browser: 'Safari',
        browser_version: '17.4',
      },
      {
        eventDeviceInfo: {
          userAgent: 'Mozilla/5.0',
          category: 'mobile',
          languageCode: 'de',
          screenWidth: 390,
          screenHeight: 844,
          operatingSystem: 'iOS',
          operatingSystemVersion: '17.4',
          model: 'iPhone14,5',
          brand: 'Apple',
          browser: 'Safari',
          browserVersion: '17.4',
        },
      },
    ],
    [
      'the ad and the page of the click',
      {
        session_attributes: 'eyJnYWRfc291cmNlIjoiMSJ9',
        mobile_device_id: '6D92078A-8246-4BA4-AE5B-76104861E7DC',
        landing_user_agent: 'Mozilla/5.0',
        landing_ip_address: '192.0.2.71',
        country: 'US',
      },
      {
        adIdentifiers: {
          ...gclid,
          sessionAttributes: 'eyJnYWRfc291cmNlIjoiMSJ9',
          mobileDeviceId: '6D92078A-8246-4BA4-AE5B-76104861E7DC',
          landingPageDeviceInfo: { ipAddress: '192.0.2.71', userAgent: 'Mozilla/5.0' },
        },
      },
    ],
    [
      'the whole cart',
      {
        items: [{ product_id: 'p1', price: 10, quantity: 2 }],
        merchant_id: '1234567',
        merchant_feed_label: 'DE',
        merchant_feed_language: 'de',
        discount: '2.50',
        coupon: ['SPRING', 'VIP'],
      },
      {
        cartData: {
          merchantId: '1234567',
          merchantFeedLabel: 'DE',
          merchantFeedLanguageCode: 'de',
          transactionDiscount: 2.5,
          couponCodes: ['SPRING', 'VIP'],
          items: [{ merchantProductId: 'p1', quantity: 2, unitPrice: 10 }],
        },
      },
    ],
    ['one coupon', { coupon: 'SPRING' }, { cartData: { couponCodes: ['SPRING'] } }],
    [
      'custom variables',
      { custom_variables: { season: 'winter', tier: 3, gift: true } },
      {
        customVariables: [
          { variable: 'season', value: 'winter' },
          { variable: 'tier', value: '3' },
          { variable: 'gift', value: 'true' },
        ],
      },
    ],
    [
      'what the company knows of the customer',
      { customer_type: 'Returning', customer_value: 'high' },
      { userProperties: { customerType: 'RETURNING', customerValueBucket: 'HIGH' } },
    ],
    ['a store', { store_id: 'S-7' }, { eventLocation: { storeId: 'S-7' } }],
    ['a quantity', { conversion_count: '3' }, { conversionCount: 3 }],
  ])('%s arrives', async (_title, given, wanted) => {
    const { sent, outcome } = await send(conversion(given))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent).toMatchObject(wanted)
    for (const [name, value] of Object.entries(wanted)) expect(sent?.[name as keyof IngestedEvent]).toEqual(value)
  })

  it.each<[Record<string, unknown>, string]>([
    [{ custom_variables: { owner: 'ada@example.com' } }, 'custom variable owner: an email address'],
    [{ custom_variables: { list: [1] } }, 'custom variable list: neither a text nor a number'],
    [{ screen_width: 'wide' }, 'screen_width: not an integer'],
    [{ discount: '-3' }, 'discount: not a number that is not negative'],
    [{ conversion_count: 'many' }, 'conversion_count: not a number that is not negative'],
    [{ customer_type: 'vip' }, 'customer_type: none of new, returning, reengaged'],
    [{ customer_value: '9' }, 'customer_value: none of low, medium, high'],
    [{ session_attributes: 'a b' }, 'session_attributes: not an encoded text of up to 5,000 characters'],
    [
      { landing_ip_address: '192.0.2.7', country: 'DE' },
      'landing_ip_address: Google Ads does not take it from the country of the person',
    ],
  ])('of %j, the wrong part is left out and named', async (given, reason) => {
    const { sent, outcome } = await send(conversion(given))
    expect(outcome).toEqual({ kind: 'delivered', note: `Sent without ${reason}` })
    expect(sent?.transactionId).toBe('o-1')
  })

  it.each([{ mobile_device_id: '00000000-0000-0000-0000-000000000000' }, { locale: 'german' }, { merchant_id: '1' }])(
    'nothing is sent of %j',
    async (given) => {
      const { sent, outcome } = await send(conversion(given))
      expect(outcome).toEqual({ kind: 'delivered' })
      expect(sent?.adIdentifiers).toEqual(gclid)
      expect(sent).not.toHaveProperty('eventDeviceInfo')
      expect(sent).not.toHaveProperty('cartData')
    },
  )

  it('an adjustment has none of them but the user agent', async () => {
    const device = { user_agent: 'Mozilla/5.0', os_name: 'iOS' }
    const { sent } = await send(conversion({ value: 5, currency: 'EUR', coupon: 'X', ...device }, 'adjust_conversion'))
    expect(sent).not.toHaveProperty('cartData')
    expect(sent?.eventDeviceInfo).toEqual({ userAgent: 'Mozilla/5.0' })
  })

  it('every field of the preset arrives', async () => {
    const event = receivedEvent('Order Completed', {
      properties: {
        order_id: 'o-1',
        revenue: 25,
        currency: 'EUR',
        discount: 2,
        coupon: 'SPRING',
        session_attributes: 'eyJhIjoxfQ',
        products: [{ product_id: 'p1', price: 10, quantity: 2 }],
        ...gclid,
      },
      context: {
        ip: '192.0.2.71',
        userAgent: 'Mozilla/5.0',
        locale: 'en_US',
        screen: { width: 390, height: 844 },
        os: { name: 'iOS', version: '17.4' },
        device: { model: 'iPhone14,5', manufacturer: 'Apple', advertisingId: '6D92078A-8246-4BA4-AE5B-76104861E7DC' },
        // The hash of the number is copied from Google's UserDataFormatterTest.java.
        traits: {
          phone: '(800) 555-0100',
          firstName: 'Givenname',
          lastName: 'Familyname',
          address: { country: 'US', zip: '94045' },
        },
        consent: { categoryPreferences: { advertising: true } },
      },
    })
    const { sent, outcome } = await send(byPresets(googleAds, event))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent).toEqual({
      transactionId: 'o-1',
      eventTimestamp: new Date(event.timestamp).toISOString(),
      eventSource: 'WEB',
      conversionValue: 25,
      currency: 'EUR',
      cartData: {
        transactionDiscount: 2,
        couponCodes: ['SPRING'],
        items: [{ merchantProductId: 'p1', quantity: 2, unitPrice: 10 }],
      },
      adIdentifiers: {
        ...gclid,
        sessionAttributes: 'eyJhIjoxfQ',
        mobileDeviceId: '6D92078A-8246-4BA4-AE5B-76104861E7DC',
      },
      eventDeviceInfo: {
        ipAddress: '192.0.2.71',
        userAgent: 'Mozilla/5.0',
        languageCode: 'en',
        screenWidth: 390,
        screenHeight: 844,
        operatingSystem: 'iOS',
        operatingSystemVersion: '17.4',
        model: 'iPhone14,5',
        brand: 'Apple',
      },
      userData: {
        userIdentifiers: [
          { phoneNumber: 'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30' },
          {
            address: {
              givenName: '128a07bfe2df877c52076e60d7774cf5baaa046c5a6c48daf30ff43ecca2f814',
              familyName: '77762c287e61ce065bee5c15464012c6fbe088398b8057627d5577249430d574',
              regionCode: 'US',
              postalCode: '94045',
            },
          },
        ],
      },
      consent: { adUserData: 'CONSENT_GRANTED', adPersonalization: 'CONSENT_GRANTED' },
    })
  })
})
