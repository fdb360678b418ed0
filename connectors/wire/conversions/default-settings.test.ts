import {
  compileMappings,
  type DestinationDefinition,
  type EventOutcome,
  isPlatform,
  type OutgoingEvent,
  signalMappings,
} from '@tributary/connector-kit'
import { outgoingEvent } from '@tributary/connector-kit/testing'
import { describe, expect, it } from 'vitest'
import { conversionOf as googleOf } from '../../destinations/google-ads/conversion.ts'
import { googleAds } from '../../destinations/google-ads/definition.ts'
import { googleAnalytics } from '../../destinations/google-analytics/definition.ts'
import { sendableOf } from '../../destinations/google-analytics/event.ts'
import { conversionOf as metaOf } from '../../destinations/meta-conversions/conversion.ts'
import { metaConversions } from '../../destinations/meta-conversions/definition.ts'
import { conversionOf as tiktokOf } from '../../destinations/tiktok-events/conversion.ts'
import { tiktokEvents } from '../../destinations/tiktok-events/definition.ts'
import { countryCodeOf } from '../normalization/countries.ts'
import { checkDefaults } from './default-settings.ts'
import { receivedEvent } from './testing-presets.ts'

const defaults = { default_currency: 'EUR', default_country: 'US' }

type Made = Readonly<Record<string, unknown>>
type Platform = {
  definition: DestinationDefinition
  make: (event: OutgoingEvent) => { body: unknown } | EventOutcome
  currencyOf: (body: Made) => unknown
}

const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((part, name) => (part as Made)?.[name], value)
const own = (more: object) => ({ without_consent: 'send', ...defaults, ...more }) as never
const platforms: Readonly<Record<string, Platform>> = {
  meta: {
    definition: metaConversions,
    make: (event) => metaOf(event, own({ limited_data_use: false }), Date.now()),
    currencyOf: (body) => at(body, 'custom_data', 'currency'),
  },
  tiktok: {
    definition: tiktokEvents,
    make: (event) => tiktokOf(event, own({ pixel_code: 'C0123ABCD4567EFGH890', limited_data_use: false }), Date.now()),
    currencyOf: (body) => at(body, 'properties', 'currency'),
  },
  analytics: {
    definition: googleAnalytics,
    make: (event) => sendableOf(event, own({ debug_mode: false }), Date.now()),
    currencyOf: (body) => at(body, 'event', 'params', 'currency'),
  },
}

const context = { userAgent: 'Mozilla/5.0', page: { url: 'https://shop.example/' } }
const mapped = (definition: DestinationDefinition, properties: object, settings: object, event = 'Order Completed') => {
  const place = { workspaceId: 'w', destinationId: 'd', settings: settings as Made }
  const received = receivedEvent(event, { properties: properties as never, context })
  return compileMappings(definition, undefined, place)(received, 's', JSON.stringify(received))
}
const sent = ({ definition, make }: Platform, properties: object, settings: object, event?: string) => {
  const made = mapped(definition, properties, settings, event)
  if (made.kind !== 'mapped') throw new Error(JSON.stringify(made))
  const { action, payload = {}, problems } = made
  const result = make(outgoingEvent({ event: event ?? 'Order Completed' }, { action, payload }))
  return { result, notes: problems.filter(({ isListed }) => isListed === true).map(({ message }) => message) }
}
const bodyOf = (result: ReturnType<Platform['make']>): Made => {
  if (!('body' in result)) throw new Error(JSON.stringify(result))
  return result.body as Made
}

const order = { order_id: 'o-1', total: 30, products: [{ product_id: 'p1', price: 10, quantity: 3 }] }
const names = Object.keys(platforms)
const platform = (name: string): Platform => platforms[name] as Platform

describe('the default currency', () => {
  it.each(names)('is sent to %s for a value without a currency, and the delivery says so', (name) => {
    for (const currency of [undefined, null, '', ' ']) {
      const { result, notes } = sent(platform(name), { ...order, currency }, defaults)
      expect(platform(name).currencyOf(bodyOf(result))).toBe('EUR')
      expect(notes).toEqual(['currency: the default EUR is used'])
    }
  })

  it.each(names)('does not replace a currency for %s, whether right or wrong', (name) => {
    const { result, notes } = sent(platform(name), { ...order, currency: 'usd' }, defaults)
    expect([platform(name).currencyOf(bodyOf(result)), notes]).toEqual(['USD', []])
    expect(sent(platform(name), { ...order, currency: 'EURO' }, defaults).result).toMatchObject({
      kind: 'rejected',
      reason: '"EURO" is not a currency code, such as USD',
    })
  })

  it('makes the value of a product from its price (GA4 reference: currency is required with value)', () => {
    const viewed = sent(platform('analytics'), { product_id: 'p1', price: 10 }, defaults, 'Product Viewed')
    expect(bodyOf(viewed.result)).toMatchObject({
      event: { name: 'view_item', params: { value: 10, currency: 'EUR' } },
    })
    const without = sent(platform('analytics'), { product_id: 'p1', price: 10 }, {}, 'Product Viewed')
    expect(at(bodyOf(without.result), 'event', 'params', 'value')).toBeUndefined()
  })

  it.each(names)('is not sent to %s without a value', (name) => {
    const { result, notes } = sent(platform(name), { query: 'shoes' }, defaults, 'Products Searched')
    expect([platform(name).currencyOf(bodyOf(result)), notes]).toEqual([undefined, []])
  })

  it.each([
    ['meta', metaConversions],
    ['tiktok', tiktokEvents],
    ['analytics', googleAnalytics],
    ['google ads', googleAds],
  ])('is sent by signals to %s', (_, definition) => {
    if (!isPlatform(definition)) throw new Error('no platform')
    const given = { eventName: 'Purchase', testCode: '', fields: undefined }
    const [mapping] = signalMappings(definition, given)
    const event = receivedEvent('Order Completed', {
      properties: { phone: '(800) 555-0100' },
      context: { ...context, signal: { event_id: 'e1', time: new Date().toISOString(), value: 5, kind: 'conversion' } },
    })
    const place = { workspaceId: 'w', destinationId: 'd', settings: defaults }
    expect(compileMappings(definition, mapping === undefined ? [] : [mapping], place)(event, 's')).toMatchObject({
      kind: 'mapped',
      payload: { value: 5, currency: 'EUR' },
    })
  })
})

