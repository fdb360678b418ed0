import type { Template, TemplateObject } from './template.ts'

/** The traits that most products store of a person, with their customary names. */
export const personTraits: TemplateObject = {
  email: ['string', 'required', 'Address of the person.'],
  first_name: ['string', 'recommended', 'Given name.'],
  last_name: ['string', 'recommended', 'Family name.'],
  phone: ['string', 'optional', 'Phone number with country code, such as +4930123456.'],
  created_at: ['string', 'recommended', 'When the account was made, ISO 8601.'],
  locale: ['string', 'optional', 'Language and region, such as de-DE.'],
  country: ['string', 'optional', 'Country of residence, ISO 3166-1 alpha-2.'],
}

/** The events around an account that nearly every product has. */
export const accountEvents: Template['events'] = {
  'Signed Up': {
    method: ['string', 'required', 'How: email, google, apple …'],
    email: ['string', 'recommended', 'Address that was given.'],
    referral_code: ['string', 'optional', 'Code of whoever recommended it.'],
    plan: ['string', 'optional', 'Plan that was chosen.'],
  },
  'Signed In': {
    method: ['string', 'recommended', 'How: password, google, one-time code …'],
  },
  'Signed Out': {},
}
