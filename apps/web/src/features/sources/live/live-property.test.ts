import { parseSourceSchema } from '@tributary/contract'
import { expect, test } from 'vitest'
import type { LiveEvent } from './live-event.ts'
import { propertyNames, propertyText } from './live-property.ts'

const event = (payload: LiveEvent['payload'], type = 'track'): LiveEvent => ({
  eventId: '0-1-0',
  messageId: 'm1',
  type,
  title: 'Paid',
  user: '',
  test: false,
  receiveTime: '2026-01-01T00:00:00Z',
  status: 'accepted',
  reason: '',
  compatibility: '',
  schemaVersion: 0,
  payload,
})
const paid = event({
  context: { locale: 'en' },
  properties: { total: 0, coupon: '', none: null, 'a.b': 1, address: { city: 'Ghent' }, tags: ['x'] },
})

test('a value in the live message is shown until the payload is loaded; for all other values the payload is needed', () => {
  const live: LiveEvent = { ...event(undefined), values: { total: 7, coupon: '', none: null, constructor: 'x' } }
  const shown = ['total', 'coupon', 'none', 'constructor', 'address', 'toString'].map((name) =>
    propertyText(live, name),
  )
  expect(shown).toEqual(['7', '', 'null', 'x', undefined, undefined])
  expect(propertyText({ ...live, payload: { properties: { total: 8 } } }, 'total')).toBe('8')
})

test.each([
  ['total', '0'],
  ['coupon', ''],
  ['none', 'null'],
  ['a.b', '1'],
  ['address.city', 'Ghent'],
  ['address', '{"city":"Ghent"}'],
  ['tags', '["x"]'],
  ['context.locale', 'en'],
  ['missing', ''],
  ['address.missing', ''],
  ['constructor', ''],
  ['__proto__', ''],
])('the cell of %j shows %j', (property, text) => {
  expect(propertyText(paid, property)).toBe(text)
})

test('traits are the properties of identify; an unloaded payload is unknown, and a long value is truncated', () => {
  expect(propertyText(event({ traits: { plan: 'team' } }, 'identify'), 'plan')).toBe('team')
  expect(propertyText(event(undefined), 'total')).toBeUndefined()
  expect(propertyText(event(null), 'total')).toBe('')
  expect(propertyText(event({ properties: { long: 'x'.repeat(1000) } }), 'long')).toHaveLength(200)
})

test('the selectable properties come from schema and listed events, each name once', () => {
  const schema = parseSourceSchema(
    '{"events":{"Paid":{"properties":{"total":{"type":"number"}}}},"user":{"properties":{"plan":{"type":"string"}}}}',
  )
  expect(propertyNames(schema, [paid, event(undefined), event(null)])).toEqual([
    'a.b',
    'address',
    'coupon',
    'none',
    'plan',
    'tags',
    'total',
  ])
})
