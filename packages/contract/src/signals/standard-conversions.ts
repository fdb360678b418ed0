/** The standard kinds of conversions at advertising platforms; `custom` has a name that users chose. */
export const standardConversions = [
  'purchase',
  'lead',
  'add_to_cart',
  'complete_registration',
  'initiate_checkout',
  'add_payment_info',
  'view_content',
  'search',
  'add_to_wishlist',
  'subscribe',
  'start_trial',
  'contact',
  'custom',
] as const
export type StandardConversion = (typeof standardConversions)[number]

/** The platforms that conversions can be sent to. */
export const signalPlatforms = ['meta', 'google_ads', 'google_analytics', 'tiktok'] as const
export type SignalPlatform = (typeof signalPlatforms)[number]

/** The title of each platform. */
export const signalPlatformTitles: Readonly<Record<SignalPlatform, string>> = {
  meta: 'Meta',
  google_ads: 'Google Ads',
  google_analytics: 'Google Analytics',
  tiktok: 'TikTok',
}

/**
 * A standard conversion: its title, the events of the commerce schema that usually are such a conversion, and its name
 * at each platform. Pages: Meta, "Standard Events" of the pixel; TikTok, "Supported events" of the Events API; Google
 * Analytics, "Recommended events". Google Ads has conversion actions, which its users name.
 */
export type ConversionNames = {
  title: string
  events: readonly string[]
  meta: string
  tiktok: string
  google_analytics: string
}

const names = (
  title: string,
  events: readonly string[],
  meta: string,
  google_analytics: string,
  tiktok = meta,
): ConversionNames => ({ title, events, meta, tiktok, google_analytics })

/** The standard conversions by name; `custom` has none. */
export const conversionNames: Readonly<Record<Exclude<StandardConversion, 'custom'>, ConversionNames>> = {
  purchase: names('Purchase', ['Order Completed'], 'Purchase', 'purchase'),
  lead: names('Lead', ['Lead Created'], 'Lead', 'generate_lead'),
  add_to_cart: names('Add to cart', ['Product Added'], 'AddToCart', 'add_to_cart'),
  complete_registration: names('Complete registration', ['Signed Up'], 'CompleteRegistration', 'sign_up'),
  initiate_checkout: names('Initiate checkout', ['Checkout Started'], 'InitiateCheckout', 'begin_checkout'),
  add_payment_info: names('Add payment info', ['Payment Info Entered'], 'AddPaymentInfo', 'add_payment_info'),
  view_content: names('View content', ['Product Viewed'], 'ViewContent', 'view_item'),
  search: names('Search', ['Products Searched'], 'Search', 'search'),
  add_to_wishlist: names('Add to wishlist', ['Product Added to Wishlist'], 'AddToWishlist', 'add_to_wishlist'),
  subscribe: names('Subscribe', ['Subscription Created'], 'Subscribe', 'subscribe'),
  start_trial: names('Start trial', ['Trial Started'], 'StartTrial', 'start_trial'),
  contact: names('Contact', ['Contact Form Submitted'], 'Contact', 'contact'),
}

/** Returns the title of a conversion: its standard title, or the name that users chose. */
export const conversionTitle = ({ type, custom_name }: { type: StandardConversion; custom_name: string }): string =>
  type === 'custom' ? custom_name : conversionNames[type].title

/** The identifiers by which a platform recognizes a user; each improves the match quality. */
export const matchIdentifiers = [
  'email',
  'phone',
  'external_id',
  'click_id',
  'browser_id',
  'ip_address',
  'user_agent',
  'name',
  'address',
] as const
export type MatchIdentifier = (typeof matchIdentifiers)[number]

/** The title of each identifier. */
export const matchIdentifierTitles: Readonly<Record<MatchIdentifier, string>> = {
  email: 'Email',
  phone: 'Phone',
  external_id: 'User ID',
  click_id: 'Click ID',
  browser_id: 'Browser ID',
  ip_address: 'IP address',
  user_agent: 'User agent',
  name: 'Name',
  address: 'Address',
}

/**
 * Why a conversion is not sent to a platform, decided before the delivery. A destination's own reason is in its
 * delivery.
 */
export const notSentReasons = [
  'no_consent',
  'consent_unknown',
  'consent_withdrawn',
  'too_old',
  'in_future',
  'no_identifier',
  'invalid_value',
  'invalid_currency',
  'test_event',
  'not_refundable',
  'no_order',
  'refund_currency',
  'refund_too_large',
] as const
export type NotSentReason = (typeof notSentReasons)[number]

/** The meaning of each reason, for screens. */
export const notSentReasonTexts: Readonly<Record<NotSentReason, string>> = {
  no_consent: 'The person did not consent to sharing data for ads',
  consent_unknown: 'The event says nothing of consent',
  consent_withdrawn: 'The person withdrew consent after the event',
  too_old: 'Older than the platform accepts',
  in_future: 'The event time is in the future',
  no_identifier: 'Nothing that the platform can match a person by',
  invalid_value: 'The value is missing, negative, or not a number',
  invalid_currency: 'The currency is missing or unknown',
  test_event: 'A test event, and no test code is entered',
  not_refundable: 'The platform does not take refunds',
  no_order: 'No conversion has this order ID',
  refund_currency: 'The refund has another currency than its order',
  refund_too_large: 'The refund is larger than what is left of its order',
}
