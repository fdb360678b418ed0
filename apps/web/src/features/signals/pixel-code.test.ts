import { expect, test } from 'vitest'
import { emptyDraft } from './draft.ts'
import { pixelCode } from './pixel-code.ts'

const order = { ...emptyDraft, eventId: { type: 'path', path: 'properties.order_id' } } as const

test('the code of each platform sends the event ID in the field that the platform expects', () => {
  const table = [
    ['meta', 'Purchase', `fbq('track', 'Purchase', { value: total, currency: currency }, { eventID: order_id })`],
    ['tiktok', 'Purchase', `ttq.track('Purchase', { value: total, currency: currency }, { event_id: order_id })`],
    [
      'google_ads',
      '',
      `gtag('event', 'conversion', { send_to: 'AW-XXXXXXXXX/LABEL', value: total, currency: currency, transaction_id: order_id })`,
    ],
    [
      'google_analytics',
      'purchase',
      `gtag('event', 'purchase', { value: total, currency: currency, transaction_id: order_id })`,
    ],
  ] as const
  for (const [platform, event_name, code] of table) expect(pixelCode({ platform, event_name }, order)).toBe(code)
})

test('a message ID is the one that the website tag or the SDK gave to the event', () => {
  const draft = { ...order, eventId: { type: 'message_id', path: '' } } as const
  expect(pixelCode({ platform: 'tiktok', event_name: 'Purchase' }, draft).split('\n')).toEqual([
    `const eventId = tributary.track('Order Completed', properties)`,
    expect.stringContaining(`(await analytics.track('Order Completed', properties)).event.messageId`),
    `ttq.track('Purchase', { value: total, currency: currency }, { event_id: eventId })`,
  ])
})

test('a custom conversion is a custom event of Meta, a fixed value is written out, and an absent one is omitted', () => {
  const custom = { ...order, conversion: { type: 'custom', custom_name: 'Qualified' } } as const
  expect(
    pixelCode({ platform: 'meta', event_name: 'Qualified' }, { ...custom, value: { ...order.value, type: 'none' } }),
  ).toBe(`fbq('trackCustom', 'Qualified', {}, { eventID: order_id })`)
  const fixed = { ...order.value, type: 'fixed', amount: '12,50', currency: 'eur' } as const
  expect(pixelCode({ platform: 'meta', event_name: 'Qualified' }, { ...custom, value: fixed })).toContain(
    `{ value: 12.50, currency: 'EUR' }`,
  )
})

test('entered values cannot end a string literal of the code', () => {
  const draft = {
    ...order,
    eventId: { type: 'message_id', path: '' },
    events: [{ event_type: 'track', event_name: `a');alert('` }],
  } as const
  expect(pixelCode({ platform: 'meta', event_name: `x'` }, draft)).toContain(
    String.raw`track('a\');alert(\'', properties)`,
  )
})
