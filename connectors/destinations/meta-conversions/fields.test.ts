import { createHash } from 'node:crypto'
import { ExactNumber, type OutgoingEvent } from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { metaConversions } from './definition.ts'
import { createMetaConversions, pixel, token } from './testing-meta-conversions.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const minuteAgo = new Date(Date.now() - 60_000).toISOString()

const base = {
  event_name: 'Purchase',
  event_id: 'o-1',
  event_time: minuteAgo,
  value: 25.5,
  currency: 'EUR',
  client_user_agent: 'Mozilla/5.0 (X11)',
  event_source_url: 'https://shop.example/thanks',
  em: sha256('ada@example.com'),
}
const conversion = (changes: Record<string, unknown> = {}): OutgoingEvent =>
  outgoingEvent({ messageId: 'o-1' }, { action: 'send_conversion', payload: { ...base, ...changes } })

type Sent = Record<'user_data' | 'custom_data' | 'app_data', Record<string, unknown>>

const send = async (event: OutgoingEvent) => {
  const { asked, outcomes } = await sendTo(
    {
      definition: metaConversions,
      origin: 'https://graph.facebook.com',
      settings: { pixel_id: pixel, access_token: token },
      answer: createMetaConversions().answer,
    },
    [event],
  )
  const [sent] = asked.flatMap(({ body }) => (body as { data: Sent[] }).data)
  return { sent, outcome: outcomes[0], text: asked[0]?.raw.body.toString() }
}

// "Standard Parameters" (developers.facebook.com/docs/marketing-api/conversions-api/parameters/custom-data).
describe('the standard parameters of Meta', () => {
  const contents = [
    { product_id: 'p1', quantity: 2, price: 10 },
    { product_id: 'p2', quantity: 1, price: 5 },
  ]
  it('a purchase has its content, its number of items, and its net revenue', async () => {
    const { sent } = await send(
      conversion({
        contents,
        content_name: 'Order',
        content_category: 'Shoes',
        num_items: '4',
        net_revenue: '12.50',
        predicted_ltv: 100,
        delivery_category: 'home_delivery',
        status: 'registered',
      }),
    )
    expect(sent?.custom_data).toMatchObject({
      content_name: 'Order',
      content_category: 'Shoes',
      num_items: 4,
      net_revenue: 12.5,
      predicted_ltv: 100,
      delivery_category: 'home_delivery',
      status: 'registered',
    })
  })

  it.each([
    ['Purchase', contents, 3],
    ['InitiateCheckout', contents, 3],
    ['Purchase', [{ product_id: 'p1' }, { product_id: 'p2' }], 2],
    ['Purchase', [{ product_id: 'p1', quantity: 1.5 }], undefined],
    ['AddToCart', contents, undefined],
  ])('the number of items of %s is the sum of quantities', async (event_name, list, count) => {
    const { sent } = await send(conversion({ event_name, contents: list }))
    expect(sent?.custom_data['num_items']).toBe(count)
  })

  it.each([
    ['num_items', 'three', 'num_items: not an integer'],
    ['num_items', -1, 'num_items: not an integer'],
    ['net_revenue', '12,50', 'net_revenue: not a number'],
    ['predicted_ltv', 'a lot', 'predicted_ltv: not a number'],
    ['delivery_category', 'pigeon', 'delivery_category: none of in_store, curbside, home_delivery'],
  ])('a wrong %s is left out and noted, and the event is sent', async (name, value, note) => {
    const { sent, outcome } = await send(conversion({ [name]: value }))
    expect(outcome).toEqual({ kind: 'delivered', note: `Sent without ${note}` })
    expect(sent?.custom_data).toEqual({ value: 25.5, currency: 'EUR' })
  })
})

