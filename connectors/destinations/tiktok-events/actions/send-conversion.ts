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
import { tiktokNormalization } from '../../../wire/normalization/tiktok.ts'
import { appFields } from './app-fields.ts'

/** Maximum values of an email, a phone number, or an external ID, of which TikTok takes lists. Our own choice. */
const several = { maxValues: 10 } as const

const trimmed = (text: string): string => text.trim()

/** Properties of a field with a place, which TikTok takes unhashed. */
const placeField = {
  help: 'In lower case, not hashed.',
  type: 'string',
  kind: 'identity',
  usable: tiktokNormalization.place,
} as const

export const sendConversion = defineAction({
  name: 'send_conversion',
  title: 'Send conversion',
  description: 'Sends the event as a conversion. Data that identifies people is hashed before it is sent.',
  fields: {
    ...conversionFields({ platform: 'TikTok', pixelParameter: 'event_id', maxDays: 28 }),
    ...orderFields,
    event_source: {
      label: 'Event source',
      help: 'Where it happened: web, app, offline for a store, or crm. Without it, web.',
      ...plainField,
    },
    content_type: {
      label: 'Content type',
      help: 'product or product_group. Without it, product.',
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
    search_string: { label: 'Search text', help: 'As the user wrote it.', type: 'string', kind: 'property' },
    travel: {
      label: 'Travel',
      help: 'An object with fields such as city, checkin_date, num_adults, or origin_airport. For events of the web.',
      type: 'object',
      kind: 'property',
    },
    vehicle: {
      label: 'Vehicle',
      help: 'An object with fields such as make, model, year, or body_style. For events of the web.',
      type: 'object',
      kind: 'property',
    },
    description: { label: 'Description', help: 'Of the event or the page.', type: 'string', kind: 'property' },
    num_items: { label: 'Number of items', help: 'In the order or the cart.', type: 'any', kind: 'property' },
    shop_id: { label: 'Shop ID', help: 'Your own ID of the shop.', type: 'string', kind: 'property' },
    predicted_ltv: { label: 'Predicted value', help: 'Of a subscriber, as an amount.', type: 'any', kind: 'property' },
    delivery_category: deliveryCategory,
    query: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    email: {
      label: 'Email',
      ...hashedField,
      ...several,
      recommended: true,
      pii: 'email',
      comparable: tiktokNormalization.email,
    },
    phone: {
      ...phoneField,
      ...several,
      help: phoneHelp,
      comparable: tiktokNormalization.phone,
      countryTarget: 'country',
    },
    external_id: { ...externalIdField, ...several, comparable: tiktokNormalization.id },
    first_name: { label: 'First name', ...hashedField, pii: 'name', comparable: tiktokNormalization.name },
    last_name: { label: 'Last name', ...hashedField, pii: 'name', comparable: tiktokNormalization.name },
    zip_code: { label: 'Postal code', ...hashedField, pii: 'text', comparable: tiktokNormalization.zip },
    city: { label: 'City', ...placeField },
    state: { label: 'State', ...placeField },
    country: {
      label: 'Country',
      ...placeField,
      default: { setting: 'default_country', beside: ['city', 'state', 'zip_code'] },
    },
    ttclid: {
      label: 'Click ID',
      help: 'The parameter ttclid of the link. Without it, ttclid of the page URL.',
      ...plainField,
      recommended: true,
      usable: (text: string) => clickIdOf('tiktok', text) ?? '',
    },
    ttp: { label: 'Browser ID', help: 'The cookie _ttp.', ...plainField, usable: trimmed },
    ip: { label: 'IP address', help: 'Of the browser. Not hashed.', ...plainField, recommended: true, usable: plainIp },
    user_agent: {
      label: 'User agent',
      help: 'Of the browser. Not hashed.',
      ...plainField,
      recommended: true,
      usable: trimmed,
    },
    locale: { label: 'Locale', help: 'The language of the browser, such as en-US.', ...plainField },
    lead_id: {
      label: 'TikTok lead ID',
      help: 'Of a lead of TikTok, for the event sources crm and offline.',
      ...plainField,
    },
    lead_event_source: { label: 'Lead source', help: 'The name of your CRM, for the event source crm.', ...plainField },
    page_url: { label: 'Page URL', help: 'Where it happened.', ...plainField, recommended: true },
    page_referrer: { label: 'Referrer', help: 'The page before.', ...plainField },
    ...appFields,
    limited_data_use: {
      label: 'Limited data use',
      help: 'Whether TikTok must limit its use of the data. Without it, the settings decide.',
      type: 'boolean',
      kind: 'context',
    },
    ...lastFields,
  },
})
