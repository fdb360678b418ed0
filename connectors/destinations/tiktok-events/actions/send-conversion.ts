import { defineAction } from '@tributary/connector-kit'
import { tiktokComparable } from '../../../wire/conversions/comparable.ts'

const hashed = { type: 'string', kind: 'identity', help: 'Normalized and hashed before it is sent.' } as const
const plain = { type: 'string', kind: 'context' } as const

export const sendConversion = defineAction({
  name: 'send_conversion',
  title: 'Send conversion',
  description: 'Sends the event as a conversion. What people are matched by is hashed before it is sent.',
  fields: {
    event_name: {
      label: 'Conversion',
      help: 'A standard event of TikTok, such as Purchase or Lead, or a name of your own.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
    event_id: {
      label: 'Event ID',
      help: 'The same as the pixel sends in event_id, so that TikTok counts the conversion once.',
      type: 'string',
      required: true,
      recommended: true,
      kind: 'event',
    },
    event_time: {
      label: 'Time',
      help: 'When it happened, at most 28 days ago.',
      type: 'datetime',
      required: true,
      recommended: true,
      kind: 'event',
    },
    value: { label: 'Value', help: 'A number that is not negative.', type: 'any', recommended: true, kind: 'property' },
    currency: { label: 'Currency', help: 'A code such as USD.', type: 'string', recommended: true, kind: 'property' },
    order_id: { label: 'Order ID', help: 'Your own ID of the order.', type: 'string', kind: 'property' },
    contents: {
      label: 'Products',
      help: 'The list of products, with product_id, quantity, and price.',
      type: 'array',
      kind: 'property',
    },
    query: { label: 'Search', help: 'What was searched for.', type: 'string', kind: 'property' },
    email: { label: 'Email', ...hashed, recommended: true, pii: 'email', comparable: tiktokComparable.email },
    phone: {
      label: 'Phone',
      ...hashed,
      help: 'With the country code. Normalized and hashed before it is sent.',
      recommended: true,
      pii: 'phone',
      comparable: tiktokComparable.phone,
    },
    external_id: {
      label: 'External ID',
      ...hashed,
      help: 'Your own ID of the person. Hashed before it is sent.',
      recommended: true,
      pii: 'text',
      comparable: tiktokComparable.id,
    },
    first_name: { label: 'First name', ...hashed, pii: 'name', comparable: tiktokComparable.name },
    last_name: { label: 'Last name', ...hashed, pii: 'name', comparable: tiktokComparable.name },
    zip_code: { label: 'Postal code', ...hashed, pii: 'text', comparable: tiktokComparable.zip },
    ttclid: {
      label: 'Click ID',
      help: 'The parameter ttclid of the link. Without it, ttclid of the page URL.',
      ...plain,
      recommended: true,
    },
    ttp: { label: 'Browser ID', help: 'The cookie _ttp.', ...plain },
    ip: { label: 'IP address', help: 'Of the browser. Not hashed.', ...plain, recommended: true },
    user_agent: { label: 'User agent', help: 'Of the browser. Not hashed.', ...plain, recommended: true },
    page_url: { label: 'Page URL', help: 'Where it happened.', ...plain, recommended: true },
    page_referrer: { label: 'Referrer', help: 'The page before.', ...plain },
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
  },
})
