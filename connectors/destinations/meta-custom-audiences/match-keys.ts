import { createHash } from 'node:crypto'
import { metaComparable } from '../../wire/conversions/comparable.ts'

/*
 * What people are matched by, in the order in which it is sent, and how each is made comparable before it is hashed
 * (developers.facebook.com/documentation/ads-commerce/marketing-api/audiences/guides/custom-audiences, "Hashing and Normalization for
 * Multi-Key"). What is '' afterwards is not known.
 */
const digits = (text: string): string => text.replaceAll(/\D/g, '')
const within = (text: string, least: number, most: number, length: number): string => {
  const number = Number(digits(text))
  return digits(text) !== '' && number >= least && number <= most ? String(number).padStart(length, '0') : ''
}

const rules = {
  EMAIL: metaComparable.email,
  PHONE: metaComparable.phone,
  GEN: metaComparable.gender,
  DOBY: (text: string) => within(text, 1900, 2100, 4),
  DOBM: (text: string) => within(text, 1, 12, 2),
  DOBD: (text: string) => within(text, 1, 31, 2),
  LN: metaComparable.name,
  FN: metaComparable.name,
  FI: (text: string) => metaComparable.city(text).slice(0, 1),
  CT: metaComparable.city,
  ST: metaComparable.state,
  ZIP: metaComparable.zip,
  COUNTRY: metaComparable.country,
} as const

type Hashed = keyof typeof rules
export type MatchKey = Hashed | 'MADID'

/** The match keys in the order of requests; `MADID` goes as it is. */
export const matchKeys: readonly MatchKey[] = [...(Object.keys(rules) as Hashed[]), 'MADID']

/** Names that fields are known by beside those of Meta, without spaces and signs. */
const aliases: Readonly<Record<string, MatchKey | 'EXTERN_ID'>> = {
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
}

/** What Meta calls a field that people named; undefined when it knows no such thing. */
export const keyOf = (field: string): MatchKey | 'EXTERN_ID' | undefined => {
  const plain = field.toLowerCase().replaceAll(/[^a-z]/g, '')
  return matchKeys.find((key) => key.toLowerCase() === plain) ?? aliases[plain]
}

/** A text as SHA-256 in hexadecimal. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const hash = /^[a-f0-9]{64}$/i

/** A value as Meta is given it: comparable, then hashed, unless it is a hash already; '' when it says nothing. */
export const matchValue = (key: MatchKey, value: unknown): string => {
  const given =
    typeof value === 'string' ? value : typeof value === 'number' || value instanceof Number ? value.toString() : ''
  if (hash.test(given.trim())) return given.trim().toLowerCase()
  if (key === 'MADID') return given.trim().toLowerCase()
  const comparable = rules[key](given)
  return comparable === '' ? '' : sha256(comparable)
}
