import { clickIdOf } from '../../../wire/conversions/click-ids.ts'
import { phoneHelp } from '../../../wire/conversions/conversion-fields.ts'
import { googleNormalization } from '../../../wire/normalization/google.ts'

const hashed = { type: 'string', kind: 'identity', help: 'Normalized and hashed before it is sent.' } as const
const plain = { type: 'string', kind: 'context' } as const
const click = { ...plain, usable: (text: string) => clickIdOf('google', text) ?? '' } as const

/** Maximum emails and phone numbers: Google reads at most 10 identifiers of an event ("UserData"), one is the address. */
const most = { email: 5, phone: 4 } as const

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
    ...click,
    recommended: true,
  },
  gbraid: { label: 'App click ID', help: 'The parameter gbraid of the link.', ...click },
  wbraid: { label: 'Web click ID', help: 'The parameter wbraid of the link.', ...click },
  page_url: { label: 'Page URL', help: 'Only click IDs are read from it. It is not sent.', ...plain },
  email: {
    label: 'Email',
    ...hashed,
    recommended: true,
    pii: 'email',
    comparable: googleNormalization.email,
    maxValues: most.email,
  },
  phone: {
    label: 'Phone',
    ...hashed,
    help: phoneHelp,
    recommended: true,
    pii: 'phone',
    comparable: googleNormalization.phone,
    countryTarget: 'country',
    maxValues: most.phone,
  },
  first_name: { label: 'First name', ...hashed, pii: 'name', comparable: googleNormalization.givenName },
  last_name: { label: 'Last name', ...hashed, pii: 'name', comparable: googleNormalization.familyName },
  country: {
    label: 'Country',
    help: 'A code or a name. Completes the phone number. Google takes names only with country and postal code.',
    type: 'string',
    kind: 'identity',
    usable: googleNormalization.region,
  },
  postal_code: {
    label: 'Postal code',
    help: 'Not hashed.',
    type: 'string',
    kind: 'identity',
    usable: googleNormalization.postalCode,
  },
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
