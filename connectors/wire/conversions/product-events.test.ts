import {
  compileMappings,
  type DestinationDefinition,
  type EventOutcome,
  isPlatform,
  signalMappings,
} from '@tributary/connector-kit'
import { outgoingEvent, type PeerAnswer, runConnector } from '@tributary/connector-kit/testing'
import { startVendor, type VendorRequest } from '@tributary/connector-kit/testing-destination'
import type { EventMapping, PipelineEvent } from '@tributary/contract'
import { describe, expect, it } from 'vitest'
import { googleAds } from '../../destinations/google-ads/definition.ts'
import {
  token as adsToken,
  conversionAction,
  createGoogleAds,
} from '../../destinations/google-ads/testing-google-ads.ts'
import { googleAnalytics } from '../../destinations/google-analytics/definition.ts'
import { createAnalytics, measurement, secret } from '../../destinations/google-analytics/testing-google-analytics.ts'
import { metaConversions } from '../../destinations/meta-conversions/definition.ts'
import {
  createMetaConversions,
  token as metaToken,
  pixel,
} from '../../destinations/meta-conversions/testing-meta-conversions.ts'
import { tiktokEvents } from '../../destinations/tiktok-events/definition.ts'
import {
  createTikTok,
  pixel as tiktokPixel,
  token as tiktokToken,
} from '../../destinations/tiktok-events/testing-tiktok.ts'

const minuteAgo = new Date(Date.now() - 60_000).toISOString()
const place = { workspaceId: 'w', destinationId: 'd' }

type Platform = {
  definition: DestinationDefinition
  origin: string
  settings: object
  peer: () => { answer: (request: VendorRequest) => PeerAnswer }
  accessToken?: () => Promise<string>
  /** Returns the part of a request that is about products. */
  productsIn: (body: unknown) => unknown
}

const meta: Platform = {
  definition: metaConversions,
  origin: 'https://graph.facebook.com',
  settings: { pixel_id: pixel, access_token: metaToken },
  peer: createMetaConversions,
  productsIn: (body) => (body as { data: { custom_data?: unknown }[] }).data[0]?.custom_data,
}
const tiktok: Platform = {
  definition: tiktokEvents,
  origin: 'https://business-api.tiktok.com',
  settings: { pixel_code: tiktokPixel, access_token: tiktokToken },
  peer: createTikTok,
  productsIn: (body) => (body as { data: { properties?: unknown }[] }).data[0]?.properties,
}
const analytics: Platform = {
  definition: googleAnalytics,
  origin: 'https://www.google-analytics.com',
  settings: { measurement_id: measurement, api_secret: secret },
  peer: createAnalytics,
  productsIn: (body) => {
    const { value, currency, items } =
      (body as { events: { params: Record<string, unknown> }[] }).events[0]?.params ?? {}
    return { ...(value === undefined ? {} : { value }), ...(currency === undefined ? {} : { currency }), items }
  },
}
const ads: Platform = {
  definition: googleAds,
  origin: 'https://datamanager.googleapis.com',
  settings: { customer_id: '123-456-7890', conversion_action_id: conversionAction, client_id: 'c', client_secret: 's' },
  peer: () => createGoogleAds(),
  accessToken: async () => adsToken,
  productsIn: (body) => {
    const [{ conversionValue, currency, cartData } = {}] = (body as { events: Record<string, unknown>[] }).events
    return { conversionValue, currency, cartData }
  },
}

const eventOf = (name: string, properties: object, signal?: object): PipelineEvent => ({
  eventId: 'e-1',
  messageId: 'm-1',
  type: 'track',
  event: name,
  userId: 'user-1',
  properties: { ...properties },
  context: {
    ip: '192.0.2.71',
    userAgent: 'Mozilla/5.0 (X11)',
    page: { url: 'https://shop.example/a' },
    traits: { email: 'ada@example.com' },
    ...(signal === undefined
      ? {}
      : { signal: { kind: 'conversion', event_id: 'm-1', time: minuteAgo, action_source: 'website', ...signal } }),
  },
  test: false,
  receivedAt: minuteAgo,
  timestamp: minuteAgo,
})