// "Payload Specification" of conversion leads (developers.facebook.com/documentation/ads-commerce/conversions-api/
// conversion-leads-integration/payload-specification).
it('a stage of a lead in a CRM has its lead ID and the source of the lead', async () => {
  const lead = { lead_id: '123456789012345', event_source: 'crm', lead_event_source: 'HubSpot' }
  const { sent, outcome } = await send(
    conversion({
      event_name: 'Marketing Qualified Lead',
      action_source: 'system_generated',
      event_source_url: undefined,
      client_user_agent: undefined,
      em: undefined,
      value: undefined,
      currency: undefined,
      ...lead,
    }),
  )
  expect(outcome).toEqual({ kind: 'delivered' })
  expect(sent).toMatchObject({
    action_source: 'system_generated',
    user_data: { lead_id: 123_456_789_012_345 },
    custom_data: { event_source: 'crm', lead_event_source: 'HubSpot' },
  })
})

// Segment merges `custom_data` below the standard parameters (action-destinations, getCustomEventData).
describe('data of your own', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a further field', { plan: 'pro' }, { plan: 'pro' }],
    ['an object', { custom_data: { plan: 'pro', seats: 5, trial: false } }, { plan: 'pro', seats: 5, trial: false }],
    ['both', { custom_data: { plan: 'pro' }, tier: 2 }, { plan: 'pro', tier: 2 }],
    [
      'a nested object',
      { custom_data: { team: { size: 3, tags: ['a', 'b'] } } },
      { team: { size: 3, tags: ['a', 'b'] } },
    ],
    ['a field in Arabic', { custom_data: { الخطة: 'محترف' } }, { الخطة: 'محترف' }],
    ['a number outside the range of a double', { custom_data: { n: new ExactNumber('1e400') } }, { n: '1e400' }],
    ['a member with the name problem', { custom_data: { problem: 'none' } }, { problem: 'none' }],
  ])('%s becomes custom data', async (_, given, custom) => {
    const { sent, outcome } = await send(conversion({ event_name: 'Plan Chosen', ...given }))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent?.custom_data).toEqual({ ...custom, value: 25.5, currency: 'EUR' })
  })

  it('the object does not replace value, currency, and other fields that have their own rules', async () => {
    const { sent } = await send(
      conversion({ custom_data: { value: '1,5', currency: 'none', order_id: 'x', plan: 'pro' } }),
    )
    expect(sent?.custom_data).toEqual({ plan: 'pro', value: 25.5, currency: 'EUR' })
  })

  it.each(['zipcode', 'zip_code', 'mobile', 'dob', 'mail', 'street', 'fullName'])(
    'a member with the name %s counts as personal data',
    async (name) => {
      const { sent } = await send(conversion({ custom_data: { [name]: 'secret', plan: 'pro' } }))
      expect(sent?.custom_data).toEqual({ plan: 'pro', value: 25.5, currency: 'EUR' })
    },
  )

  it('personal data is left out at every level, and noted without its value', async () => {
    const custom_data = { plan: 'pro', email: 'ada@example.com', buyer: { first_name: 'Ada', level: 2 } }
    const { sent, outcome, text } = await send(conversion({ custom_data, Phone: '+49 30 1234567' }))
    expect(sent?.custom_data).toMatchObject({ plan: 'pro', buyer: { level: 2 } })
    expect(text).not.toMatch(/ada@example|Ada|1234567"/)
    const reason = 'personal data, which Meta takes only in fields of its own'
    expect(outcome).toEqual({
      kind: 'delivered',
      note: `Sent without custom_data.email: ${reason}; custom_data.buyer.first_name: ${reason}; custom_data.Phone: ${reason}`,
    })
  })

  it('deep and reserved members are left out', async () => {
    const deep = JSON.parse(
      '{"a":{"b":{"c":{"d":{"e":{"f":1}}}}},"__proto__":{"x":1},"constructor":"y","ok":1}',
    ) as object
    const { sent, outcome } = await send(conversion({ custom_data: deep }))
    expect(sent?.custom_data).toEqual({ a: { b: { c: { d: { e: {} } } } }, ok: 1, value: 25.5, currency: 'EUR' })
    expect(outcome).toEqual({ kind: 'delivered', note: 'Sent without custom_data.a.b.c.d.e.f: too many levels' })
  })
})

