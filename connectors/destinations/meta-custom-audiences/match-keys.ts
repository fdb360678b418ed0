import { createHash } from 'node:crypto'
import { type PersonalTarget, personalDataProblem, personalHashes, readHash } from '@tributary/connector-kit'
import { metaHashOf, metaNormalization } from '../../wire/normalization/meta.ts'

/*
 * The rules below normalize the match keys of users, in the order in which the keys are sent, before they are hashed
 * (developers.facebook.com/documentation/ads-commerce/marketing-api/audiences/guides/custom-audiences, "Hashing and
 * Normalization for Multi-Key"). A value that becomes '' is unknown.
 */
const digits = (text: string): string => text.replaceAll(/\D/g, '')
const within = (text: string, least: number, most: number, length: number): string => {
  const number = Number(digits(text))
  return digits(text) !== '' && number >= least && number <= most ? String(number).padStart(length, '0') : ''
}

const rules = {
  EMAIL: metaNormalization.email,
  PHONE: metaNormalization.phone,
  GEN: metaNormalization.gender,
  DOBY: (text: string) => within(text, 1900, 2100, 4),
  DOBM: (text: string) => within(text, 1, 12, 2),
  DOBD: (text: string) => within(text, 1, 31, 2),
  LN: metaNormalization.name,
  FN: metaNormalization.name,
  FI: (text: string) => Array.from(metaNormalization.city(text))[0] ?? '',
  CT: metaNormalization.city,
  ST: metaNormalization.state,
  ZIP: metaNormalization.zip,
  COUNTRY: metaNormalization.country,
} as const

type Hashed = keyof typeof rules
export type MatchKey = Hashed | 'MADID'

/** The match keys in the order of requests; `MADID` is sent unhashed. */
export const matchKeys: readonly MatchKey[] = [...(Object.keys(rules) as Hashed[]), 'MADID']

/**
 * The column for the value of a person in a value-based audience, an unhashed number that is not negative ("Value-Based
 * Lookalikes", developers.facebook.com/documentation/ads-commerce/marketing-api/audiences/guides/
 * value-based-lookalike-audiences). It does not match people.
 */
export const valueKey = 'LOOKALIKE_VALUE'

/**
 * The lists beside the people of a request, with an ID for each person (Segment, action-destinations,
 * `facebook-custom-audiences/sync/functions.ts`; Meta's page was not seen).
 */
export const ownerKeys = ['app_ids', 'page_ids', 'ig_account_ids'] as const
export type OwnerKey = (typeof ownerKeys)[number]

/** The meaning of a row's field for Meta. */
export type FieldKey = MatchKey | 'EXTERN_ID' | typeof valueKey | OwnerKey

/** Common other names of Meta's fields, without spaces and punctuation. */
const aliases: Readonly<Record<string, FieldKey>> = {
  emailaddress: 'EMAIL',
  phonenumber: 'PHONE',
  mobile: 'PHONE',
  gender: 'GEN',
  birthyear: 'DOBY',
  birthmonth: 'DOBM',
  birthday: 'DOBD',
  lastname: 'LN',
  surname: 'LN',
  firstname: 'FN',
  firstinitial: 'FI',
  city: 'CT',
  state: 'ST',
  postalcode: 'ZIP',
  zipcode: 'ZIP',
  countrycode: 'COUNTRY',
  mobileadvertiserid: 'MADID',
  externid: 'EXTERN_ID',
  externalid: 'EXTERN_ID',
  userid: 'EXTERN_ID',
  appid: 'app_ids',
  pageid: 'page_ids',
  igaccountid: 'ig_account_ids',
  lookalikevalue: valueKey,
}

/** Returns Meta's match key for a field of the user; undefined if there is none. */
export const keyOf = (field: string): FieldKey | undefined => {
  const plain = field.toLowerCase().replaceAll(/[^a-z]/g, '')
  return matchKeys.find((key) => key.toLowerCase() === plain) ?? aliases[plain]
}

/** Whether a text is a hash of SHA-256 or MD5, or one of Meta's Parameter Builder. Its digits are no date. */
const isHash = (text: string): boolean =>
  readHash(text) !== undefined || metaHashOf(text) !== undefined || /^[0-9a-f]{32}$/i.test(text)

/** Returns the parts of a whole date of birth; empty for a text that is none, and for a hash. */
export const birthdayParts = (value: unknown): readonly (readonly [MatchKey, string])[] => {
  const text = typeof value === 'string' ? value.trim() : ''
  const date = text.length > 5 && !isHash(text) ? metaNormalization.birthday(text) : ''
  return date === ''
    ? []
    : [
        ['DOBY', date.slice(0, 4)],
        ['DOBM', date.slice(4, 6)],
        ['DOBD', date.slice(6)],
      ]
}

/** Returns the SHA-256 of a text in hexadecimal. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Returns a hash of Meta's Parameter Builder without its appendix, which audiences do not have; '' for MD5, which
 * audiences do not take.
 */
const hashOfBuilder = (text: string): string | undefined => {
  const hash = metaHashOf(text)
  return hash === undefined ? undefined : (readHash(hash.slice(0, text.indexOf('.'))) ?? '')
}

/** The keys for which a row says why they are not sent. */
const rulesOfProblems: Partial<Record<MatchKey, PersonalTarget['pii']>> = { EMAIL: 'email', PHONE: 'phone' }

const targetOf = (key: Hashed): PersonalTarget => ({
  pii: rulesOfProblems[key] ?? 'text',
  comparable: rules[key],
  vendorHash: hashOfBuilder,
})

const targets = new Map((Object.keys(rules) as Hashed[]).map((key): [MatchKey, PersonalTarget] => [key, targetOf(key)]))

/**
 * Returns a value in the form that is sent to Meta: normalized and hashed, unless it is already a hash; '' for a value
 * without content. The first value with content stands for a list. `country` completes a phone number.
 */
export const matchValue = (key: MatchKey, value: unknown, country?: string): string => {
  const target = targets.get(key)
  if (target !== undefined) return personalHashes(target, value, country)[0] ?? ''
  return typeof value === 'string' ? value.trim().toLowerCase() : ''
}

/** Returns why an email address or a phone number is not sent, as the end of a sentence; undefined for other values. */
export const matchProblem = (key: MatchKey, value: unknown, country?: string): string | undefined => {
  const target = rulesOfProblems[key] === undefined ? undefined : targets.get(key)
  return target === undefined ? undefined : personalDataProblem(target, value, country)
}
