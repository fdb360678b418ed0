import { countryCodeOf } from './countries.ts'
import { internationalPhone } from './phones.ts'
import { addressOf, plainName, withoutSpaces } from './texts.ts'

/** Prefixes of given names and suffixes of family names in Google's UserDataFormatter. */
const prefixes: ReadonlySet<string> = new Set(['mr', 'mrs', 'ms', 'dr'])
const suffixes: ReadonlySet<string> = new Set('jr. sr. 2nd 3rd ii iii iv v vi cpa dc dds vm jd md phd'.split(' '))

/** Maximum characters of a name. */
const longestName = 1000

const wordsOf = (text: string): string[] =>
  text
    .slice(0, longestName)
    .toLowerCase()
    .split(/[\s,]/)
    .filter((word) => word !== '')

/** A prefix with its period counts anywhere, as in Google's library, and a prefix without it at the beginning. */
const isPrefix = (word: string, at: number, count: number): boolean =>
  word.endsWith('.') ? prefixes.has(word.slice(0, -1)) : at === 0 && count > 1 && prefixes.has(word)

const givenName = (text: string): string => {
  const words = wordsOf(text)
  if (!words.some((word, at) => isPrefix(word, at, words.length))) return plainName(text)
  return plainName(words.filter((word, at) => !isPrefix(word, at, words.length)).join(' '))
}

const familyName = (text: string): string => {
  const words = wordsOf(text)
  const isSuffix = (word: string): boolean => suffixes.has(word) || word === 'jr' || word === 'sr'
  let end = words.length
  // A suffix follows a name or a comma.
  const first = /^\s*,/.test(text) ? 0 : 1
  while (end > first && isSuffix(words[end - 1] ?? '')) end--
  return plainName(end === words.length ? text : words.slice(0, end).join(' '))
}

/**
 * Normalization by Google's rules: "Format user data" of the Data Manager API
 * (developers.google.com/data-manager/api/devguides/concepts/formatting), which Google Analytics also follows
 * (developers.google.com/analytics/devguides/collection/ga4/uid-data). Names have no punctuation ("AddressInfo").
 */
export const googleNormalization = {
  email: (text: string): string => {
    // Google removes spaces from an email address.
    const address = addressOf(text) || addressOf(withoutSpaces(text))
    const [local = '', domain = ''] = address.split('@')
    if (domain !== 'gmail.com' && domain !== 'googlemail.com') return address
    const [name = ''] = local.split('+', 1)
    const person = name.replaceAll('.', '')
    return person === '' ? '' : `${person}@${domain}`
  },
  phone: internationalPhone,
  givenName,
  familyName,
  /** Not hashed by Google. */
  region: countryCodeOf,
  postalCode: (text: string): string => text.trim(),
}