// "Customer Information Parameters": lead_id and fb_login_id are integers, and none of these is hashed.
describe('the IDs of a person', () => {
  it.each<[unknown, string]>([
    [123_456, '123456'],
    ['123456', '123456'],
    [' 00123 ', '123'],
    ['12345678901234567890', '12345678901234567890'],
    [new ExactNumber('12345678901234567'), '12345678901234567'],
    [new ExactNumber('123456.0'), '123456'],
    ['123456.00', '123456'],
  ])('the lead ID %s is sent as the integer %s', async (lead_id, integer) => {
    const { text, outcome } = await send(conversion({ lead_id, fb_login_id: lead_id }))
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(text).toContain(`"lead_id":${integer},`)
    expect(text).toContain(`"fb_login_id":${integer}`)
  })

  it.each(['lead-12', '12.5', '-3', '1e5', '1'.repeat(21)])(
    'the lead ID %s is left out, and is no identifier',
    async (lead_id) => {
      const { sent, outcome } = await send(conversion({ lead_id }))
      expect(sent?.user_data).not.toHaveProperty('lead_id')
      expect(outcome).toEqual({ kind: 'delivered', note: 'Sent without lead_id: not an integer' })
      const alone = await send(conversion({ lead_id, em: undefined }))
      expect(alone.outcome).toMatchObject({
        kind: 'rejected',
        reason: expect.stringContaining('match a person by: lead_id: not an integer'),
      })
    },
  )

  it('mobile, subscription, and messaging IDs are sent as they are', async () => {
    const ids = {
      madid: '38400000-8cf0-11bd-b23e-10b96e40000d',
      anon_id: 'XZ-1',
      subscription_id: 'sub-1',
      ctwa_clid: 'ARAkLkA8',
      page_id: '1906385232743451',
      page_scoped_user_id: '7563',
      ig_account_id: '178414',
      ig_sid: '5489',
      partner_id: 'p-1',
      partner_name: 'liveramp',
    }
    const { sent } = await send(conversion(ids))
    expect(sent?.user_data).toMatchObject(ids)
  })

  it.each(['madid', 'anon_id', 'fb_login_id', 'ctwa_clid', 'page_scoped_user_id', 'ig_sid'])(
    'an event with only %s is sent',
    async (name) => {
      const { outcome } = await send(conversion({ em: undefined, [name]: '4711' }))
      expect(outcome).toEqual({ kind: 'delivered' })
    },
  )
})

