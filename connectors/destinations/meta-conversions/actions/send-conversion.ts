import { defineAction } from '@tributary/connector-kit'
import { clickIdOf } from '../../../wire/conversions/click-ids.ts'
import {
  conversionFields,
  deliveryCategory,
  externalIdField,
  hashedField,
  lastFields,
  orderFields,
  phoneField,
  phoneHelp,
  plainField,
} from '../../../wire/conversions/conversion-fields.ts'
import { plainIp } from '../../../wire/conversions/left-out.ts'
import { maxProducts } from '../../../wire/conversions/products.ts'
import { metaBrowserIdOf, metaHashOf, metaNormalization } from '../../../wire/normalization/meta.ts'
import { appFields, idFields } from './app-fields.ts'

/**
 * Properties of a field with personal data. Meta takes lists of hashes ("Customer Information Parameters"), and hashes of
 * its Parameter Builder. The maximum number is our own choice.
 */
const personal = { ...hashedField, maxValues: 10, vendorHash: metaHashOf } as const

const trimmed = (text: string): string => text.trim()

export const sendConversion = defineAction({
  name: 'send_conversion',
  title: 'Send conversion',
  description:
    'Sends the event as a conversion. Data that identifies people is hashed before it is sent. Further fields that you map become custom data.',
  customTargets: true,
  fields: {
    ...conversionFields({ platform: 'Meta', pixelParameter: 'eventID', maxDays: 7 }),
    action_source: {
      label: 'Action source',
      help: 'Where it happened. Without it, website.',
      ...plainField,
      // "Server Event Parameters", action_source.
      choices: [
        { value: 'website', label: 'Website' },
        { value: 'app', label: 'App' },
        { value: 'phone_call', label: 'Phone call' },
        { value: 'chat', label: 'Chat' },
        { value: 'email', label: 'Email' },
        { value: 'physical_store', label: 'Store' },
        { value: 'system_generated', label: 'Automatic, such as a renewal' },
        { value: 'business_messaging', label: 'Business messaging' },
        { value: 'other', label: 'Other' },
      ],
      isVital: true,
    },
    event_source_url: {
      label: 'Page URL',
      help: 'Where it happened. Required for website events.',
      ...plainField,
      recommended: true,
    },
    referrer_url: { label: 'Referrer', help: 'The page before.', ...plainField },
    ...orderFields,
    content_name: { label: 'Content name', help: 'Of the page or the product.', type: 'string', kind: 'property' },
    content_category: {
      label: 'Content category',
      help: 'Of the page or the product.',
      type: 'string',
      kind: 'property',
    },
    content_ids: {
      label: 'Content IDs',
      help: 'A list. Without it, the IDs of the products.',
      type: 'array',
      kind: 'property',
      maxItems: maxProducts,
    },
    content_type: {
      label: 'Content type',
      help: 'product or product_group. Without it, product.',
      type: 'string',
      kind: 'property',
    },
    num_items: {
      label: 'Number of items',
      help: 'Without it, the quantities of the products are counted for a purchase and a checkout.',
      type: 'any',
      kind: 'property',
    },
    predicted_ltv: { label: 'Predicted value', help: 'Of a subscriber, as an amount.', type: 'any', kind: 'property' },
    net_revenue: { label: 'Net revenue', help: 'The margin of an order, as an amount.', type: 'any', kind: 'property' },
    delivery_category: deliveryCategory,
    status: { label: 'Status', help: 'Of a registration.', type: 'string', kind: 'property' },
    custom_data: {
      label: 'Custom data',
      help: 'An object with data of your own. Personal data in it is not sent.',
      type: 'object',
      kind: 'property',
    },
    search_string: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    em: { label: 'Email', ...personal, recommended: true, pii: 'email', comparable: metaNormalization.email },
    ph: {
      ...phoneField,
      ...personal,
      help: phoneHelp,
      comparable: metaNormalization.phone,
      countryTarget: 'country',
    },
    external_id: { ...externalIdField, ...personal, help: externalIdField.help, comparable: metaNormalization.id },
    fn: { label: 'First name', ...personal, pii: 'name', comparable: metaNormalization.name },
    ln: { label: 'Last name', ...personal, pii: 'name', comparable: metaNormalization.name },
    ct: { label: 'City', ...personal, pii: 'text', comparable: metaNormalization.city },
    st: { label: 'State', ...personal, pii: 'text', comparable: metaNormalization.state },
    zp: { label: 'Postal code', ...personal, pii: 'text', comparable: metaNormalization.zip },
    country: {
      label: 'Country',
      ...personal,
      help: 'A code of two or three letters, or a name. Completes the phone number. Hashed before it is sent.',
      pii: 'text',
      comparable: metaNormalization.country,
      default: { setting: 'default_country', beside: ['ct', 'st', 'zp'] },
    },
    ge: {
      label: 'Gender',
      ...personal,
      help: 'An English word that Meta knows, such as female, f, or Mrs. Hashed before it is sent.',
      pii: 'text',
      comparable: metaNormalization.gender,
    },
    db: {
      label: 'Date of birth',
      ...personal,
      help: 'Year, month, and day in numbers. If both orders fit, the month precedes the day. Hashed before it is sent.',
      pii: 'text',
      comparable: metaNormalization.birthday,
    },
    fbc: {
      label: 'Click ID',
      help: 'The cookie _fbc, or the parameter fbclid. Without it, fbclid of the page URL.',
      ...plainField,
      recommended: true,
      usable: (text: string) => clickIdOf('meta', text) ?? '',
    },
    fbp: { label: 'Browser ID', help: 'The cookie _fbp.', ...plainField, usable: metaBrowserIdOf },
    lead_id: { label: 'Lead ID', help: 'The number of a lead ad.', ...plainField },
    ...idFields,
    ...appFields,
    client_ip_address: {
      label: 'IP address',
      help: 'Of the browser. Not hashed.',
      ...plainField,
      recommended: true,
      usable: plainIp,
    },
    client_user_agent: {
      label: 'User agent',
      help: 'Of the browser. Required for website events.',
      ...plainField,
      recommended: true,
      usable: trimmed,
    },
    opt_out: {
      label: 'Attribution only',
      help: 'Whether Meta must not use the event for the delivery of ads, but for attribution alone.',
      type: 'boolean',
      kind: 'context',
    },
    limited_data_use: {
      label: 'Limited Data Use',
      help: 'Whether Meta must limit its use of the data. Without it, the settings decide.',
      type: 'boolean',
      kind: 'context',
    },
    data_processing_country: {
      label: 'Country of Limited Data Use',
      help: 'Meta’s number of the country: 1 for the United States. Without it, Meta finds the place itself.',
      type: 'any',
      kind: 'context',
    },
    data_processing_state: {
      label: 'State of Limited Data Use',
      help: 'Meta’s number of the state, such as 1000 for California.',
      type: 'any',
      kind: 'context',
    },
    ...lastFields,
  },
})
