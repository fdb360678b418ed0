import { createHash } from 'node:crypto'
import { compileMappings } from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { describe, expect, test } from 'vitest'
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
import { type Peer, receivedEvent, sendTo } from './testing-presets.ts'

const peers = (): Record<string, Peer> => ({
  analytics: {
    definition: googleAnalytics,
    origin: 'https://www.google-analytics.com',
    settings: { measurement_id: measurement, api_secret: secret },
    answer: createAnalytics().answer,
  },
  meta: {
    definition: metaConversions,
    origin: 'https://graph.facebook.com',
    settings: { pixel_id: pixel, access_token: metaToken },
    answer: createMetaConversions().answer,
  },
  tiktok: {
    definition: tiktokEvents,
    origin: 'https://business-api.tiktok.com',
    settings: { pixel_code: tiktokPixel, access_token: tiktokToken },
    answer: createTikTok().answer,
  },
  ads: {
    definition: googleAds,
    origin: 'https://datamanager.googleapis.com',
    settings: {
      customer_id: '123-456-7890',
      conversion_action_id: conversionAction,
      client_id: 'c',
      client_secret: 's',
    },
    answer: createGoogleAds().answer,
    accessToken: async () => adsToken,
  },
})

const order = {
  order_id: 'o-1',
  revenue: 25,
  currency: 'EUR',
  products: [{ product_id: 'p1', name: 'Shoe', price: 10, quantity: 2 }],
}
const person = { email: 'ada@example.com' }
const context = {
  ip: '192.0.2.7',
  userAgent: 'Mozilla/5.0',
  page: { url: 'https://shop.example/' },
  clickIds: { gclid: 'g-1' },
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Sends an order by the presets. Returns whether it was sent, the notes or the reason, and the text of the request. */
const send = async (peer: Peer, properties: object, traits: object, more: object = {}) => {
  const given = { properties: { ...properties }, context: { ...context, traits }, ...more }
  const event = receivedEvent('Order Completed', given)
  const map = compileMappings(peer.definition, undefined, { workspaceId: 'w', destinationId: 'd' })
  const mapped = map(event, 's', JSON.stringify(event))
  if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
  const outgoing = outgoingEvent({ messageId: 'm-1' }, { action: mapped.action, payload: mapped.payload ?? {} })
  const { asked, outcomes } = await sendTo(peer, [outgoing])
  const [outcome] = outcomes
  const words = outcome !== undefined && 'reason' in outcome ? outcome.reason : (outcome?.note ?? '')
  const notes = [...mapped.problems.map(({ message }) => message), words].filter((each) => each !== '').join('; ')
  return { kind: outcome?.kind, notes, body: JSON.stringify(asked.map((each) => each.body)) }
}

describe.each(Object.keys(peers()))('an order with a bad value, to %s,', (platform) => {
  test.each<[string, object, string]>([
    ['a comma', { revenue: '25,50' }, 'The value "25,50" is not a number. Write decimals with a point'],
    ['a currency sign', { revenue: '€25.50' }, 'The value "€25.50" is not a number'],
    ['a minus', { revenue: -25 }, 'The value is negative'],
    ['too many digits', { revenue: '1e400' }, 'The value "1e400" has more digits than an amount can have'],
    ['NaN', { revenue: 'NaN' }, 'The value "NaN" is not a number'],
    ['an object', { revenue: { a: 1 } }, 'The value "{"a":1}" is not a number'],
    ['an unknown currency', { currency: 'XYZ' }, '"XYZ" is not a currency code'],
    ['a word as currency', { currency: 'Euro' }, '"EURO" is not a currency code'],
    ['a number as currency', { currency: 978 }, '"978" is not a currency code'],
  ])('is a dead letter if its amount has %s', async (_, properties, reason) => {
    const sent = await send(peers()[platform] as Peer, { ...order, ...properties }, person)
    expect(sent).toMatchObject({ kind: 'rejected', body: '[]' })
    expect(sent.notes).toContain(reason)
  })

  test.each<[string, object]>([
    ['as text', { revenue: '25.00' }],
    ['in a currency in lower case', { currency: 'eur' }],
  ])('is sent with the amount %s', async (_, properties) => {
    const sent = await send(peers()[platform] as Peer, { ...order, ...properties }, person)
    expect(sent).toMatchObject({ kind: 'delivered', notes: '' })
    expect(sent.body).toMatch(/"(?:value|conversionValue)":25,"currency":"EUR"/)
  })

  test.each<[string, unknown, string]>([
    ['a text', 'shoe', 'Sent without 1 of 1 products: neither ID nor name'],
    ['null, a number, and a list', [null, 3, []], 'Sent without 3 of 3 products: neither ID nor name'],
    ['a price with a comma', [{ product_id: 'p1', price: '10,00' }], 'Sent without price of a product: not a number'],
    ['a price of words', [{ product_id: 'p1', price: 'EUR 10' }], 'Sent without price of a product: not a number'],
    ['a price beyond numbers', [{ product_id: 'p1', price: '1e400' }], 'Sent without price of a product: not a number'],
  ])('is sent without the part of its products that is %s', async (_, products, note) => {
    const sent = await send(peers()[platform] as Peer, { ...order, products }, person)
    expect(sent.kind).toBe('delivered')
    expect(sent.notes).toContain(note)
    expect(sent.body).toMatch(/"(?:value|conversionValue)":25,"currency":"EUR"/)
  })

  test.each<[string, Record<string, unknown>, string]>([
    ['a phone of 3 digits', { phone: '907' }, 'is a phone number without a country code'],
    ['a phone of 20 digits', { phone: '+12345678901234567890' }, 'is not sent'],
    ['a phone of letters', { phone: 'call me' }, 'is not a phone number'],
    ['an email of 4,000 characters', { email: `${'a'.repeat(4000)}@example.com` }, 'is not an email address'],
    ['a hash that is none', { email: 'g'.repeat(64) }, 'is not an email address'],
    ['a hash that lacks a digit', { email: 'a'.repeat(63) }, 'is not an email address'],
    ['a list without an email', { email: [null, 3, {}, ['a']] }, 'is not sent'],
  ])('is sent without %s', async (_, traits, note) => {
    const sent = await send(peers()[platform] as Peer, order, traits)
    expect(sent.kind).toBe('delivered')
    expect(sent.notes).toContain(note)
    for (const value of Object.values(traits))
      if (typeof value === 'string') expect(sent.body).not.toContain(`"${value}"`)
  })

  test('is sent with a few of 1,000 emails, each hashed', async () => {
    const email = Array.from({ length: 1000 }, (_, at) => `a${at}@example.com`)
    const sent = await send(peers()[platform] as Peer, order, { email })
    expect(sent.kind).toBe('delivered')
    expect(sent.body).not.toContain('@example.com')
    expect(sent.body.length).toBeLessThan(5000)
  })

  // No vendor's page refuses it: a discount can be a line of an order. The cart of Google Ads has goods only.
  test('is sent with a price of a product below zero, and to Google Ads without it', async () => {
    const products = [{ product_id: 'p1', price: -10, quantity: 1 }]
    const sent = await send(peers()[platform] as Peer, { ...order, products }, person)
    const isAds = platform === 'ads'
    expect(sent).toMatchObject({
      kind: 'delivered',
      notes: isAds ? 'Sent without price of a product: negative' : '',
    })
    expect(/"(?:price|item_price)":-10\b/.test(sent.body)).toBe(!isAds)
  })

  test('is sent without the email of 4,000 characters in a list of 1,000', async () => {
    const long = `${'a'.repeat(4000)}@example.com`
    const email = [long, ...Array.from({ length: 999 }, (_, at) => `a${at}@example.com`)]
    const sent = await send(peers()[platform] as Peer, order, { email })
    expect(sent.kind).toBe('delivered')
    expect(sent.body).not.toContain('@example.com')
    expect(sent.body).not.toContain(sha256(long))
    expect(sent.body).toContain(sha256('a0@example.com'))
    expect(sent.body.length).toBeLessThan(5000)
  })

  // Meta takes f and m ("Customer Information Parameters"). Other platforms take no gender.
  test.each(['weiblich', 'femme', 'mujer', 'mulher', 'donna', 'женщина', '女', '女性', 'امرأة', '여성'])(
    'is sent without the gender %s',
    async (gender) => {
      const sent = await send(peers()[platform] as Peer, order, { ...person, gender })
      expect(sent.kind).toBe('delivered')
      for (const word of [gender, 'f', 'm', gender.slice(0, 1)]) expect(sent.body).not.toContain(sha256(word))
      expect(sent.body).not.toContain('"ge":')
    },
  )

  test('is sent without a date of birth in the future', async () => {
    const sent = await send(peers()[platform] as Peer, order, { ...person, birthday: '2090-01-01' })
    expect(sent.kind).toBe('delivered')
    for (const form of ['20900101', '2090-01-01', '2090']) expect(sent.body).not.toContain(sha256(form))
    expect(sent.body).not.toContain('"db":')
  })

  test.each(['GA1.1.1234567890.1234567890', '01HXYZABC.tt.1', 'fb.1.x.y', 'x'.repeat(4000)])(
    'is sent without the browser ID %s of another vendor',
    async (fbp) => {
      const more = { context: { ...context, traits: person, browserIds: { fbp }, fbp } }
      const sent = await send(peers()[platform] as Peer, order, person, more)
      expect(sent.kind).toBe('delivered')
      expect(sent.body).not.toContain(fbp)
    },
  )

  test('is not sent a year later', async () => {
    const timestamp = new Date(Date.now() - 365 * 86_400_000).toISOString()
    const sent = await send(peers()[platform] as Peer, order, person, { timestamp })
    expect(sent).toMatchObject({ kind: 'skipped', body: '[]' })
    expect(sent.notes).toMatch(/^Older than /)
  })

  test.each<[string, object]>([
    ['Arabic, and Chinese with an emoji', { firstName: 'محمد', lastName: '李😀' }],
    ['a date of birth in the future', { birthday: '2090-01-01' }],
    ['a gender in another language', { gender: 'weiblich' }],
  ])('is sent whatever the traits have: %s', async (_, traits) => {
    const sent = await send(peers()[platform] as Peer, order, { ...person, ...traits })
    expect(sent.kind).toBe('delivered')
    for (const value of Object.values(traits)) expect(sent.body).not.toContain(`"${value}"`)
  })
})
