import { expect, test } from 'vitest'
import { receive } from './receive.ts'

const form = 'application/x-www-form-urlencoded'
const call = (body: string, more: { type?: string; method?: string; referer?: string; at?: string } = {}) => ({
  method: more.method ?? 'POST',
  body: Buffer.from(body),
  headers: {
    ...(more.type === '' ? {} : { 'content-type': more.type ?? form }),
    ...(more.referer === undefined ? {} : { referer: more.referer }),
  },
  query: new URLSearchParams(),
  receivedAt: Date.parse(more.at ?? '2026-01-01T12:00:00Z'),
})
const settings = { redirect_url: 'https://shop.example/thanks', trap_field: '_gotcha' }
const eventOf = (...given: Parameters<typeof call>) => {
  const receipt = receive(call(...given), settings)
  if (receipt === undefined || 'refusal' in receipt) throw new Error(JSON.stringify(receipt))
  return receipt.events[0]
}

test('AMB-72: a form becomes a Lead Created with its fields and person, and the visitor is redirected to the configured page', () => {
  const body =
    'email=+jane%40example.com&phone=%2B4930123456&name=Jane+van+Doe&interest=a&interest=b&form_id=contact&_gotcha=&tributary_id=v-1&tributary_consent=denied&page_url=https%3A%2F%2Fshop.example%2F%3Fgclid%3DEAIaIQ%26utm_source%3Dgoogle'
  const receipt = receive(call(body), settings)
  expect(receipt).toEqual({
    redirect: 'https://shop.example/thanks',
    events: [
      {
        type: 'track',
        event: 'Lead Created',
        messageId: expect.stringMatching(/^form-[0-9a-f]{32}$/),
        anonymousId: 'v-1',
        timestamp: '2026-01-01T12:00:00.000Z',
        properties: {
          lead_id: expect.stringMatching(/^form-/),
          form_id: 'contact',
          fields: {
            email: ' jane@example.com',
            phone: '+4930123456',
            name: 'Jane van Doe',
            interest: ['a', 'b'],
            form_id: 'contact',
          },
        },
        context: {
          traits: { email: 'jane@example.com', phone: '+4930123456', firstName: 'Jane', lastName: 'van Doe' },
          page: { url: 'https://shop.example/?gclid=EAIaIQ&utm_source=google' },
          clickIds: { gclid: 'EAIaIQ' },
          campaign: { source: 'google' },
          consent: { categoryPreferences: { advertising: false } },
        },
      },
    ],
  })
})

test('the same form counts once a day, or by the message ID that it contains', () => {
  const id = (...given: Parameters<typeof call>) => eventOf(...given)?.['messageId']
  const body = 'email=a%40example.com'
  expect(id(body, { at: '2026-01-01T23:59:59Z' })).toBe(id(body, { at: '2026-01-01T00:00:00Z' }))
  expect(id(body, { at: '2026-01-02T00:00:00Z' })).not.toBe(id(body))
  expect(id('email=b%40example.com')).not.toBe(id(body))
  expect(id('email=a&message_id=m-1')).toBe('m-1')
})

test('clicks are also read from the page that the browser names; an invalid page URL is ignored', () => {
  expect(eventOf('a=1', { referer: 'https://shop.example/?fbclid=IwAR2' })).toMatchObject({
    context: { page: { url: 'https://shop.example/?fbclid=IwAR2' }, clickIds: { fbclid: 'IwAR2' } },
  })
  expect(eventOf('a=1&page_url=javascript', {})?.['context']).not.toHaveProperty('page')
})

test('a form with the trap field filled in gets the usual response, and is not stored', () => {
  expect(receive(call('email=a&_gotcha=spam'), settings)).toEqual({ events: [], redirect: settings.redirect_url })
})

test('a script that sends JSON is not redirected', () => {
  expect(receive(call('{"email":"a@example.com"}', { type: 'application/json' }), settings)).toEqual({
    events: [expect.objectContaining({ event: 'Lead Created' })],
  })
})

test.each([
  ['a file', 'x', { type: 'multipart/form-data; boundary=x' }, 'NOT_A_FORM'],
  ['no kind of content', 'a=1', { type: '' }, 'NOT_A_FORM'],
  ['an address', '', { method: 'GET' }, 'NOT_A_FORM'],
  ['broken JSON', '{', { type: 'application/json' }, 'NOT_A_FORM'],
  ['a list', '[1]', { type: 'application/json' }, 'NOT_A_FORM'],
  ['nothing', '', {}, 'EMPTY_FORM'],
  ['fields without a name', '=1', {}, 'EMPTY_FORM'],
  ['what is said of the visit only', 'tributary_id=1', {}, 'EMPTY_FORM'],
])('%s is refused as a form', (_, body, more, reason) => {
  expect(receive(call(body, more), settings)).toMatchObject({ refusal: { code: 400, reason } })
})

test('a form with thousands of fields or very long names and values becomes an event within the size limit', () => {
  const many = Array.from({ length: 5000 }, (_, index) => `field${index}=${'x'.repeat(50)}`).join('&')
  const event = eventOf(many)
  expect(Object.keys((event as { properties: { fields: object } }).properties.fields)).toHaveLength(100)
  const large = eventOf(`${'n'.repeat(200)}=1&a=${'x'.repeat(100_000)}&b=2`)
  expect(JSON.stringify(large).length).toBeLessThan(32 * 1024)
})

test.each<[string, string, string, unknown]>([
  ['UTF-8', form, 'name=Jos%C3%A9', 'José'],
  ['a charset of its header', `${form}; charset=ISO-8859-1`, 'name=Jos%E9', 'José'],
  ['a charset of its own field', form, '_charset_=windows-1251&name=%CF%F0%E8', 'При'],
])('the names of a form in %s are decoded', (_, type, body, name) => {
  expect(eventOf(body, { type })).toMatchObject({ properties: { fields: { name } } })
})

test.each([
  ['of a value', 'name=Jos%E9'],
  ['of a name', 'n%E9=1'],
  ['of an unknown charset', '_charset_=nonsense&name=Jos%E9'],
])('a form with bytes %s that cannot be decoded is refused', (_, body) => {
  expect(receive(call(body), settings)).toMatchObject({ refusal: { code: 400, reason: 'NOT_UTF8' } })
})
