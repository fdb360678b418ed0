import { withDefaultCountry } from '../../../wire/conversions/default-settings.ts'
import { contactFields } from '../../../wire/google/data-manager-fields.ts'

const plain = { type: 'string', kind: 'identity' } as const

/** The setting without which the actions of the Google Ads API cannot run. */
export const needsAdsApi = { needsSetting: 'google_ads_api' } as const

/** Maximum emails and phone numbers: the Google Ads API reads 5 identifiers of a person, one of which is the address. */
const maxValues = 2

/** The person of an operation of the Google Ads API: "UserIdentifier". */
export const adsContactFields = {
  email: { ...contactFields.email, maxValues },
  phone: { ...contactFields.phone, ...withDefaultCountry, maxValues },
  user_identifier_source: {
    label: 'Source of the identifiers',
    help: 'Who collected email, phone, and address.',
    type: 'string',
    kind: 'context',
    choices: [
      { value: 'first_party', label: 'You' },
      { value: 'third_party', label: 'Someone else' },
    ],
  },
} as const

/** The address of a person: "OfflineUserAddressInfo". */
export const adsAddressFields = {
  first_name: contactFields.first_name,
  last_name: contactFields.last_name,
  country: contactFields.country,
  postal_code: contactFields.postal_code,
  city: { label: 'City', help: 'Sent with name, country, and postal code. Not hashed.', ...plain },
  state: {
    label: 'State',
    help: 'Its code, such as CA. Sent with name, country, and postal code. Not hashed.',
    ...plain,
  },
} as const

/** The value of an operation. */
export const adsValueFields = {
  value: { label: 'Value', help: 'A number that is not negative.', type: 'any', recommended: true, kind: 'property' },
  currency: {
    label: 'Currency',
    help: 'A code such as USD. Without it, the default of the settings.',
    type: 'string',
    recommended: true,
    kind: 'property',
    default: { setting: 'default_currency', beside: ['value'] },
  },
} as const

/** The custom variables of an operation: "CustomVariable". */
export const adsVariables = {
  custom_variables: {
    label: 'Custom variables',
    help: 'An object with values by the number of the custom variable. No personal data.',
    type: 'object',
    kind: 'property',
  },
} as const
