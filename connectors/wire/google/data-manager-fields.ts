import { phoneHelp } from '../conversions/conversion-fields.ts'
import { googleNormalization } from '../normalization/google.ts'

const hashed = { type: 'string', kind: 'identity', help: 'Normalized and hashed before it is sent.' } as const

/** Maximum emails and phone numbers: Google reads at most 10 identifiers of a person ("UserData"), one is the address. */
const most = { email: 5, phone: 4 } as const

/** The fields by which Google matches a person: "UserIdentifier" of the Data Manager API. */
export const contactFields = {
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
} as const

/** The fields of "Consent" of the Data Manager API. */
export const consentFields = {
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
