import type { MappingPreset } from '@tributary/connector-kit'
import { anyOf } from '../../wire/conversions/person-places.ts'
import { eventPlaces as places, standardPresets } from '../../wire/conversions/standard-events.ts'
import { commonFields, fields, productFields } from './signals.ts'

type Fields = MappingPreset['fields']

const property = (name: string) => ({ type: 'FIELD', name: `properties.${name}` }) as const

const preset = (eventName: string, name: string, more: Fields): MappingPreset => ({
  eventName,
  eventType: 'track',
  action: 'send_event',
  fields: { event_name: { type: 'CONSTANT', value: name }, ...commonFields, ...more },
})

const onePiece: Fields = { ...productFields, one_product: places.properties }

const list: Fields = {
  item_list_id: anyOf('properties.item_list_id', 'properties.list_id'),
  item_list_name: anyOf('properties.item_list_name', 'properties.list_name', 'properties.category'),
}

/** A promotion, with products if it is for some. Its own name is not that of a product. */
const promotion: Fields = {
  items: places.products,
  promotion_id: property('promotion_id'),
  promotion_name: anyOf('properties.promotion_name', 'properties.name'),
  creative_name: anyOf('properties.creative_name', 'properties.creative'),
  creative_slot: anyOf('properties.creative_slot', 'properties.position'),
  location_id: property('location_id'),
}

/** The fields of a shared product or cart. */
const shared: Fields = {
  method: anyOf('properties.share_via', 'properties.method'),
  content_type: property('content_type'),
  item_id: anyOf('properties.item_id', 'properties.product_id', 'properties.sku'),
}

/** Fields that some of the standard events have in addition. */
const additions: Readonly<Record<string, Fields>> = {
  'Payment Info Entered': { payment_type: anyOf('properties.payment_type', 'properties.payment_method') },
  'Signed Up': { method: property('method') },
}

/**
 * The further recommended events, by the events of the commerce schema that usually are such an event. Version 0.2.0 does
 * not have them.
 */
const recommended: readonly MappingPreset[] = [
  preset('Product Clicked', 'select_item', { ...onePiece, ...list }),
  preset('Product List Viewed', 'view_item_list', { ...productFields, ...list }),
  preset('Product Removed', 'remove_from_cart', onePiece),
  preset('Cart Viewed', 'view_cart', productFields),
  {
    ...preset('Checkout Step Completed', 'add_shipping_info', {
      ...productFields,
      shipping_tier: property('shipping_method'),
    }),
    // Other steps, such as the payment, say nothing of the shipping.
    conditions: [{ field: 'properties.shipping_method', operator: 'exists', value: '' }],
  },
  preset('Promotion Viewed', 'view_promotion', promotion),
  preset('Promotion Clicked', 'select_promotion', promotion),
  preset('Search Results Viewed', 'view_search_results', { ...productFields, search_term: places.query }),
  // PostHog sends a lead under this name (`meta_ads/meta.template.ts`).
  preset('Lead Generated', 'generate_lead', { value: places.total, currency: places.currency }),
  preset('Signed In', 'login', { method: property('method') }),
  preset('Product Shared', 'share', shared),
  preset('Cart Shared', 'share', shared),
  {
    eventType: 'page',
    action: 'send_event',
    fields: { event_name: { type: 'CONSTANT', value: 'page_view' }, ...commonFields },
  },
  {
    eventType: 'screen',
    action: 'send_event',
    fields: {
      event_name: { type: 'CONSTANT', value: 'screen_view' },
      ...commonFields,
      screen_name: anyOf('properties.screen_name', 'properties.name', 'event'),
      screen_class: anyOf('properties.screen_class', 'properties.class'),
    },
  },
  {
    eventType: 'group',
    action: 'send_event',
    fields: {
      event_name: { type: 'CONSTANT', value: 'join_group' },
      ...commonFields,
      group_id: { type: 'FIELD', name: 'groupId' },
    },
  },
]

/** The mappings of a new destination: the conversions that every platform has, refunds, and further recommended events. */
export const presets: readonly MappingPreset[] = [
  ...standardPresets('google_analytics', 'send_event', fields).map((standard) => ({
    ...standard,
    fields: { ...standard.fields, ...additions[standard.eventName ?? ''] },
  })),
  {
    eventName: 'Order Refunded',
    eventType: 'track',
    action: 'send_event',
    fields: { event_name: { type: 'CONSTANT', value: 'refund' }, ...fields },
  },
  ...recommended.map((added) => ({ ...added, since: 2 })),
]
