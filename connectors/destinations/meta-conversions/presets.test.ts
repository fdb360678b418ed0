import { createHash } from 'node:crypto'
import { mappingProblems, presetMappings } from '@tributary/connector-kit'
import type { PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { byPresets, receivedEvent, sendTo } from '../../wire/conversions/testing-presets.ts'
import { metaConversions } from './definition.ts'
import { createMetaConversions, pixel, token } from './testing-meta-conversions.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

type Sent = { event_name: string; user_data: Record<string, unknown>; custom_data?: Record<string, unknown> }

/** Returns the events that Meta receives, and the outcomes. */
const send = async (...events: PipelineEvent[]) => {
  const { asked, outcomes } = await sendTo(
    {
      definition: metaConversions,
      origin: 'https://graph.facebook.com',
      settings: { pixel_id: pixel, access_token: token },
      answer: createMetaConversions().answer,
    },
    events.map((event) => byPresets(metaConversions, event)),
  )
  const sent = asked.flatMap(({ body }) => (body as { data: Sent[] }).data)
  return { sent, outcomes }
}

const userAgent = 'Mozilla/5.0 (X11)'
const page = { url: 'https://shop.example/thanks', referrer: 'https://shop.example/', title: 'Thanks' }
const web = { ip: '192.0.2.71', userAgent, locale: 'de-DE', page }

const traits = {
  email: 'John_Smith@gmail.com',
  phone: '+1 (650)555-1212',
  firstName: 'Mary',
  lastName: 'Valéry',
  gender: 'Female',
  birthday: '1997-02-16',
  address: { city: 'New York', state: 'CA', postalCode: '94035-1234', country: 'US' },
}

/**
 * The hashes of these traits. Those of email, phone and names are copied from "Customer Information Parameters"
 * (developers.facebook.com/docs/marketing-api/conversions-api/parameters/customer-information-parameters). For the
 * others, the page has the normalized text.
 */
const person = {
  em: ['62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f'],
  ph: ['e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176'],
  fn: ['6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec'],
  ln: ['08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c'],
  ge: [sha256('f')],
  db: [sha256('19970216')],
  ct: [sha256('newyork')],
  st: [sha256('ca')],
  zp: [sha256('94035')],
  country: [sha256('us')],
  external_id: [sha256('u1')],
}

/** The examples of "fbp and fbc Parameters" (developers.facebook.com/docs/marketing-api/conversions-api). */
const fbc = 'fb.1.1554763741205.AbCdEfGhIjKlMnOpQrStUvWxYz1234567890'
const fbp = 'fb.1.1558571054389.1098115397'

const properties = {
  order_id: 'o-1',
  revenue: 25,
  currency: 'EUR',
  query: 'red shoes',
  content_name: 'Spring sale',
  content_category: 'Shoes',
  predicted_ltv: 120.5,
  subscription_id: 'sub-1',
  ctwa_clid: 'ARAkLkA8',
  net_revenue: 12.5,
  delivery_category: 'home_delivery',
  fb_login_id: 4711,
  partner_id: 'p-1',
  partner_name: 'liveramp',
  products: [
    { product_id: 'p1', name: 'Shoe', price: 10, quantity: 2 },
    { product_id: 'p2', name: 'Sock', price: 5, quantity: 1 },
  ],
}
const context = {
  ...web,
  traits,
  browserIds: { fbc, fbp },
  lead_id: 123_456,
  device: { advertisingId: 'A1B2' },
  app: { anonId: 'install-1' },
}

const user = {
  ...person,
  fbc,
  fbp,
  lead_id: 123_456,
  subscription_id: 'sub-1',
  ctwa_clid: 'ARAkLkA8',
  madid: 'A1B2',
  anon_id: 'install-1',
  fb_login_id: 4711,
  partner_id: 'p-1',
  partner_name: 'liveramp',
  client_ip_address: '192.0.2.71',
  client_user_agent: userAgent,
}

/** "Standard Events" of the pixel (developers.facebook.com/docs/meta-pixel/reference). */
const names: readonly [event: string, name: string][] = [
  ['Order Completed', 'Purchase'],
  ['Product Added', 'AddToCart'],
  ['Checkout Started', 'InitiateCheckout'],
  ['Payment Info Entered', 'AddPaymentInfo'],
  ['Product Viewed', 'ViewContent'],
  ['Products Searched', 'Search'],
  ['Product Added to Wishlist', 'AddToWishlist'],
  ['Signed Up', 'CompleteRegistration'],
  ['Lead Created', 'Lead'],
  ['Subscription Created', 'Subscribe'],
  ['Trial Started', 'StartTrial'],
  ['Contact Form Submitted', 'Contact'],
  ['Callback Started', 'Contact'],
  ['Appointment Scheduled', 'Schedule'],
  ['Donation Made', 'Donate'],
  ['Lead Generated', 'Lead'],
  ['Product List Viewed', 'ViewContent'],
  ['Store Location Searched', 'FindLocation'],
  ['Product Customized', 'CustomizeProduct'],
  ['Application Submitted', 'SubmitApplication'],
]

describe('the presets of Meta', () => {
  it.each(names)('%s arrives as %s with every mapped field', async (event, name) => {
    const { sent, outcomes } = await send(receivedEvent(event, { properties, context }))
    expect(outcomes).toEqual([{ kind: 'delivered' }])
    expect(sent).toMatchObject([
      {
        event_name: name,
        event_id: 'm-1',
        action_source: 'website',
        event_source_url: page.url,
        custom_data: {
          value: 25,
          currency: 'EUR',
          order_id: 'o-1',
          search_string: 'red shoes',
          content_name: 'Spring sale',
          content_category: 'Shoes',
          predicted_ltv: 120.5,
          net_revenue: 12.5,
          delivery_category: 'home_delivery',
          contents: [{ id: 'p1' }, { id: 'p2' }],
        },
      },
    ])
    expect(sent[0]?.user_data).toEqual(user)
  })

  it('a page call arrives as PageView, without data of an order', async () => {
    const { sent } = await send(
      receivedEvent('Home', { type: 'page', properties: { value: 5, name: 'Home' }, context }),
    )
    expect(sent).toMatchObject([{ event_name: 'PageView', event_source_url: page.url }])
    expect(sent[0]).not.toHaveProperty('custom_data')
    const ofProperties = ['subscription_id', 'ctwa_clid', 'fb_login_id', 'partner_id', 'partner_name']
    const rest = Object.entries(user).filter(([name]) => !ofProperties.includes(name))
    expect(sent[0]?.user_data).toEqual(Object.fromEntries(rest))
  })

  it('an event of one product has its name as content_name, but a sign-up does not send the name of a person', async () => {
    const named = { name: 'Shoe', category: 'Shoes' }
    const { sent } = await send(
      receivedEvent('Product Viewed', { properties: named, context }),
      receivedEvent('Signed Up', { properties: { name: 'Ada Lovelace' }, context }),
    )
    expect(sent[0]?.custom_data).toMatchObject({ content_name: 'Shoe', content_category: 'Shoes' })
    expect(JSON.stringify(sent[1])).not.toContain('Lovelace')
  })

  it('there is a case for each preset, and the presets can be saved', () => {
    const mappings = presetMappings(metaConversions)
    expect(mappings.map(({ event_name }) => event_name).toSorted()).toEqual(
      ['', ...names.map(([event]) => event)].toSorted(),
    )
    expect(mappingProblems(metaConversions, mappings)).toEqual({})
  })
})

describe('the person of an event is found', () => {
  const snake = {
    email: traits.email,
    phone_number: traits.phone,
    first_name: 'Mary',
    last_name: 'Valéry',
    address: { city: 'New York', state: 'CA', postal_code: '94035', country: 'US' },
  }
  const { ge: _, db: __, ...withoutAge } = person
  it.each<[string, Partial<PipelineEvent>]>([
    ['in context.traits in camelCase', { context: { ...web, traits } }],
    ['in context.traits in snake_case', { context: { ...web, traits: snake } }],
    ['in properties in camelCase', { properties: traits, context: web }],
    ['in properties in snake_case', { properties: snake, context: web }],
    ['in traits in camelCase', { traits, context: web }],
    ['in traits in snake_case', { traits: snake, context: web }],
    // As RudderStack's FBPIXELUserDataConfig.json reads them.
    [
      'under the names that RudderStack reads',
      {
        context: {
          ...web,
          traits: {
            email: traits.email,
            phone: traits.phone,
            firstname: 'Mary',
            lastname: 'Valéry',
            address: { city: 'New York', state: 'CA', zip: '94035', country: 'US' },
          },
        },
      },
    ],
    [
      'in traits without an address object',
      {
        traits: { ...snake, address: undefined, city: 'New York', state: 'CA', zip: '94035', country: 'US' },
        context: web,
      },
    ],
    [
      'in several objects',
      {
        traits: { first_name: 'Mary', lastName: 'Valéry' },
        properties: { email: traits.email, address: snake.address },
        context: { ...web, traits: { phone: traits.phone } },
      },
    ],
  ])('%s', async (_case, changes) => {
    const { sent } = await send(receivedEvent('Signed Up', changes))
    expect(sent[0]?.user_data).toMatchObject(withoutAge)
  })

  it('in context.traits first, and an empty value there does not hide another', async () => {
    const { sent } = await send(
      receivedEvent('Signed Up', {
        properties: { firstName: 'Other', email: traits.email },
        context: { ...web, traits: { firstName: 'Mary', email: '' } },
      }),
    )
    expect(sent[0]?.user_data).toMatchObject({ em: person.em, fn: person.fn })
  })

  it('but not in a property that belongs to something else, such as the city of a hotel', async () => {
    const hotel = { city: 'Paris', state: 'x', country: 'FR', gender: 'male' }
    const { sent } = await send(receivedEvent('Signed Up', { properties: hotel, context: { ...web, traits: {} } }))
    for (const name of ['ct', 'st', 'country', 'ge']) expect(sent[0]?.user_data).not.toHaveProperty(name)
  })
})

describe('click and browser IDs', () => {
  const fbclid = 'IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDMgk'
  const order = (changes: Partial<PipelineEvent>) => receivedEvent('Signed Up', changes)
  const made = (event: PipelineEvent) => `fb.1.${Date.parse(event.timestamp)}.${fbclid}`

  it.each<[string, Partial<PipelineEvent>]>([
    ['of the website tag', { context: { ...web, browserIds: { fbp, fbc } } }],
    ['in properties', { properties: { fbp, fbc }, context: web }],
    ['in the context of RudderStack', { context: { ...web, fbp, fbc } }],
    ['under the names of the cookies', { properties: { _fbp: fbp, _fbc: fbc }, context: web }],
  ])('%s are sent', async (_, changes) => {
    const { sent } = await send(order(changes))
    expect(sent[0]?.user_data).toMatchObject({ fbp, fbc })
  })

  it.each<[string, Partial<PipelineEvent>]>([
    ['of the website tag', { context: { ...web, clickIds: { fbclid } } }],
    ['in properties', { properties: { fbclid }, context: web }],
    ['in the URL of the page', { context: { ...web, page: { url: `https://shop.example/?fbclid=${fbclid}` } } }],
    [
      'in the URL, if the mapped ID is of another platform',
      {
        properties: { fbc: 'E.C.P.abc' },
        context: { ...web, page: { url: `https://shop.example/?fbclid=${fbclid}` } },
      },
    ],
  ])('a fbclid %s becomes the click ID', async (_, changes) => {
    const event = order(changes)
    const { sent } = await send(event)
    expect(sent[0]?.user_data).toMatchObject({ fbc: made(event) })
  })

  it('of another platform are left out', async () => {
    const { sent, outcomes } = await send(order({ properties: { fbc: 'E.C.P.abc', fbp: 'none' }, context: web }))
    expect(sent[0]?.user_data).not.toHaveProperty('fbc')
    expect(sent[0]?.user_data).not.toHaveProperty('fbp')
    expect(outcomes).toEqual([{ kind: 'delivered' }])
  })
})