describe('the default country', () => {
  // "Customer information parameters" of Meta, the example of a phone number.
  const metaPhone = 'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176'
  // UserDataFormatterTest.java of Google's data-manager-java: the hash of "+18005550100".
  const googlePhone = 'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30'

  it('completes a phone number for Meta, and is not sent as the country of the person', () => {
    const { result, notes } = sent(platform('meta'), { ...order, currency: 'EUR', phone: '(650)555-1212' }, defaults)
    const user = at(bodyOf(result), 'user_data') as Made
    expect([user['ph'], user['country'], notes]).toEqual([[metaPhone], undefined, ['ph: the default US is used']])
  })

  it('is sent beside a city, a state, or a postal code (the example of the page of Meta)', () => {
    const { result, notes } = sent(
      platform('meta'),
      { ...order, currency: 'EUR', address: { city: 'Menlo Park' } },
      defaults,
    )
    // sha256 of "us" on the same page.
    expect(at(bodyOf(result), 'user_data', 'country')).toEqual([
      '79adb2a2fce5c6ba215fe5f27f532d4e7edbac4b6a5e09e1ef3a08084a904621',
    ])
    expect(notes).toEqual(['country: the default US is used'])
  })

  it.each([
    ['Google Ads', googleAds],
    ['Google Analytics', googleAnalytics],
  ])('completes a phone number for %s', (_, definition) => {
    const fields = { value: 5, currency: 'EUR', phone: '(800) 555-0100' }
    const made = mapped(definition, fields, defaults)
    const [phone] = [at(made, 'payload', 'phone')].flat()
    expect(phone).toBe(googlePhone)
    expect(mapped(definition, fields, {})).not.toHaveProperty('payload.phone')
  })

  it('completes a phone number in the request to Google Ads, and the delivery says so', () => {
    const made = mapped(googleAds, { value: 5, currency: 'EUR', phone: '(800) 555-0100' }, defaults)
    if (made.kind !== 'mapped') throw new Error(JSON.stringify(made))
    const event = outgoingEvent({}, { action: made.action, payload: made.payload ?? {} })
    const body = bodyOf(googleOf(event, own({ conversion_action_id: '7012345678' }), Date.now()))
    expect(body).toMatchObject({ event: { userData: { userIdentifiers: [{ phoneNumber: googlePhone }] } } })
    expect(made.problems.map(({ message }) => message)).toEqual(['phone: the default US is used'])
  })

  it('does not replace the country of the person', () => {
    const given = { ...order, currency: 'EUR', phone: '030 1234567', address: { country: 'DE' } }
    const { notes } = sent(platform('meta'), given, defaults)
    expect(notes).toEqual([])
  })
})

describe('the check of the defaults', () => {
  it('accepts the countries for which personal data can be normalized', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
    const codes = letters.flatMap((one) => letters.map((other) => one + other))
    const accepted = codes.filter((code) => checkDefaults({ default_country: code }).default_country === undefined)
    expect(accepted).toEqual(codes.filter((code) => countryCodeOf(code) === code))
  })

  it.each(['EUR', 'usd', ' JPY ', undefined])('accepts the currency %j', (default_currency) => {
    expect(checkDefaults({ default_currency })).toEqual({})
  })
  it.each(['EURO', 'XX', 'Euro', '€', '', '123'])('refuses the currency %j', (default_currency) => {
    expect(checkDefaults({ default_currency })).toEqual({
      default_currency: 'Enter a currency code of three letters, such as EUR',
    })
  })
  it.each(['DE', 'us', 'GB', undefined])('accepts the country %j', (default_country) => {
    expect(checkDefaults({ default_country })).toEqual({})
  })
  it.each(['Germany', 'DEU', 'XX', 'EU', 'UK', 'ZZ', '', '12'])('refuses the country %j', (default_country) => {
    expect(checkDefaults({ default_country })).toEqual({
      default_country: 'Enter a country code of two letters, such as DE',
    })
  })
})
