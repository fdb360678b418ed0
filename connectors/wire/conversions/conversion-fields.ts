/** A field by which people are matched. */
export const hashedField = {
  type: 'string',
  kind: 'identity',
  help: 'Normalized and hashed before it is sent.',
} as const

/** A field that is sent as it is. */
export const plainField = { type: 'string', kind: 'context' } as const

const eventField = { required: true, recommended: true, kind: 'event' } as const

/** The fields of the action that sends a conversion, as each platform has them. */
export const conversionFields = ({
  platform,
  pixelParameter,
  maxDays,
}: {
  platform: string
  /** The name that the pixel has for the event ID. */
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

/** The fields of an order. */
export const orderFields = {
  value: { label: 'Value', help: 'A number that is not negative.', type: 'any', recommended: true, kind: 'property' },
  currency: { label: 'Currency', help: 'A code such as USD.', type: 'string', recommended: true, kind: 'property' },
  order_id: { label: 'Order ID', help: 'Your own ID of the order.', type: 'string', kind: 'property' },
  contents: {
    label: 'Products',
    help: 'The list of products, with product_id, quantity, and price.',
    type: 'array',
    kind: 'property',
  },
} as const

/** A phone number by which people are matched. */
export const phoneField = {
  label: 'Phone',
  ...hashedField,
  help: 'With the country code. Normalized and hashed before it is sent.',
  recommended: true,
  pii: 'phone',
} as const

/** The ID by which people are matched. */
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