const send = async (to: Platform, event: PipelineEvent, mappings?: readonly EventMapping[]) => {
  const mapped = compileMappings(to.definition, mappings, place)(event, 's')
  if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
  const { asked, rebase } = await startVendor({ origins: [to.origin] }, to.peer().answer)
  const outgoing = outgoingEvent(
    { messageId: event.messageId, event: event.event },
    { action: mapped.action, payload: mapped.payload ?? {} },
  )
  const { accessToken } = to
  const result = await runConnector(to.definition, { ...to.settings }, [outgoing], {
    rebase,
    ...(accessToken === undefined ? {} : { accessToken }),
  })
  const [outcome] = result.outcomes as readonly EventOutcome[]
  return { outcome, products: outcome?.kind === 'delivered' ? to.productsIn(asked[0]?.body) : undefined }
}

/** Returns the mappings of a signal to a platform with its default fields. */
const signalTo = ({ definition }: Platform, eventName: string): EventMapping[] => {
  if (!isPlatform(definition)) throw new Error(`${definition.slug} is no platform`)
  return signalMappings(definition, { eventName, testCode: '', fields: undefined })
}

const shoe = { product_id: 'p1', name: 'Shoe', brand: 'B', category: 'Shoes', price: 10, quantity: 3, currency: 'EUR' }

/**
 * Meta: "Advantage+ catalog ads", content_ids or contents with content_type product. TikTok: "About parameters", price
 * is of one item and value of all; content_ids are required for Video Shopping Ads. Google Analytics: "Recommended
 * events", item parameters. Google Ads: "Item" of the Data Manager API, merchant_product_id, quantity, and unit_price.
 */
const expected = {
  meta: {
    value: 30,
    currency: 'EUR',
    content_type: 'product',
    content_ids: ['p1'],
    contents: [{ id: 'p1', quantity: 3, item_price: 10 }],
  },
  tiktok: {
    value: 30,
    currency: 'EUR',
    content_type: 'product',
    content_ids: ['p1'],
    contents: [
      {
        content_type: 'product',
        content_id: 'p1',
        content_name: 'Shoe',
        content_category: 'Shoes',
        brand: 'B',
        quantity: 3,
        price: 10,
      },
    ],
  },
  analytics: {
    value: 30,
    currency: 'EUR',
    items: [{ item_id: 'p1', item_name: 'Shoe', item_brand: 'B', item_category: 'Shoes', price: 10, quantity: 3 }],
  },
  ads: {
    conversionValue: 30,
    currency: 'EUR',
    cartData: { items: [{ merchantProductId: 'p1', quantity: 3, unitPrice: 10 }] },
  },
}

/** The names of a product in Meta's standard parameters, in an event that is about it. */
const named = { content_name: 'Shoe', content_category: 'Shoes' }

const productEvents = ['Product Added', 'Product Viewed', 'Product Added to Wishlist']

