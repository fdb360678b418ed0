import type { MappingPreset } from '@tributary/connector-kit'

type Names = { event: string; meta: string; tiktok: string; analytics: string }

/**
 * What events of the commerce schema are called as conversions. Pages: Meta, "Standard Events" of the pixel; TikTok, "Supported events"
 * of the Events API; Google Analytics, "Recommended events".
 */
const standardEvents: readonly Names[] = [
  { event: 'Order Completed', meta: 'Purchase', tiktok: 'Purchase', analytics: 'purchase' },
  { event: 'Product Added', meta: 'AddToCart', tiktok: 'AddToCart', analytics: 'add_to_cart' },
  { event: 'Checkout Started', meta: 'InitiateCheckout', tiktok: 'InitiateCheckout', analytics: 'begin_checkout' },
  { event: 'Payment Info Entered', meta: 'AddPaymentInfo', tiktok: 'AddPaymentInfo', analytics: 'add_payment_info' },
  { event: 'Product Viewed', meta: 'ViewContent', tiktok: 'ViewContent', analytics: 'view_item' },
  { event: 'Products Searched', meta: 'Search', tiktok: 'Search', analytics: 'search' },
  { event: 'Product Added to Wishlist', meta: 'AddToWishlist', tiktok: 'AddToWishlist', analytics: 'add_to_wishlist' },
  { event: 'Signed Up', meta: 'CompleteRegistration', tiktok: 'CompleteRegistration', analytics: 'sign_up' },
  { event: 'Lead Created', meta: 'Lead', tiktok: 'Lead', analytics: 'generate_lead' },
]

/** A mapping for each standard event: what it is called there is a constant, everything else the same fields. */
export const standardPresets = (
  platform: 'meta' | 'tiktok' | 'analytics',
  action: string,
  fields: MappingPreset['fields'],
): MappingPreset[] =>
  standardEvents.map(({ event, ...names }) => ({
    eventName: event,
    eventType: 'track',
    action,
    fields: { event_name: { type: 'CONSTANT', value: names[platform] }, ...fields },
  }))

const field = (name: string) => ({ type: 'FIELD', name }) as const

/** Email, phone and names of the person, wherever libraries tell them: the first place that has one. */
const anyOf = (...paths: string[]): { type: 'TEMPLATE'; value: string } => ({
  type: 'TEMPLATE',
  value: `{{ ${paths.join(' | default: ')} }}`,
})

/** Where events have what every platform asks for. */
export const eventPlaces = {
  email: anyOf('context.traits.email', 'properties.email', 'traits.email'),
  phone: anyOf('context.traits.phone', 'properties.phone', 'traits.phone'),
  firstName: field('context.traits.firstName'),
  lastName: field('context.traits.lastName'),
  city: field('context.traits.address.city'),
  state: field('context.traits.address.state'),
  postalCode: field('context.traits.address.postalCode'),
  country: field('context.traits.address.country'),
  person: { type: 'VARIABLE', name: 'user_key' },
  messageId: { type: 'VARIABLE', name: 'message_id' },
  time: { type: 'VARIABLE', name: 'timestamp' },
  value: anyOf('properties.revenue', 'properties.total', 'properties.value', 'properties.price'),
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
