import { withDefaultCountry, withDefaultCurrency } from './default-settings.ts'
import { productFieldsOf } from './product-fields.ts'
import { maxProducts } from './products.ts'

/** Properties of a field by which a platform matches users. */
export const hashedField = {
  type: 'string',
  kind: 'identity',
  help: 'Normalized and hashed before it is sent.',
} as const

/** Properties of a field that is sent unhashed. */
export const plainField = { type: 'string', kind: 'context' } as const

const eventField = { required: true, recommended: true, kind: 'event' } as const

/** Returns the fields of the action that sends a conversion, with the texts for a platform. */
export const conversionFields = ({
  platform,
  pixelParameter,
  maxDays,
}: {
  platform: string
  /** The name of the event ID in the pixel. */
  pixelParameter: string
  maxDays: number
}) =>
  ({
    event_name: {
      label: 'Conversion',
      help: `A standard event of ${platform}, such as Purchase or Lead, or a name of your own.`,
      type: 'string',
      ...eventField,
    },
    event_id: {
      label: 'Event ID',
      help: `The same as the pixel sends in ${pixelParameter}, so that ${platform} counts the conversion once.`,
      type: 'string',
      ...eventField,
    },
    event_time: {
      label: 'Time',
      help: `When it happened, at most ${maxDays} days ago.`,
      type: 'datetime',
      ...eventField,
    },
  }) as const

/** Properties of a field for how an order reaches the person. */
export const deliveryCategory = {
  label: 'Delivery',
  help: 'How the order reaches the person.',
  type: 'string',
  kind: 'property',
  choices: [
    { value: 'in_store', label: 'In the store' },
    { value: 'curbside', label: 'At the curb' },
    { value: 'home_delivery', label: 'At home' },
  ],
} as const

/** The fields of an event of one product, which has no list of products. */
export const oneProductFields = {
  one_product: {
    label: 'One product',
    help: 'For events without a list: an object with product_id or name, and quantity and price.',
    type: 'object',
    kind: 'property',
    plainMembers: true,
    fields: productFieldsOf('product_id', 'name', 'quantity', 'price'),
  },
  price_of_one: {
    label: 'Price of one piece',
    help: 'Without a value, this price times the quantity of the one product is the value.',
    type: 'any',
    kind: 'property',
  },
} as const

/** The fields of an order. */
export const orderFields = {
  value: { label: 'Value', help: 'A number that is not negative.', type: 'any', recommended: true, kind: 'property' },
  currency: {
    label: 'Currency',
    help: 'A code such as USD. Without it, the default of the settings.',
    type: 'string',
    recommended: true,
    kind: 'property',
    ...withDefaultCurrency,
  },
  order_id: { label: 'Order ID', help: 'Your own ID of the order.', type: 'string', kind: 'property' },
  contents: {
    label: 'Products',
    help: 'The list of products, with product_id, quantity, and price.',
    type: 'array',
    kind: 'property',
    maxItems: maxProducts,
    fields: productFieldsOf('product_id', 'name', 'quantity', 'price', 'brand', 'category'),
  },
  ...oneProductFields,
} as const

/** The help of a phone number that the country of the same mapping completes. */
export const phoneHelp =
  'With the country code, or in national form beside the country. Normalized and hashed before it is sent.'

/** Properties of a field for a phone number by which a platform matches users. */
export const phoneField = {
  label: 'Phone',
  ...hashedField,
  help: 'With the country code. Normalized and hashed before it is sent.',
  recommended: true,
  pii: 'phone',
  ...withDefaultCountry,
} as const

/** Properties of a field for the ID by which a platform matches users. */
export const externalIdField = {
  label: 'External ID',
  ...hashedField,
  help: 'Your own ID of the person. Hashed before it is sent.',
  recommended: true,
  pii: 'text',
} as const

/** The last fields of the action. */
export const lastFields = {
  test_event_code: {
    label: 'Test event code',
    help: 'Of the test screen, if it is another than that of the settings. With it, nothing counts.',
    type: 'string',
    kind: 'context',
  },
  consent: {
    label: 'Consent',
    help: 'Whether the person agreed to sharing data for ads. Without it, the settings decide.',
    type: 'any',
    kind: 'context',
  },
} as const