describe('an event with its product at the root', () => {
  for (const event of productEvents)
    it.each([
      ['Meta', meta, { ...expected.meta, ...named }],
      ['TikTok', tiktok, expected.tiktok],
      ['Google Analytics', analytics, expected.analytics],
    ] as const)(`${event} is sent to %s with the product, and its price times the quantity`, async (_, to, wanted) => {
      expect(await send(to, eventOf(event, shoe))).toEqual({ outcome: { kind: 'delivered' }, products: wanted })
    })

  it.each([
    ['Meta', meta, 'AddToCart', { ...expected.meta, content_category: 'Shoes' }],
    ['TikTok', tiktok, 'AddToCart', expected.tiktok],
    ['Google Analytics', analytics, 'add_to_cart', expected.analytics],
    ['Google Ads', ads, '', expected.ads],
  ] as const)(
    'a signal sends the product to %s, with the value that the signal decided',
    async (_, to, name, wanted) => {
      const signal = { value: 30, currency: 'EUR', product: shoe }
      expect(await send(to, eventOf('Product Added', shoe, signal), signalTo(to, name))).toEqual({
        outcome: { kind: 'delivered' },
        products: wanted,
      })
    },
  )

  it.each([
    ['Meta', meta, 'AddToCart'],
    ['TikTok', tiktok, 'AddToCart'],
    ['Google Analytics', analytics, 'add_to_cart'],
  ] as const)('a signal without a value sends none to %s', async (_, to, name) => {
    const { products } = await send(to, eventOf('Product Added', shoe, { product: shoe }), signalTo(to, name))
    expect(products).not.toHaveProperty('value')
  })

  it.each([
    ['Meta', meta],
    ['TikTok', tiktok],
    ['Google Analytics', analytics],
  ] as const)('an event of a person named Ada has no product at %s', async (_, to) => {
    const { products } = await send(to, eventOf('Lead Created', { name: 'Ada', id: 'x', price: 5, currency: 'EUR' }))
    expect(JSON.stringify(products)).toBe('{"value":5,"currency":"EUR"}')
  })
})

describe('an event of one product, or of a page', () => {
  it.each([
    ['Product Customized', 'Meta', meta],
    ['Product Customized', 'TikTok', tiktok],
    ['Product Clicked', 'TikTok', tiktok],
  ] as const)('%s is sent to %s with its product, and its price times the quantity', async (event, _, to) => {
    const { products } = await send(to, eventOf(event, shoe))
    expect(products).toMatchObject({ value: 30, currency: 'EUR', content_ids: ['p1'] })
  })

  it.each([
    ['Meta', meta],
    ['TikTok', tiktok],
  ] as const)('a page with a price is sent to %s without a value', async (_, to) => {
    for (const price of [9.5, '9,99']) {
      const { outcome, products } = await send(to, { ...eventOf('Shoes', { price, product_id: 'p1' }), type: 'page' })
      expect(outcome).toEqual({ kind: 'delivered' })
      expect(JSON.stringify(products ?? {})).not.toMatch(/value|content_ids/)
    }
  })
})

describe('an order with a list of products', () => {
  const order = {
    order_id: 'o-1',
    revenue: 25,
    currency: 'EUR',
    products: [
      { product_id: 'p1', name: 'Shoe', price: 10, quantity: 2 },
      { product_id: 'p2', name: 'Sock', price: 5, quantity: 1 },
    ],
  }
  it('has content_ids at Meta and TikTok', async () => {
    for (const to of [meta, tiktok])
      expect((await send(to, eventOf('Order Completed', order))).products).toMatchObject({
        value: 25,
        content_ids: ['p1', 'p2'],
      })
  })
  it('has its cart at Google Ads, from an event and from a signal', async () => {
    const cartData = {
      items: [
        { merchantProductId: 'p1', quantity: 2, unitPrice: 10 },
        { merchantProductId: 'p2', quantity: 1, unitPrice: 5 },
      ],
    }
    const wanted = { outcome: { kind: 'delivered' }, products: { conversionValue: 25, currency: 'EUR', cartData } }
    expect(await send(ads, eventOf('Order Completed', order))).toEqual(wanted)
    const signal = { value: 25, currency: 'EUR' }
    expect(await send(ads, eventOf('Order Completed', order, signal), signalTo(ads, ''))).toEqual(wanted)
  })
  it('has only what Google Ads takes of a product', async () => {
    const products = [{ product_id: 'p1', price: -5, quantity: 1.5 }, { name: 'Gift card' }]
    const { outcome, products: sent } = await send(ads, eventOf('Order Completed', { ...order, products }))
    expect(sent).toMatchObject({ cartData: { items: [{ merchantProductId: 'p1' }] } })
    const note =
      'Sent without quantity of a product: not a positive integer; price of a product: negative; 1 of 2 products: no ID'
    expect(outcome).toEqual({ kind: 'delivered', note })
  })
  it('has products with only a name at TikTok, and not at Meta, which needs an ID', async () => {
    const products = [{ name: 'Shoe', price: 10, quantity: 1 }]
    const event = eventOf('Order Completed', { ...order, products })
    expect((await send(tiktok, event)).products).toMatchObject({
      contents: [{ content_name: 'Shoe', price: 10, quantity: 1 }],
    })
    const { outcome, products: sent } = await send(meta, event)
    expect(sent).toEqual({ value: 25, currency: 'EUR', order_id: 'o-1', num_items: 1 })
    expect(outcome).toEqual({ kind: 'delivered', note: 'Sent without 1 of 1 products: no ID' })
  })
  it('of 1,000 products is sent with the first 200 of them, and says so', async () => {
    const products = Array.from({ length: 1000 }, (_, at) => ({ product_id: `p${at}`, price: 1, quantity: 1 }))
    for (const to of [meta, tiktok, analytics, ads])
      expect((await send(to, eventOf('Order Completed', { ...order, products }))).outcome).toEqual({
        kind: 'delivered',
        note: 'Sent without the products after the first 200',
      })
  })
  it.each([
    ['Meta', meta, 'Purchase'],
    ['TikTok', tiktok, 'Purchase'],
    ['Google Analytics', analytics, 'purchase'],
    ['Google Ads', ads, ''],
  ] as const)('of 1,000 products is sent by a signal to %s, too', async (_, to, name) => {
    const products = Array.from({ length: 1000 }, (_each, at) => ({ product_id: `p${at}`, price: 1, quantity: 1 }))
    const event = eventOf('Order Completed', { ...order, products }, { value: 25, currency: 'EUR' })
    expect((await send(to, event, signalTo(to, name))).outcome).toEqual({
      kind: 'delivered',
      note: 'Sent without the products after the first 200',
    })
  })
})

