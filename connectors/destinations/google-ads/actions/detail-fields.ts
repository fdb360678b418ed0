const plain = { type: 'string', kind: 'context' } as const
const property = { type: 'string', kind: 'property' } as const

/** The device of a conversion: "DeviceInfo" of the Data Manager API. */
export const deviceFields = {
  ip_address: {
    label: 'IP address',
    help: 'Of the browser. Not sent for people in the EEA, the United Kingdom, and Switzerland.',
    ...plain,
  },
  user_agent: { label: 'User agent', help: 'Of the browser. Not hashed.', ...plain },
  device_category: { label: 'Device category', help: 'Such as desktop, tablet, or mobile.', ...plain },
  locale: { label: 'Locale', help: 'Of the device, such as en-US. Its language is sent.', ...plain },
  screen_width: { label: 'Screen width', help: 'In pixels.', ...plain },
  screen_height: { label: 'Screen height', help: 'In pixels.', ...plain },
  os_name: { label: 'System', help: 'Such as iOS or Android.', ...plain },
  os_version: { label: 'System version', help: 'Such as 17.4.', ...plain },
  device_model: { label: 'Device model', help: 'Such as iPhone14,5.', ...plain },
  device_brand: { label: 'Device brand', help: 'Such as Apple.', ...plain },
  browser: { label: 'Browser', help: 'Such as Chrome.', ...plain },
  browser_version: { label: 'Browser version', help: 'Such as 124.0.', ...plain },
} as const

/** Fields that join a conversion with an ad, beside the click ID: "AdIdentifiers" of the Data Manager API. */
export const adFields = {
  session_attributes: {
    label: 'Session attributes',
    help: 'The encoded text that Google’s JavaScript makes of the session, without personal data.',
    ...plain,
  },
  mobile_device_id: { label: 'Mobile advertiser ID', help: 'IDFA or Android advertising ID. Not hashed.', ...plain },
  landing_user_agent: {
    label: 'User agent at the click',
    help: 'Of the browser that opened the page of the ad, if it is another one.',
    ...plain,
  },
  landing_ip_address: {
    label: 'IP address at the click',
    help: 'Of that browser. Sent only where the IP address is.',
    ...plain,
  },
} as const

/** The cart of a conversion: "CartData" of the Data Manager API, and further details of the conversion. */
export const cartFields = {
  merchant_id: { label: 'Merchant Center ID', help: 'Of the account that has the products.', ...property },
  merchant_feed_label: { label: 'Feed label', help: 'Of the feed of the products, often a country.', ...property },
  merchant_feed_language: { label: 'Feed language', help: 'A code of two letters, such as en.', ...property },
  discount: { label: 'Discount', help: 'The sum of all discounts of the order.', type: 'any', kind: 'property' },
  coupon: { label: 'Coupon', help: 'The code of a coupon for the order, or a list.', type: 'any', kind: 'property' },
  conversion_count: {
    label: 'Quantity',
    help: 'The number of conversions that the event is, if not one.',
    type: 'any',
    kind: 'property',
  },
  custom_variables: {
    label: 'Custom variables',
    help: 'An object with values by the name of the custom variable. No personal data.',
    type: 'object',
    kind: 'property',
  },
  customer_type: { label: 'Customer type', help: 'new, returning, or reengaged.', ...property },
  customer_value: { label: 'Customer value', help: 'low, medium, or high.', ...property },
  store_id: { label: 'Store ID', help: 'Of the store, for sales in stores.', ...property },
} as const
