import { conversionNames, type DestinationDefinition, type MappingPreset } from '@tributary/connector-kit'
import { anyOf, personPlaces } from './person-places.ts'

/** The conversions for which a destination has presets, in their order. */
export const presetConversions = [
  'purchase',
  'add_to_cart',
  'initiate_checkout',
  'add_payment_info',
  'view_content',
  'search',
  'add_to_wishlist',
  'complete_registration',
  'lead',
] as const

/** The conversions whose events have one product in their properties, not a list. */
const productConversions: ReadonlySet<string> = new Set(['add_to_cart', 'view_content', 'add_to_wishlist'])

/**
 * Returns a mapping for each standard event. The name of the event at the platform is a constant, and all mappings have
 * the same fields. Events of one product also have the field of that product.
 */
export const standardPresets = (
  platform: 'meta' | 'tiktok' | 'google_analytics',
  action: string,
  fields: MappingPreset['fields'],
  conversions: readonly (keyof typeof conversionNames)[] = presetConversions,
): MappingPreset[] =>
  conversions.map((conversion) => ({
    eventName: conversionNames[conversion].events[0] ?? '',
    eventType: 'track',
    action,
    fields: {
      event_name: { type: 'CONSTANT', value: conversionNames[conversion][platform] },
      ...fields,
      ...(productConversions.has(conversion) ? { one_product: eventPlaces.properties } : {}),
    },
  }))

/**
 * Returns a mapping for each event by its name, with the name of the event at the platform. Events of one product also
 * have the field of that product.
 */
export const namedPresets = (
  names: Readonly<Record<string, string>>,
  action: string,
  fields: MappingPreset['fields'],
): MappingPreset[] =>
  Object.entries(names).map(([eventName, name]) => ({
    eventName,
    eventType: 'track',
    action,
    fields: {
      event_name: { type: 'CONSTANT', value: name },
      ...fields,
      ...(/^Product (?!List )/.test(eventName) ? { one_product: eventPlaces.properties } : {}),
    },
  }))

/** The names of fields that a view of a page does not have: those of an order and of its products. */
const orderFieldNames: ReadonlySet<string> = new Set([
  'value',
  'currency',
  'order_id',
  'contents',
  'search_string',
  'query',
  'content_name',
  'content_category',
  'content_type',
  'num_items',
  'net_revenue',
  'delivery_category',
  'price_of_one',
  'one_product',
])

/** Returns the mapping for every view of a page. */
export const pagePreset = (name: string, action: string, fields: MappingPreset['fields']): MappingPreset => ({
  eventType: 'page',
  action,
  fields: {
    event_name: { type: 'CONSTANT', value: name },
    ...Object.fromEntries(Object.entries(fields).filter(([field]) => !orderFieldNames.has(field))),
  },
})

/** The kinds of objects that a destination of conversions receives. */
export const conversionObjects = {
  category: 'Advertising' as const,
  popular: true as const,
  kinds: ['Event Streams'],
  auth: 'key',
  objects: [
    {
      name: 'conversions',
      title: 'Conversions',
      description: 'One per event that has a mapping.',
      syncModes: ['INSERT_ONLY'],
      identifiers: [{ target: 'event_id' }],
      actions: ['send_conversion'],
    },
  ],
} satisfies Pick<DestinationDefinition, 'auth' | 'category' | 'kinds' | 'objects' | 'popular'>

const field = (name: string) => ({ type: 'FIELD', name }) as const

/** The sources in events of the data that every platform needs. */
export const eventPlaces = {
  ...personPlaces,
  person: { type: 'VARIABLE', name: 'user_key' },
  messageId: { type: 'VARIABLE', name: 'message_id' },
  time: { type: 'VARIABLE', name: 'timestamp' },
  value: anyOf('properties.revenue', 'properties.total', 'properties.value', 'properties.price'),
  /** Without the price of one piece, which `price` has. */
  total: anyOf('properties.revenue', 'properties.total', 'properties.value'),
  price: field('properties.price'),
  properties: field('properties'),
  currency: field('properties.currency'),
  orderId: field('properties.order_id'),
  products: field('properties.products'),
  query: field('properties.query'),
  url: field('context.page.url'),
  referrer: field('context.page.referrer'),
  ip: field('context.ip'),
  userAgent: field('context.userAgent'),
  consent: field('context.consent.categoryPreferences.advertising'),
} as const

/** The sources of the data that a signal adds to a conversion. */
export const signalPlaces = {
  eventId: field('context.signal.event_id'),
  time: field('context.signal.time'),
  value: field('context.signal.value'),
  currency: field('context.signal.currency'),
  consent: field('context.signal.consent'),
  /** The product of an event without a list of products. */
  product: field('context.signal.product'),
  clickId: (name: 'gclid' | 'gbraid' | 'wbraid' | 'fbc' | 'ttclid') => field(`context.signal.${name}`),
  browserId: (name: 'fbp' | 'ttp' | 'ga_client_id' | 'ga_session_id') => field(`context.signal.${name}`),
} as const