describe('an event of 10,000 products', () => {
  const order = { order_id: 'o-1', revenue: 25, currency: 'EUR' }
  const products = Array.from({ length: 10_000 }, (_, at) => ({
    product_id: `p${at}`,
    name: `Shoe ${at}`,
    brand: 'Brand',
    category: 'Shoes',
    variant: 'red',
    price: 12.5,
    quantity: 2,
    url: `https://shop.example/shoes/${at}`,
  }))
  const all = [
    ['Meta', meta, 'Purchase'],
    ['TikTok', tiktok, 'Purchase'],
    ['Google Analytics', analytics, 'purchase'],
    ['Google Ads', ads, ''],
  ] as const
  const note = 'Sent without the products after the first 200'

  it.each(all)('is sent to %s with its full value', async (_, to) => {
    const { outcome, products: sent } = await send(to, eventOf('Order Completed', { ...order, products }))
    expect(outcome).toEqual({ kind: 'delivered', note })
    expect(sent).toMatchObject(to === ads ? { conversionValue: 25, currency: 'EUR' } : { value: 25, currency: 'EUR' })
    expect(JSON.stringify(sent)).toContain('"p199"')
    expect(JSON.stringify(sent)).not.toContain('"p200"')
  })

  it.each(all)('is sent to %s by a signal, too', async (_, to, name) => {
    const event = eventOf('Order Completed', { ...order, products }, { value: 25, currency: 'EUR' })
    expect((await send(to, event, signalTo(to, name))).outcome).toEqual({ kind: 'delivered', note })
  })

  it.each([meta, tiktok, analytics])('is sent with one product in its own properties, too', async (to) => {
    const { outcome } = await send(to, eventOf('Product Added', { ...shoe, products }))
    expect(outcome).toEqual({ kind: 'delivered', note })
  })
})

it('a price without a currency is left out at TikTok, and a value without one is refused', async () => {
  const { currency: _, ...priced } = shoe
  expect((await send(tiktok, eventOf('Product Added', priced))).outcome).toEqual({
    kind: 'delivered',
    note: 'Sent without value: the price has no currency',
  })
  expect((await send(tiktok, eventOf('Product Added', { ...priced, value: 30 }))).outcome).toEqual({
    kind: 'rejected',
    reason: 'A value needs a currency',
  })
})
