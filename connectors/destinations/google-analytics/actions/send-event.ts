import { defineAction } from '@tributary/connector-kit'
import { oneProductFields } from '../../../wire/conversions/conversion-fields.ts'
import { withDefaultCountry, withDefaultCurrency } from '../../../wire/conversions/default-settings.ts'
import { productFieldsOf } from '../../../wire/conversions/product-fields.ts'
import { maxProducts } from '../../../wire/conversions/products.ts'
import { googleNormalization } from '../../../wire/normalization/google.ts'
import { orderParameters, otherParameters, surroundings } from './fields.ts'

const hashed = { type: 'string', kind: 'identity', help: 'Normalized and hashed before it is sent.' } as const
const plain = { type: 'string', kind: 'context' } as const

export const sendEvent = defineAction({
  name: 'send_event',
  title: 'Send event',
  description: 'Sends an event. What you map beside these fields becomes a parameter of it.',
  customTargets: true,
  fields: {
    event_name: {
      label: 'Event name',
      help: 'A recommended event of Google Analytics, such as purchase, or a name of your own. Spaces become underscores.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
    client_id: {
      label: 'Client ID',
      help: 'The one of the Google tag, so that tag and server are one user: the cookie _ga.',
      type: 'string',
      recommended: true,
      kind: 'identity',
    },
    ga_app_instance_id: {
      label: 'App instance ID',
      help: 'The one of the Firebase SDK. Required for the stream of an app.',
      type: 'string',
      kind: 'identity',
    },
    ga_user_key: {
      label: 'Person',
      help: 'Any ID of the person. Without a client ID, one is made from it. It is not sent.',
      type: 'string',
      recommended: true,
      kind: 'identity',
    },
    event_time: {
      label: 'Time',
      help: 'When it happened, at most 72 hours ago.',
      type: 'datetime',
      required: true,
      recommended: true,
      kind: 'event',
    },
    user_id: { label: 'User ID', help: 'Your own ID of the user. No email address.', ...plain, kind: 'identity' },
    session_id: {
      label: 'Session ID',
      help: 'Of the Google tag: the event joins its session. The number in the cookie _ga_ of the stream.',
      ...plain,
    },
    user_properties: {
      label: 'User properties',
      help: 'An object with the values of user-scoped dimensions. No personal data.',
      type: 'object',
      kind: 'property',
    },
    transaction_id: {
      label: 'Transaction ID',
      help: 'The order ID. Google Analytics counts a purchase with the same one once.',
      type: 'string',
      recommended: true,
      kind: 'property',
    },
    value: { label: 'Value', help: 'A number that is not negative.', type: 'any', recommended: true, kind: 'property' },
    currency: {
      label: 'Currency',
      help: 'A code such as USD. Without it, the default of the settings.',
      type: 'string',
      recommended: true,
      kind: 'property',
      ...withDefaultCurrency,
    },
    items: {
      label: 'Products',
      help: 'The list of products, with product_id or name, quantity, price, and further details.',
      type: 'array',
      kind: 'property',
      maxItems: maxProducts,
      fields: productFieldsOf(
        'product_id',
        'name',
        'brand',
        'category',
        'variant',
        'price',
        'quantity',
        'discount',
        'coupon',
        'affiliation',
        'position',
        'currency',
      ),
    },
    ...oneProductFields,
    ...orderParameters,
    ...otherParameters,
    search_term: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    page_location: { label: 'Page URL', help: 'Where it happened.', ...plain },
    page_referrer: { label: 'Referrer', help: 'The page before.', ...plain },
    page_title: { label: 'Page title', help: 'The title of the page.', type: 'any', kind: 'context' },
    ga_ip_override: {
      label: 'IP address',
      help: 'Of the browser. Google derives country and city from it. Not sent without consent.',
      ...plain,
    },
    ga_user_agent: { label: 'User agent', help: 'Of the browser. Google derives the device from it.', ...plain },
    ...surroundings,
    email: { label: 'Email', ...hashed, pii: 'email', comparable: googleNormalization.email },
    phone: {
      label: 'Phone',
      ...hashed,
      help: 'With the country code. Normalized and hashed before it is sent.',
      pii: 'phone',
      comparable: googleNormalization.phone,
      ...withDefaultCountry,
    },
    ad_user_data: {
      label: 'Consent to ad user data',
      help: 'Whether the user agreed to sharing data for ads. Without it, the settings decide.',
      type: 'any',
      kind: 'context',
    },
    ad_personalization: {
      label: 'Consent to personalized ads',
      help: 'Whether the user agreed to personalized ads.',
      type: 'any',
      kind: 'context',
    },
    ga_non_personalized_ads: {
      label: 'No personalized ads',
      help: 'If it is true, the consent to personalized ads is sent as denied.',
      type: 'boolean',
      kind: 'context',
    },
  },
})
