import { readPhone } from '@tributary/connector-kit'
import { countryCodeOf } from './countries.ts'
import { type NumberingPlan, numberingPlans } from './numbering-plans.ts'

/**
 * Minimum digits of a number that is written without the prefix of its country. With fewer digits, the code of the city
 * may be absent.
 */
const fewestWithoutPrefix = 9

/** Countries in which people write 11 digits without a prefix, so that the number looks like one with a country code. */
const longNumbers: Readonly<Record<string, RegExp>> = { CN: /^1[3-9]\d{9}$/, BR: /^[1-9]{2}9\d{8}$/ }

const fits = ({ lengths }: NumberingPlan, digits: string): boolean =>
  lengths.some(([first, last]) => digits.length >= first && digits.length <= last)

/** Returns the number without the prefix of calls within the country; undefined for other digits. */
const nationalOf = (country: string, plan: NumberingPlan, digits: string): string | undefined => {
  const { prefix } = plan
  if (prefix !== '' && digits.startsWith(prefix)) {
    // Belarus has two digits of which some countries' plans name the first one only.
    const rest = prefix === '8' ? digits.slice(1).replace(/^0/, '') : digits.slice(prefix.length)
    if (fits(plan, rest)) return rest
  }
  const fewest = prefix === '' || prefix === plan.code ? 0 : country === 'BR' ? 10 : fewestWithoutPrefix
  const isWhole = digits.length >= fewest && (prefix === '' || !digits.startsWith('0'))
  return isWhole && fits(plan, digits) ? digits : undefined
}

/** Whether a text begins with `+` or `00`, the signs of a country code. */
const namesCountry = (text: string): boolean => /^[^\d+]*(?:\+|00)/.test(text)

/**
 * Returns the phone number in a text with a plus sign and the country code; '' if there is none. A number in national
 * form is completed by the country, which is a code or a name.
 */
export const internationalPhone = (text: string, country = ''): string => {
  const read = readPhone(text)
  const written = 'number' in read ? read.number.slice(1) : (read.national ?? '')
  if (written === '' || country === '' || namesCountry(text.normalize('NFKC')))
    return 'number' in read ? read.number : ''
  const code = countryCodeOf(country)
  const plan = numberingPlans.get(code)
  if (plan === undefined) return 'number' in read ? read.number : ''
  if ('number' in read) {
    const isNational = longNumbers[code]?.test(written) === true || (plan.prefix === '8' && /^8\d{10}$/.test(written))
    if (!isNational) return read.number
  }
  const rest = written.startsWith(plan.code) ? written.slice(plan.code.length) : ''
  const national = nationalOf(code, plan, written) ?? (fits(plan, rest) ? rest : undefined)
  const number = national === undefined ? '' : `${plan.code}${national}`
  return number.length < 7 || number.length > 15 ? '' : `+${number}`
}
