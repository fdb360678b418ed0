import { googleComparable } from '../../../wire/conversions/comparable.ts'

const hashed = { type: 'string', kind: 'identity', help: 'Normalized and hashed before it is sent.' } as const
const plain = { type: 'string', kind: 'context' } as const

/** The fields that both actions have: the user of a conversion, and the consent. */
export const personFields = {
  conversion_action_id: {
    label: 'Conversion action',
    help: 'Its number, if it is another than that of the settings.',
    type: 'string',
    kind: 'event',
  },
  gclid: {
    label: 'Google click ID',
    help: 'The parameter gclid of the link. Without it, gclid of the page URL.',
    ...plain,
    recommended: true,
  },
  gbraid: { label: 'App click ID', help: 'The parameter gbraid of the link.', ...plain },
  wbraid: { label: 'Web click ID', help: 'The parameter wbraid of the link.', ...plain },
  page_url: { label: 'Page URL', help: 'Only click IDs are read from it. It is not sent.', ...plain },
  email: { label: 'Email', ...hashed, recommended: true, pii: 'email', comparable: googleComparable.email },
  phone: {
    label: 'Phone',
    ...hashed,
    help: 'With the country code. Normalized and hashed before it is sent.',
    recommended: true,
    pii: 'phone',
    comparable: googleComparable.phone,
  },
  first_name: { label: 'First name', ...hashed, pii: 'name', comparable: googleComparable.name },
  last_name: { label: 'Last name', ...hashed, pii: 'name', comparable: googleComparable.name },
  country: {
    label: 'Country',
    help: 'The code of two letters. Google takes names only with country and postal code.',
    type: 'string',
    kind: 'identity',
  },
  postal_code: { label: 'Postal code', help: 'Not hashed.', type: 'string', kind: 'identity' },
  ad_user_data: {
    label: 'Consent to ad user data',
    help: 'Whether the person agreed to sharing data for ads. Without it, the settings decide.',
    type: 'any',
    recommended: true,
    kind: 'context',
  },
  ad_personalization: {
    label: 'Consent to personalized ads',
    help: 'Whether the person agreed to personalized ads.',
    type: 'any',
    kind: 'context',
  },
} as const
