import { defineAction } from '@tributary/connector-kit'
import { metaComparable } from '../../../wire/conversions/comparable.ts'
import {
  conversionFields,
  externalIdField,
  hashedField,
  lastFields,
  orderFields,
  phoneField,
  plainField,
} from '../../../wire/conversions/conversion-fields.ts'

export const sendConversion = defineAction({
  name: 'send_conversion',
  title: 'Send conversion',
  description: 'Sends the event as a conversion. What people are matched by is hashed before it is sent.',
  fields: {
    ...conversionFields({ platform: 'Meta', pixelParameter: 'eventID', maxDays: 7 }),
    action_source: {
      label: 'Action source',
      help: 'Where it happened: website, app, phone_call, chat, email, physical_store, system_generated, or other. Without it, website.',
      ...plainField,
    },
    event_source_url: {
      label: 'Page URL',
      help: 'Where it happened. Required for website events.',
      ...plainField,
      recommended: true,
    },
    ...orderFields,
    search_string: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    em: { label: 'Email', ...hashedField, recommended: true, pii: 'email', comparable: metaComparable.email },
    ph: { ...phoneField, comparable: metaComparable.phone },
    external_id: { ...externalIdField, comparable: metaComparable.id },
    fn: { label: 'First name', ...hashedField, pii: 'name', comparable: metaComparable.name },
    ln: { label: 'Last name', ...hashedField, pii: 'name', comparable: metaComparable.name },
    ct: { label: 'City', ...hashedField, pii: 'text', comparable: metaComparable.city },
    st: { label: 'State', ...hashedField, pii: 'text', comparable: metaComparable.state },
    zp: { label: 'Postal code', ...hashedField, pii: 'text', comparable: metaComparable.zip },
    country: {
      label: 'Country',
      ...hashedField,
      help: 'The code of two letters. Hashed before it is sent.',
      pii: 'text',
      comparable: metaComparable.country,
    },
    ge: { label: 'Gender', ...hashedField, pii: 'text', comparable: metaComparable.gender },
    db: {
      label: 'Date of birth',
      ...hashedField,
      help: 'Year, month, and day. Hashed before it is sent.',
      pii: 'text',
      comparable: metaComparable.birthday,
    },
    fbc: {
      label: 'Click ID',
      help: 'The cookie _fbc, or the parameter fbclid. Without it, fbclid of the page URL.',
      ...plainField,
      recommended: true,
    },
    fbp: { label: 'Browser ID', help: 'The cookie _fbp.', ...plainField },
    lead_id: { label: 'Lead ID', help: 'Of a lead ad.', ...plainField },
    client_ip_address: { label: 'IP address', help: 'Of the browser. Not hashed.', ...plainField, recommended: true },
    client_user_agent: {
      label: 'User agent',
      help: 'Of the browser. Required for website events.',
      ...plainField,
      recommended: true,
    },
    ...lastFields,
  },
})
