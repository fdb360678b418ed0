import { expect, test } from 'vitest'
import { observe } from './observe.ts'

/** Members that only destinations need. An event without destinations does not have them. */
const unsent = ['messageId', 'properties', 'integrations', 'test', 'originalTimestamp', 'sentAt', 'extra']

/** Observes an event, and checks that the result is the same without the members that only destinations need. */
const seen = (event: object) => {
  const full: object = { eventId: '0-1-0', messageId: 'm', type: 'track', event: 'Seen', ...event }
  const streamed = Object.fromEntries(Object.entries(full).filter(([name]) => !unsent.includes(name)))
  const [one, other] = [full, streamed].map((each) =>
    observe({ workspaceId: 'w', sourceId: 's', eventId: '0-1-0', json: JSON.stringify(each) }),
  )
  if (one === undefined || other === undefined) throw new Error('There is nothing to observe')
  expect({ ...other, event: 0, time: other.time() }).toEqual({ ...one, event: 0, time: one.time() })
  return one
}
const times = { test: false, receivedAt: '2026-01-02T00:00:00.000Z', timestamp: '2026-01-01T00:00:00.000Z' }

test('identifiers are found in an event with any name and any properties', () => {
  const hostile = ',"properties":{"userId":"x"},"context":{'
  const observed = seen({
    event: hostile,
    userId: `u${hostile}`,
    anonymousId: 'a"\\',
    properties: { userId: 'other', traits: { a: 1 }, context: { externalIds: [{ id: '1', type: 'shop' }] } },
    context: {},
    ...times,
  })
  expect(observed.identifiers).toEqual([
    { type: 'user_id', value: `u${hostile}` },
    { type: 'anonymous_id', value: 'a"\\' },
  ])
  expect(observed.traits).toEqual([])
})

test('external IDs of the context become identifiers', () => {
  const context = { externalIds: [{ id: '1', type: 'shop' }] }
  expect(seen({ userId: 'u', context, ...times }).identifiers[1]).toEqual({ type: 'shop', value: '1' })
})

test('traits are read from the call, then from its context, with exact digits', () => {
  const json =
    '{"eventId":"0-1-0","messageId":"m","type":"identify","event":"","userId":"u","traits":{"n":12345678901234567890.10,"both":"call"},"context":{"traits":{"both":"context","from":true}},"test":false,"receivedAt":"2026-01-02T00:00:00.000Z","timestamp":"2026-01-01T00:00:00.000Z"}'
  const { traits } = observe({ workspaceId: 'w', sourceId: 's', eventId: '0-1-0', json })
  expect(Object.fromEntries(traits.map(({ name, value }) => [name, value]))).toEqual({
    n: '12345678901234567890.10',
    both: '"call"',
    from: 'true',
  })
})

test("the traits of a group become traits of the person, under the group's name", () => {
  const observed = seen({
    type: 'group',
    event: '',
    userId: 'u',
    groupId: 'g',
    traits: { plan: 'team', id: 'x' },
    context: {},
    ...times,
  })
  expect(observed.traits).toEqual([
    { name: 'group.plan', value: '"team"' },
    { name: 'group.id', value: '"g"' },
  ])
})

test('a value that is too large, and names that cannot be stored, are reported as such', () => {
  const { traits } = seen({
    type: 'identify',
    event: '',
    userId: 'u',
    traits: { long: 'x'.repeat(9000), ['n'.repeat(201)]: 1, 'a\0': 1, '': 1 },
    context: {},
    ...times,
  })
  expect(traits).toEqual([
    { name: 'long', value: undefined },
    { name: '', value: undefined },
    { name: '', value: undefined },
    { name: '', value: undefined },
  ])
})

test.each([
  ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
  ['9999-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
])('an event with timestamp %s and receipt %s has the time %s', (timestamp, receivedAt, time) => {
  expect(seen({ userId: 'u', context: {}, test: false, receivedAt, timestamp }).time()).toBe(time)
})

test.each([
  ['without more', {}],
  [
    'with the times of its library',
    { originalTimestamp: '2001-01-01T00:00:00.000Z', sentAt: '2001-01-01T00:00:00.000Z' },
  ],
  [
    'with keys that look like its times',
    { extra: { receivedAt: '2001-01-01T00:00:00.000Z', timestamp: '2001-01-01T00:00:00.000Z' } },
  ],
])("the time of an event is the event's own timestamp, %s", (_, more) => {
  const properties = { receivedAt: '2001-01-01T00:00:00.000Z', timestamp: '2001-01-01T00:00:00.000Z' }
  expect(seen({ userId: 'u', properties, context: {}, ...times, ...more }).time()).toBe('2026-01-01T00:00:00.000Z')
})

test('an event without a usable identifier has no profile, and the reason is reported', () => {
  expect(seen({ userId: 'null', context: {}, ...times }).nobody).toBe('blocked')
  expect(seen({ context: {}, ...times }).nobody).toBe('missing')
})
