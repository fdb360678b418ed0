import { emailOf, phoneOf } from '@tributary/connector-kit'

/*
 * The functions below normalize personal data before it is hashed, as each platform requires. A value that becomes ''
 * is not sent. Values that are already hashes are not normalized. Pages:
 * - Meta, "Customer Information Parameters" of the Conversions API
 * (developers.facebook.com/docs/marketing-api/conversions-api/parameters/customer-information-parameters),
 * - Google, "Format user data" of the Data Manager API
 * (developers.google.com/data-manager/api/devguides/concepts/formatting), which Google Analytics also follows
 * (developers.google.com/analytics/devguides/collection/ga4/uid-data),
 * - TikTok, "Event payload" of the Events API (business-api.tiktok.com/portal/docs?id=1771100779668482).
 */
const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '')
const lettersOnly = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{M}]/gu, '')
const plainName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}]/gu, '')
    .trim()

/**
 * Returns the day of a date. Only a text that starts with the year is a date, because the order of day and month is
 * unknown in `16/2/1997`.
 */
const dayOf = (text: string): string => {
  const day = /^\s*(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)/.exec(text)
  return day === null ? '' : day.slice(1).join('')
}

/** Parses email addresses and phone numbers like the rest of the product, see `contacts.ts` of the contract. */
const addressOf = (text: string): string => emailOf(text) ?? ''
const internationalNumber = (text: string): string => phoneOf(text) ?? ''

/** Normalization by Meta's rules. */
export const metaComparable = {
  email: addressOf,
  phone: (text: string) => internationalNumber(text).slice(1),
  name: plainName,
  city: lettersOnly,
  state: lettersOnly,
  gender: (text: string) => /^\s*([mf])/i.exec(text)?.[1]?.toLowerCase() ?? '',
  birthday: dayOf,
  // For the United States, only the first five digits are kept.
  zip: (text: string) => withoutSpaces(text.toLowerCase()).replace(/^(\d{5})-\d{4}$/, '$1'),
  country: (text: string) => (/^\s*[a-z]{2}\s*$/i.test(text) ? text.trim().toLowerCase() : ''),
  id: (text: string) => text.trim(),
}

/** Normalization by Google's rules. */
export const googleComparable = {
  email: (text: string) => {
    // Google removes spaces from an email address.
    const address = addressOf(text) || addressOf(withoutSpaces(text))
    const [local = '', domain = ''] = address.split('@')
    if (domain !== 'gmail.com' && domain !== 'googlemail.com') return address
    const [name = ''] = local.split('+', 1)
    const person = name.replaceAll('.', '')
    return person === '' ? '' : `${person}@${domain}`
  },
  phone: internationalNumber,
  name: plainName,
}

/** Normalization by TikTok's rules. */
export const tiktokComparable = {
  email: addressOf,
  phone: internationalNumber,
  name: plainName,
  zip: (text: string) => withoutSpaces(text.toLowerCase()).replaceAll('-', ''),
  id: (text: string) => text.trim().toLowerCase(),
}
