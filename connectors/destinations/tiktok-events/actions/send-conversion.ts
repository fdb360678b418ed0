import { defineAction } from '@tributary/connector-kit'
import { tiktokComparable } from '../../../wire/conversions/comparable.ts'
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
    ...conversionFields({ platform: 'TikTok', pixelParameter: 'event_id', maxDays: 28 }),
    ...orderFields,
    query: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    email: { label: 'Email', ...hashedField, recommended: true, pii: 'email', comparable: tiktokComparable.email },
    phone: { ...phoneField, comparable: tiktokComparable.phone },
    external_id: { ...externalIdField, comparable: tiktokComparable.id },
    first_name: { label: 'First name', ...hashedField, pii: 'name', comparable: tiktokComparable.name },
    last_name: { label: 'Last name', ...hashedField, pii: 'name', comparable: tiktokComparable.name },
    zip_code: { label: 'Postal code', ...hashedField, pii: 'text', comparable: tiktokComparable.zip },
    ttclid: {
      label: 'Click ID',
      help: 'The parameter ttclid of the link. Without it, ttclid of the page URL.',
      ...plainField,
      recommended: true,
    },
    ttp: { label: 'Browser ID', help: 'The cookie _ttp.', ...plainField },
    ip: { label: 'IP address', help: 'Of the browser. Not hashed.', ...plainField, recommended: true },
    user_agent: { label: 'User agent', help: 'Of the browser. Not hashed.', ...plainField, recommended: true },
    page_url: { label: 'Page URL', help: 'Where it happened.', ...plainField, recommended: true },
    page_referrer: { label: 'Referrer', help: 'The page before.', ...plainField },
    ...lastFields,
  },
})
