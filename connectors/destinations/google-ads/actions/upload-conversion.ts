import { defineAction } from '@tributary/connector-kit'
import { oneProductFields } from '../../../wire/conversions/conversion-fields.ts'
import { productFieldsOf } from '../../../wire/conversions/product-fields.ts'
import { maxProducts } from '../../../wire/conversions/products.ts'
import { adFields, cartFields, deviceFields } from './detail-fields.ts'
import { personFields } from './fields.ts'

/** Fields that other uploads of conversions have, too. */
export const uploadFields = {
  event_time: {
    label: 'Time',
    help: 'When it happened, at most 90 days ago.',
    type: 'datetime',
    required: true,
    recommended: true,
    kind: 'event',
  },
  items: {
    label: 'Products',
    help: 'The list of products, with the product_id of the Merchant Center, quantity, and price.',
    type: 'array',
    kind: 'property',
    maxItems: maxProducts,
    fields: productFieldsOf('product_id', 'quantity', 'price'),
  },
} as const

export const uploadConversion = defineAction({
  name: 'upload_conversion',
  title: 'Upload conversion',
  description: 'Uploads a conversion by its click ID, by the hashed email or phone of the person, or by both.',
  fields: {
    transaction_id: {
      label: 'Transaction ID',
      help: 'The order ID that the Google tag sends as transaction_id, so that Google counts the conversion once.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
    event_time: uploadFields.event_time,
    value: { label: 'Value', help: 'A number that is not negative.', type: 'any', recommended: true, kind: 'property' },
    currency: {
      label: 'Currency',
      help: 'A code such as USD. Without it, the default of the settings.',
      type: 'string',
      recommended: true,
      kind: 'property',
      default: { setting: 'default_currency', beside: ['value'] },
    },
    items: uploadFields.items,
    one_product: oneProductFields.one_product,
    event_source: {
      label: 'Event source',
      help: 'Where it happened. Without it, web.',
      type: 'string',
      kind: 'context',
      // "EventSource" of the Data Manager API.
      choices: [
        { value: 'web', label: 'Website' },
        { value: 'app', label: 'App' },
        { value: 'in_store', label: 'Store' },
        { value: 'phone', label: 'Phone call' },
        { value: 'message', label: 'Message' },
        { value: 'other', label: 'Other' },
      ],
      isVital: true,
    },
    ...cartFields,
    ...deviceFields,
    ...adFields,
    ...personFields,
  },
})
