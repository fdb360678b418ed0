import { placeOfId } from '@tributary/contract'
import { expect, test } from 'vitest'
import { propertyPath } from '../../../lib/events/property-path.ts'
import { problemHelp, problemTitle, violationEvent, violationPlace } from './violation-words.ts'

test.each([
  [{ type: 'track', event: 'A/B', property: '' }, '/events/A~1B', 'A/B', ''],
  [{ type: 'track', event: 'Order', property: 'total' }, '/events/Order/properties/total', 'Order', 'total'],
  [
    { type: 'track', event: 'Order', property: 'products/unit~1price' },
    '/events/Order/properties/products/items/properties/unit~1price',
    'Order',
    'products › unit/price',
  ],
  [{ type: 'identify', event: '', property: 'email' }, '/user/properties/email', 'User traits', 'email'],
  [{ type: 'identify', event: '', property: '' }, '/user', 'User traits', ''],
])(
  'a violation is described, and links to the place in the schema where it is fixed: %j',
  (violation, place, event, property) => {
    expect(violationPlace(violation)).toBe(place)
    expect(violationEvent(violation)).toBe(event)
    expect(propertyPath(violation.property)).toBe(property)
    if (violation.property !== '') expect(placeOfId(place)).toBeDefined()
  },
)

test('each problem has a text that says what can be done', () => {
  const problems = ['missing', 'type', 'unknown', 'new_event'] as const
  expect(problems.map(problemTitle)).toEqual(['Missing property', 'Type mismatch', 'Unknown property', 'New event'])
  expect(new Set(problems.map((problem) => problemHelp({ problem, type: 'track' }))).size).toBe(4)
  expect(problemHelp({ problem: 'new_event', type: 'identify' })).toContain('User traits')
})
