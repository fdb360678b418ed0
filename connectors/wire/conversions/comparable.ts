/*
 * How personal data is made comparable before it is hashed, as each platform wants it. What is '' afterwards says nothing and is not sent.
 * What is a hash already never gets here. Pages: Meta, "Customer Information Parameters" of the Conversions API
 * (developers.facebook.com/docs/marketing-api/conversions-api/parameters/customer-information-parameters); Google, "Format user data" of the
 * Data Manager API (developers.google.com/data-manager/api/devguides/concepts/formatting), by which Google Analytics goes, too
 * (developers.google.com/analytics/devguides/collection/ga4/uid-data); TikTok, "Event payload" of the Events API
 * (business-api.tiktok.com/portal/docs?id=1771100779668482).
 */
const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')
const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '')
const lettersOnly = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{M}]/gu, '')
const plainName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}]/gu, '')
    .trim()

const addressOf = (text: string): string => (/^[^@]+@[^@]+$/.test(text) ? text.toLowerCase() : '')

/** `16/2/1997` says no order of day and month, so only what begins with the year is a date. */
const dayOf = (text: string): string => {
  const day = /^\s*(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})(?!\d)/.exec(text)
  return day === null ? '' : day.slice(1).join('')
}

/**
 * A number as E.164 has it, with its plus sign; '' where the code of the country is not there. Digits alone have one where there are
 * more than ten of them and the first is no zero.
 */
const internationalNumber = (text: string): string => {
  const digits = digitsOf(text)
  const marked = /^\s*(\+|00)/.exec(text)?.[1]
  const number = marked === '00' ? digits.slice(2) : digits
  if (marked === undefined && number.length < 11) return ''
  return /^[1-9]\d{6,14}$/.test(number) ? `+${number}` : ''
}

/** By Meta's rules. */
export const metaComparable = {
  email: (text: string) => addressOf(text.trim()),
  phone: (text: string) => digitsOf(text).replace(/^0+/, ''),
  name: plainName,
  city: lettersOnly,
  state: lettersOnly,
  gender: (text: string) => /^\s*([mf])/i.exec(text)?.[1]?.toLowerCase() ?? '',
  birthday: dayOf,
  // Of the United States the first five digits.
  zip: (text: string) => withoutSpaces(text.toLowerCase()).replace(/^(\d{5})-\d{4}$/, '$1'),
  country: (text: string) => (/^\s*[a-z]{2}\s*$/i.test(text) ? text.trim().toLowerCase() : ''),
  id: (text: string) => text.trim(),
}

/** By Google's rules. */
export const googleComparable = {
  email: (text: string) => {
    const address = addressOf(withoutSpaces(text))
    const [, local = '', domain] = /^(.*)@(gmail\.com|googlemail\.com)$/.exec(address) ?? []
    if (domain === undefined) return address
    const person = local.replace(/\+.*$/, '').replaceAll('.', '')
    return person === '' ? '' : `${person}@${domain}`
  },
  phone: internationalNumber,
  name: plainName,
}

/** By TikTok's rules. */
export const tiktokComparable = {
  email: (text: string) => addressOf(text.trim()),
  phone: internationalNumber,
  name: plainName,
  zip: (text: string) => withoutSpaces(text.toLowerCase()).replaceAll('-', ''),
  id: (text: string) => text.trim().toLowerCase(),
}
