import { countryCodeOf } from './countries.ts'
import { internationalPhone } from './phones.ts'
import { stateCodeOf } from './states.ts'
import { addressOf, lettersOnly, plainName, withoutSpaces } from './texts.ts'

/** The words of capi-param-builder (genderUtil.js). */
const genders: Readonly<Record<'m' | 'f', ReadonlySet<string>>> = {
  m: new Set(
    `man male boy gentleman guy sir mister mr son father dad daddy papa uncle nephew brother husband boyfriend groom
     widower king prince duke count emperor god lord lad fellow chap bloke dude he him his himself m`.split(/\s+/),
  ),
  f: new Set(
    `woman female girl lady miss ms mrs madam ma'am daughter mother mom mama mommy aunt niece sister wife girlfriend
     bride widow queen princess duchess countess empress goddess maiden lass gal chick dame belle she her hers herself
     f`.split(/\s+/),
  ),
}

const gender = (text: string): string => {
  const word = text.trim().toLowerCase()
  return genders.m.has(word) ? 'm' : genders.f.has(word) ? 'f' : ''
}

/** Characters beside letters and digits in the name of an address, as in capi-param-builder (emailUtil.js). */
const nameSigns = new Set("_!#$%&'*+/=?^`{|}~-")
const isLatin = (char: string): boolean => (char >= 'a' && char <= 'z') || (char >= '0' && char <= '9')

const email = (text: string): string => {
  const address = addressOf(text)
  const [name = '', domain = ''] = address.split('@')
  const isName = name
    .split('.')
    .every((part) => part !== '' && Array.from(part).every((char) => isLatin(char) || nameSigns.has(char)))
  const labels = domain.split('.')
  const isDomain = labels.every(
    (label) =>
      isLatin(label[0] ?? '') &&
      isLatin(label.at(-1) ?? '') &&
      Array.from(label).every((char) => isLatin(char) || char === '-'),
  )
  return isName && isDomain ? address : ''
}

/** Maximum characters of a date of birth. */
const longestDate = 200

const isDate = (year: number, month: number, day: number): boolean =>
  year >= 1800 && year <= new Date().getUTCFullYear() && month >= 1 && month <= 12 && day >= 1 && day <= 31

const written = (year: number, month: number, day: number): string =>
  isDate(year, month, day)
    ? `${String(year).padStart(4, '0')}${String(month).padStart(2, '0')}${String(day).padStart(2, '0')}`
    : ''

/** Returns a date from its numbers in the order in which they are written; the month precedes the day if both fit. */
const dateOf = (first: number, second: number, third: number): string => {
  if (first > 31) return second > 12 ? written(first, third, second) : written(first, second, third)
  if (second > 31) return third > 12 ? written(second, first, third) : written(second, third, first)
  return first > 12 ? written(third, second, first) : written(third, first, second)
}

/** Returns a date of birth as YYYYMMDD, by the rules of capi-param-builder (dobUtil.js). */
const birthday = (text: string): string => {
  const groups = text.slice(0, longestDate).match(/\d+/g) ?? []
  const [first = '', second = '', third = ''] = groups
  if (groups.length >= 3 && first.length < 8) return dateOf(Number(first), Number(second), Number(third))
  if (first.length !== 8) return ''
  const part = (from: number, to: number): number => Number(first.slice(from, to))
  return written(part(0, 4), part(4, 6), part(6, 8)) || dateOf(part(0, 2), part(2, 4), part(4, 8))
}

/** The part before a hyphen, as in capi-param-builder and Meta's Business SDK; a code has two characters or more. */
const zip = (text: string): string => {
  const [code = ''] = withoutSpaces(text.toLowerCase()).split('-', 1)
  return code.length < 2 ? '' : code
}

/**
 * Normalization by Meta's rules: "Customer Information Parameters" of the Conversions API
 * (developers.facebook.com/docs/marketing-api/conversions-api/parameters/customer-information-parameters), and where the
 * page leaves it open, Meta's library capi-param-builder. Where they differ, the page applies: letters of all scripts
 * are kept in a city, and a state outside the United States and Canada keeps its whole name.
 */
export const metaNormalization = {
  email,
  phone: (text: string, country?: string): string => internationalPhone(text, country).slice(1),
  name: (text: string): string => withoutSpaces(plainName(text)),
  city: lettersOnly,
  state: (text: string): string => stateCodeOf(text) || lettersOnly(text),
  gender,
  birthday,
  zip,
  country: (text: string): string => countryCodeOf(text).toLowerCase(),
  id: (text: string): string => withoutSpaces(text).toLowerCase(),
}

/** The appendixes of capi-param-builder (Constants.js): a token of the language, or 8 characters of base64url. */
const appendix = '(?:AQ|Ag|Aw|BA|BQ|Bg|[A-Za-z0-9_-]{8})'
const hashWithAppendix = new RegExp(`^(?:[A-Fa-f0-9]{64}|[A-Fa-f0-9]{32})\\.${appendix}$`)
const browserId = new RegExp(`^fb\\.\\d\\.\\d{1,20}\\.\\d{1,20}(?:\\.${appendix})?$`)

/** The hash of an empty text, which would match each person without data. */
const hashOfNothing =
  /^(?:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855|d41d8cd98f00b204e9800998ecf8427e)\./i

/**
 * Returns a hash with its appendix, as Meta's Parameter Builder makes it: Meta takes it unchanged. Returns '' for the
 * hash of an empty text, and undefined for other texts.
 */
export const metaHashOf = (text: string): string | undefined => {
  if (!hashWithAppendix.test(text)) return undefined
  return hashOfNothing.test(text) ? '' : text
}

/**
 * Returns the browser ID of a `_fbp` cookie, with the appendix of Meta's Parameter Builder if it has one; '' for other
 * texts.
 */
export const metaBrowserIdOf = (text: string): string => (browserId.test(text.trim()) ? text.trim() : '')
