/** The name of the company, which is a text or in an object ("Identify" of the Segment spec). */
const companyName = {
  type: 'TEMPLATE',
  // Only a text in JSON begins with a quotation mark, so an object without a name writes nothing.
  value: [
    '{% assign named = traits.company.name | json | slice: 0 %}{% assign given = traits.company | json | slice: 0 %}',
    `{% if named == '"' %}{{ traits.company.name }}{% elsif given == '"' %}{{ traits.company }}{% endif %}`,
  ].join(''),
}

type Standard = { label: string; help: string; type: string; kind: string; required?: true; recommended?: true }

const field = (label: string, help: string, from: unknown, form: Omit<Standard, 'label' | 'help'>) => ({
  label,
  help,
  from,
  ...form,
})

const identity = { type: 'string', kind: 'identity', recommended: true } as const
const trait = { type: 'string', kind: 'trait', recommended: true } as const
const property = { type: 'string', kind: 'property' } as const
const context = { type: 'string', kind: 'context' } as const
const amount = { type: 'number', kind: 'property' } as const

/**
 * Fields that most vendors have, by their name: label, help, type, and usual source. The paths are those of the Segment
 * spec (common fields, traits, and e-commerce events). None of them is hashed without `pii`.
 */
export const standardFields = {
  event_name: field('Event name', 'The name of the event.', 'event', {
    type: 'string',
    kind: 'event',
    required: true,
    recommended: true,
  }),
  message_id: field('Message ID', 'By it, repeated events are recognized.', '$message_id', {
    ...property,
    recommended: true,
  }),
  timestamp: field('Time', 'When it happened.', '$timestamp', {
    type: 'datetime',
    kind: 'property',
    recommended: true,
  }),

  user_id: field('User ID', 'Your ID of the person.', 'userId', identity),
  anonymous_id: field('Anonymous ID', 'The ID of a device without a known person.', 'anonymousId', identity),
  any_id: field('ID', 'The user ID, or the anonymous ID if there is none.', '$user_key', identity),
  group_id: field('Group ID', 'The ID of the company, team, or account.', 'groupId', identity),
  previous_id: field('Previous ID', 'The ID that the person had before.', 'previousId', identity),
  email: field('Email', 'The email address of the person.', '$user_email', identity),
  phone: field('Phone', 'The phone number of the person.', '$user_phone', identity),

  name: field('Name', 'The full name of the person.', 'traits.name', trait),
  first_name: field('First name', 'The first name of the person.', '$user_first_name', trait),
  last_name: field('Last name', 'The last name of the person.', '$user_last_name', trait),
  city: field('City', 'The city of the person.', '$user_city', trait),
  region: field('Region', 'The state or region of the person.', '$user_state', trait),
  country: field('Country', 'The country of the person.', '$user_country', trait),
  postal_code: field('Postal code', 'The postal code of the person.', '$user_postal_code', trait),
  birthday: field('Birthday', 'The date of birth of the person.', '$user_birthday', trait),
  gender: field('Gender', 'The gender of the person.', '$user_gender', trait),
  company: field('Company', 'The name of the company of the person.', companyName, trait),
  traits: field('Traits', 'The object of all traits.', 'traits', { type: 'object', kind: 'trait', recommended: true }),
  group_traits: field('Traits', 'The object of all traits of the group.', 'traits', {
    type: 'object',
    kind: 'trait',
    recommended: true,
  }),

  language: field('Language', 'The language of the device, such as en-US.', 'context.locale', context),
  timezone: field('Time zone', 'The time zone of the device, such as Europe/Berlin.', 'context.timezone', context),
  ip: field('IP address', 'The IP address of the device.', 'context.ip', context),
  user_agent: field('User agent', 'The browser and system as the browser states them.', 'context.userAgent', context),
  page_url: field('URL', 'The address of the page.', ['properties.url', 'context.page.url'], context),
  page_title: field('Page title', 'The title of the page.', ['properties.title', 'context.page.title'], context),
  page_path: field('Page path', 'The path of the page.', ['properties.path', 'context.page.path'], context),
  referrer: field('Referrer', 'The page before.', ['properties.referrer', 'context.page.referrer'], context),
  os_name: field('Operating system', 'The operating system of the device.', 'context.os.name', context),
  os_version: field('Version of the operating system', 'Such as 18.1.', 'context.os.version', context),
  device_id: field('Device ID', 'The ID of the device.', 'context.device.id', context),
  device_model: field('Device model', 'The model of the device.', 'context.device.model', context),
  device_type: field('Device type', 'Such as ios, android, or desktop.', 'context.device.type', context),
  device_manufacturer: field(
    'Device manufacturer',
    'The manufacturer of the device.',
    'context.device.manufacturer',
    context,
  ),
  app_version: field('App version', 'The version of the app.', 'context.app.version', context),
  advertising_id: field(
    'Advertising ID',
    'The IDFA or advertising ID of the device.',
    'context.device.advertisingId',
    context,
  ),

  properties: field('Properties', 'The object of all properties.', 'properties', {
    type: 'object',
    kind: 'property',
    recommended: true,
  }),
  value: field(
    'Value',
    'The amount of money of the event.',
    ['properties.revenue', 'properties.total', 'properties.value'],
    amount,
  ),
  revenue: field('Revenue', 'The revenue of the event.', ['properties.revenue', 'properties.total'], amount),
  currency: field('Currency', 'The ISO 4217 code, such as USD.', 'properties.currency', property),
  order_id: field('Order ID', 'The ID of the order.', 'properties.order_id', property),
  products: field('Products', 'The list of products.', 'properties.products', { type: 'array', kind: 'property' }),
  quantity: field('Quantity', 'The number of pieces of the product.', 'properties.quantity', amount),
  product_id: field('Product ID', 'The ID of the product.', 'properties.product_id', property),
  product_name: field('Product name', 'The name of the product.', 'properties.name', property),
  price: field('Price', 'The price of one piece of the product.', 'properties.price', amount),
  coupon: field('Coupon', 'The coupon of the order or product.', 'properties.coupon', property),
} as const satisfies Readonly<Record<string, Standard & { from: unknown }>>
