/*
 * Fields that are parameters under their own names. Their type is `any`, so that numbers stay numbers.
 */

const parameter = (label: string, help: string) => ({ label, help, type: 'any', kind: 'property' }) as const

/** The parameters of orders ("Recommended events"). */
export const orderParameters = {
  tax: parameter('Tax', 'The tax of the order. A number.'),
  shipping: parameter('Shipping', 'The shipping cost of the order. A number.'),
  coupon: parameter('Coupon', 'The code of a coupon for the whole order.'),
  affiliation: parameter('Affiliation', 'The store. Google takes it of products, so each product gets it, too.'),
  payment_type: parameter('Payment type', 'How the user pays.'),
  shipping_tier: parameter('Shipping tier', 'How the order is shipped.'),
} as const

/** The parameters of lists, promotions, and other recommended events. */
export const otherParameters = {
  method: parameter('Method', 'How the user signs in, signs up, or shares.'),
  content_type: parameter('Content type', 'The type of what is shared.'),
  item_id: parameter('Item ID', 'The ID of what is shared.'),
  item_list_id: parameter('List ID', 'The ID of the list in which products are shown.'),
  item_list_name: parameter('List name', 'The name of the list in which products are shown.'),
  promotion_id: parameter('Promotion ID', 'The ID of the promotion.'),
  promotion_name: parameter('Promotion name', 'The name of the promotion.'),
  creative_name: parameter('Creative', 'The name of the creative of a promotion.'),
  creative_slot: parameter('Creative slot', 'The place of the creative of a promotion.'),
  location_id: parameter('Location ID', 'The ID of the place.'),
  screen_name: parameter('Screen', 'The name of the screen of an app.'),
  screen_class: parameter('Screen class', 'The class of the screen of an app.'),
  group_id: parameter('Group ID', 'The group that the user joins.'),
} as const

const text = (label: string, help: string) => ({ label, help, type: 'string', kind: 'context' }) as const

/**
 * The device and the place of the user, which are no parameters. With a user agent, the device is not sent. Version 0.2.0
 * sends all other names as parameters. It refuses names that begin with `ga_`, so no saved parameter has these names.
 */
export const surroundings = {
  ga_device_category: text('Device category', 'Such as mobile, tablet, or desktop.'),
  ga_language: text('Language', 'Of the device, such as en or en-US.'),
  ga_screen_width: text('Screen width', 'In pixels.'),
  ga_screen_height: text('Screen height', 'In pixels.'),
  ga_os_name: text('System', 'Such as iOS or Android.'),
  ga_os_version: text('System version', 'Such as 17.4.'),
  ga_device_model: text('Device model', 'Such as iPhone14,5.'),
  ga_device_brand: text('Device brand', 'Such as Apple.'),
  ga_browser: text('Browser', 'Such as Chrome.'),
  ga_browser_version: text('Browser version', 'Such as 124.0.'),
  ga_city: text('City', 'Of the user, if it is not derived from the IP address.'),
  ga_region_id: text('Region', 'A code of ISO 3166-2, such as US-CA.'),
  ga_country_id: text('Country', 'A code of two letters, such as US.'),
  ga_subcontinent_id: text('Subcontinent', 'A code of UN M49, such as 021.'),
  ga_continent_id: text('Continent', 'A code of UN M49, such as 019.'),
} as const
