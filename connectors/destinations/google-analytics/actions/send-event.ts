import { defineAction } from '@tributary/connector-kit'
import { googleNormalization } from '../../../wire/normalization/google.ts'

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
      help: 'A recommended event of Google Analytics, such as purchase, or a name of your own.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
    client_id: {
      label: 'Client ID',
      help: 'The one of the Google tag, so that tag and server are one user: the end of the cookie _ga.',
      type: 'string',
      required: true,
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
    session_id: { label: 'Session ID', help: 'Of the Google tag: the event joins its session.', ...plain },
    transaction_id: {
      label: 'Transaction ID',
      help: 'The order ID. Google Analytics counts a purchase with the same one once.',
      type: 'string',
      recommended: true,
      kind: 'property',
    },
    value: { label: 'Value', help: 'A number that is not negative.', type: 'any', recommended: true, kind: 'property' },
    currency: { label: 'Currency', help: 'A code such as USD.', type: 'string', recommended: true, kind: 'property' },
    items: {
      label: 'Products',
      help: 'The list of products, with product_id, name, quantity, and price.',
      type: 'array',
      kind: 'property',
    },
    search_term: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    page_location: { label: 'Page URL', help: 'Where it happened.', ...plain },
    page_referrer: { label: 'Referrer', help: 'The page before.', ...plain },
    email: { label: 'Email', ...hashed, pii: 'email', comparable: googleNormalization.email },
    phone: {
      label: 'Phone',
      ...hashed,
      help: 'With the country code. Normalized and hashed before it is sent.',
      pii: 'phone',
      comparable: googleNormalization.phone,
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
  },
})