// "App Data Parameters" (developers.facebook.com/documentation/ads-commerce/conversions-api/parameters/app-data); the
// values are the examples of the page.
describe('an event of an app', () => {
  const app = {
    action_source: 'app',
    event_source_url: undefined,
    client_user_agent: undefined,
    advertiser_tracking_enabled: true,
    os_name: 'iOS',
    os_version: '13.4.1',
  }
  const values = {
    application_tracking_enabled: false,
    app_package: 'com.facebook.sdk.samples.hellofacebook',
    app_version: '1.0',
    app_build: '1.0 long',
    device_model: 'iPhone5,1',
    locale: 'En_US',
    timezone_abbreviation: 'PDT',
    carrier: 'AT&T',
    screen_width: '320',
    screen_height: '568',
    screen_density: '2',
    cpu_cores: '2',
    storage_size: '13',
    free_storage: '8',
    device_timezone: 'USA/New York',
  }
  it('has app_data with the 16 values of extinfo in their order', async () => {
    const { sent } = await send(conversion({ ...app, ...values }))
    expect(sent?.app_data).toEqual({
      advertiser_tracking_enabled: 1,
      application_tracking_enabled: 0,
      extinfo: [
        'i2',
        'com.facebook.sdk.samples.hellofacebook',
        '1.0',
        '1.0 long',
        '13.4.1',
        'iPhone5,1',
        'En_US',
        'PDT',
        'AT&T',
        '320',
        '568',
        '2',
        '2',
        '13',
        '8',
        'USA/New York',
      ],
    })
  })

  it('of Android has the version a2, and empty texts for unknown values', async () => {
    const { sent } = await send(conversion({ ...app, os_name: 'android', advertiser_tracking_enabled: false }))
    expect(sent?.app_data).toEqual({
      advertiser_tracking_enabled: 0,
      extinfo: ['a2', '', '', '', '13.4.1', ...Array.from({ length: 11 }, () => '')],
    })
  })

  it.each([
    [{ advertiser_tracking_enabled: undefined }, 'Map advertiser_tracking_enabled'],
    [{ os_name: undefined }, 'Map os_name'],
    [{ os_name: 'Windows' }, 'not of "Windows"'],
    [{ os_version: ' ' }, 'Map os_version'],
  ])('that Meta would refuse is refused in words: %j', async (changes, reason) => {
    const { outcome } = await send(conversion({ ...app, ...changes }))
    expect(outcome).toMatchObject({ kind: 'rejected', reason: expect.stringContaining(reason) })
  })

  it('has the data of a mobile library by the presets', async () => {
    const outgoing = byPresets(
      metaConversions,
      receivedEvent('Signed Up', {
        context: {
          app: { namespace: 'com.example.shop', version: '1.2', build: '1.2.3' },
          device: { adTrackingEnabled: true, advertisingId: 'A1', model: 'iPhone5,1' },
          os: { name: 'iOS', version: '13.4.1' },
          screen: { width: 320, height: 568, density: 2 },
          network: { carrier: 'AT&T' },
          locale: 'en-US',
          timezone: 'America/New_York',
        },
      }),
    )
    const { sent } = await send({ ...outgoing, payload: { ...outgoing.payload, action_source: 'app' } })
    expect(sent?.user_data).toMatchObject({ madid: 'A1' })
    expect(sent?.app_data['extinfo']).toEqual(
      'i2|com.example.shop|1.2|1.2.3|13.4.1|iPhone5,1|en-US||AT&T|320|568|2||||America/New_York'.split('|'),
    )
  })

  it('of another source has no app_data', async () => {
    const { sent } = await send(conversion(values))
    expect(sent).not.toHaveProperty('app_data')
  })
})

// "Custom Data Parameters" of the Conversions API (content_ids, content_type), and "Data Processing Options": the
// country 1 is the United States, and the state 1000 is California.
describe('the contents and the limits of use that a mapping names', () => {
  it('content IDs and their type replace those of the products', async () => {
    const { sent, outcome } = await send(
      conversion({
        contents: [{ product_id: 'p1', price: 5 }],
        content_ids: ['g1', 7, null],
        content_type: 'product_group',
      }),
    )
    expect(outcome).toEqual({ kind: 'delivered' })
    expect(sent?.custom_data).toMatchObject({
      content_ids: ['g1', '7'],
      content_type: 'product_group',
      contents: [{ id: 'p1', item_price: 5 }],
    })
  })

  it('another type is left out and noted', async () => {
    const { outcome } = await send(conversion({ content_type: 'article' }))
    expect(outcome).toEqual({ kind: 'delivered', note: 'Sent without content_type: none of product, product_group' })
  })

  it.each<[Record<string, unknown>, object]>([
    [{ limited_data_use: true }, { country: 0, state: 0 }],
    [
      { limited_data_use: true, data_processing_country: '1', data_processing_state: 1000 },
      { country: 1, state: 1000 },
    ],
    [
      { limited_data_use: true, data_processing_state: 1000 },
      { country: 0, state: 0 },
    ],
  ])(
    'of %j, Limited Data Use is sent with its place',
    async (given, { country, state }: { country?: number; state?: number }) => {
      const { sent } = await send(conversion(given))
      expect(sent).toMatchObject({
        data_processing_options: ['LDU'],
        data_processing_options_country: country,
        data_processing_options_state: state,
      })
    },
  )

  it.each([false, undefined])('without Limited Data Use (%j), no options are sent', async (limited_data_use) => {
    const { sent } = await send(conversion({ limited_data_use }))
    expect(sent).not.toHaveProperty('data_processing_options')
  })
})
