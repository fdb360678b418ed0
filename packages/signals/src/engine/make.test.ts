import type { PipelineEvent } from '@tributary/contract'
import { expect, it } from 'vitest'
import type { StoredDefinition } from '../read.ts'
import { makeConversion } from './make.ts'

const now = Date.UTC(2026, 10, 29)
const at = new Date(now - 60_000).toISOString()

/** Returns `context.signal` of the conversion that a signal makes of an event with these properties. */
const signalOf = (event: string, properties: PipelineEvent['properties']): Record<string, unknown> => {
  const definition = {
    value: { type: 'none' },
    event_id: { type: 'message_id' },
    conversion: { type: 'add_to_cart', custom_name: '' },
    refunds: null,
  } as unknown as StoredDefinition
  const made = makeConversion({
    signal: { id: 's', workspaceId: 'w', definition, platforms: [] },
    event: {
      eventId: 'e',
      messageId: 'm',
      type: 'track',
      event,
      properties,
      context: {},
      test: false,
      receivedAt: at,
      timestamp: at,
    },
    own: {},
    person: { kept: new Map(), withdrawnAt: undefined },
    origin: 'event',
    options: { settings: { without_consent: 'send', consent_path: 'context.consent' }, now },
  })
  return (JSON.parse(made.json) as { context: { signal: Record<string, unknown> } }).context.signal
}

it.each<[string, PipelineEvent['properties'], object | undefined]>([
  [
    'a product at the root',
    { product_id: 'p1', price: 10, quantity: 3, note: 'x' },
    { product_id: 'p1', price: 10, quantity: 3 },
  ],
  ['an empty list', { sku: 's1', products: [] }, { sku: 's1' }],
  ['a list of products', { name: 'Order', products: [{ product_id: 'p1' }] }, undefined],
  ['texts that are too long, lists, and objects', { name: 'x'.repeat(501), brand: ['a'], price: {} }, undefined],
  ['no properties', undefined, undefined],
])('a conversion of an event with %s has the data of its product for destinations', (_, properties, product) => {
  expect(signalOf('Product Added', properties)['product']).toEqual(product)
})
