import { defineAction } from '@tributary/connector-kit'
import { clickIdOf } from '../../../wire/conversions/click-ids.ts'
import {
  conversionFields,
  externalIdField,
  hashedField,
  lastFields,
  orderFields,
  phoneField,
  plainField,
} from '../../../wire/conversions/conversion-fields.ts'
import { tiktokNormalization } from '../../../wire/normalization/tiktok.ts'

/** Maximum values of an email, a phone number, or an external ID, of which TikTok takes lists. Our own choice. */
const several = { maxValues: 10 } as const

const trimmed = (text: string): string => text.trim()

export const sendConversion = defineAction({
  name: 'send_conversion',
  title: 'Send conversion',
  description: 'Sends the event as a conversion. What people are matched by is hashed before it is sent.',
  fields: {
    ...conversionFields({ platform: 'TikTok', pixelParameter: 'event_id', maxDays: 28 }),
    ...orderFields,
    query: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    email: {
      label: 'Email',
      ...hashedField,
      ...several,
      recommended: true,
      pii: 'email',
      comparable: tiktokNormalization.email,
    },
    phone: { ...phoneField, ...several, comparable: tiktokNormalization.phone },
    external_id: { ...externalIdField, ...several, comparable: tiktokNormalization.id },
    first_name: { label: 'First name', ...hashedField, pii: 'name', comparable: tiktokNormalization.name },
    last_name: { label: 'Last name', ...hashedField, pii: 'name', comparable: tiktokNormalization.name },
    zip_code: { label: 'Postal code', ...hashedField, pii: 'text', comparable: tiktokNormalization.zip },
    ttclid: {
      label: 'Click ID',
      help: 'The parameter ttclid of the link. Without it, ttclid of the page URL.',
      ...plainField,
      recommended: true,
      usable: (text: string) => clickIdOf('tiktok', text) ?? '',
    },
    ttp: { label: 'Browser ID', help: 'The cookie _ttp.', ...plainField, usable: trimmed },
    ip: { label: 'IP address', help: 'Of the browser. Not hashed.', ...plainField, recommended: true, usable: trimmed },
    user_agent: {
      label: 'User agent',
      help: 'Of the browser. Not hashed.',
      ...plainField,
      recommended: true,
      usable: trimmed,
    },
    page_url: { label: 'Page URL', help: 'Where it happened.', ...plainField, recommended: true },
    page_referrer: { label: 'Referrer', help: 'The page before.', ...plainField },
    ...lastFields,
  },
})
