import { expect, it } from 'vitest'
import { outgoingEvent } from '../testing/testing.ts'
import { trackingCall } from './tracking-call.ts'

const base = {
  messageId: 'm-1',
  userId: 'u-1',
  anonymousId: 'a-1',
  context: { ip: '203.0.113.7', library: { name: 'analytics.js' } },
  integrations: { All: true, Mixpanel: false },
  originalTimestamp: '2026-01-02T04:04:04.000Z',
  sentAt: '2026-01-02T04:04:05.000Z',
} as const
const common = {
  messageId: 'm-1',
  userId: 'u-1',
  anonymousId: 'a-1',
  context: base.context,
  integrations: base.integrations,
  timestamp: '2026-01-02T03:04:05.000Z',
}

it.each([
  ['track', { event: 'Paid', properties: { total: 1 } }, { event: 'Paid', properties: { total: 1 } }],
  ['page', { event: 'Pricing', properties: { url: 'u' } }, { name: 'Pricing', properties: { url: 'u' } }],
  ['screen', { event: '', extra: { category: 'Shop' } }, { category: 'Shop' }],
  ['identify', { event: '', traits: { email: 'a@b.c' } }, { traits: { email: 'a@b.c' } }],
  ['group', { event: '', groupId: 'g-1', traits: { plan: 'pro' } }, { groupId: 'g-1', traits: { plan: 'pro' } }],
  ['alias', { event: '', previousId: 'p-1' }, { previousId: 'p-1' }],
] as const)('a %s call is restored: only the values that this server added are omitted', (type, own, wanted) => {
  expect(trackingCall(outgoingEvent({ ...base, type, ...own }))).toEqual({ type, ...common, ...wanted })
})

it('every value of a tracking call is passed on unchanged, with all digits and in order', () => {
  const odd = '{"b":1.0,"10":9223372036854775807,"2":1e400}'
  const { json } = outgoingEvent({ ...base, type: 'track', event: 'Paid' })
  const text = json
    .replace('"context":', `"properties":${odd},"context":`)
    .replace(/\}$/, `,"extra":{"x":${odd},"7":1.0}}`)
  const call = JSON.stringify(trackingCall({ json: text }))
  expect(call).toContain(`"properties":${odd}`)
  expect(call).toMatch(/^\{"x":\{"b":1\.0,.*\},"7":1\.0,"type"/)
})

it('unknown keys return to the top level of the call, including __proto__, and replace none of its values', () => {
  const { json } = outgoingEvent(base)
  const call = trackingCall({
    json: `${json.slice(0, -1)},"extra":{"channel":"web","__proto__":{"a":1},"type":"page"}}`,
  })
  expect(JSON.parse(JSON.stringify(call))).toMatchObject({ channel: 'web', type: 'track' })
  expect(JSON.stringify(call)).toContain('"__proto__":{"a":1}')
})

it("a payload replaces the event's own fields, and the required fields of the call are added", () => {
  const mapped = (type: 'track' | 'group', payload: Record<string, unknown>): unknown =>
    trackingCall(outgoingEvent({ ...base, type, groupId: 'g-1', properties: { secret: 1 } }, { payload }))
  const { timestamp } = common
  const ids = { userId: 'u-1', anonymousId: 'a-1' }
  expect(mapped('track', { properties: { total: 2 } })).toEqual({
    type: 'track',
    messageId: 'm-1',
    ...ids,
    event: 'Order Completed',
    timestamp,
    properties: { total: 2 },
  })
  expect(mapped('group', { userId: 'mine', messageId: 'forged', type: 'page' })).toEqual({
    type: 'group',
    messageId: 'm-1',
    userId: 'mine',
    groupId: 'g-1',
    timestamp,
  })
})
