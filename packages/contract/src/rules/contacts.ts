/*
 * Email addresses and phone numbers as people write them. Links of profiles, lists, and hashes of personal data all use
 * these functions, so that the same person has the same text everywhere. The time of each function is linear in the
 * length.
 */

/** Maximum characters of a text that is searched for a contact. */
const longestContact = 500

/** Characters without a width, which can be part of an address that was copied from a page. */
const invisible = new Set(['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff'])

/** Removes invisible characters, spaces, and a pair of quotation marks around a text. */
const unwrapped = (text: string): string => {
  let [start, end] = [0, text.length]
  const isAround = (char = ''): boolean => char !== '' && (invisible.has(char) || char.trim() === '')
  while (start < end && isAround(text[start])) start++
  while (end > start && isAround(text[end - 1])) end--
  const bare = text.slice(start, end)
  const [quote = ''] = bare
  const isQuoted = bare.length > 1 && `"'`.includes(quote) && bare.lastIndexOf(quote) === bare.length - 1
  return isQuoted && bare.indexOf(quote, 1) === bare.length - 1 ? bare.slice(1, -1).trim() : bare
}

const isSpaceOrControl = (char: string): boolean => char <= ' ' || char.trim() === ''

/**
 * Removes a name before the address, a comment after it, and `mailto:`. Undefined if the text may have several
 * addresses.
 */
const bareAddress = (text: string): string | undefined => {
  let address = text
  if (address.endsWith('>')) {
    const open = address.indexOf('<')
    const name = address.slice(0, Math.max(open, 0)).trim()
    const isQuoted = name.startsWith('"') && name.endsWith('"')
    const isList = name.includes('@') && (name.includes(',') || name.includes(';'))
    if (open < 0 || address.lastIndexOf('<') !== open || (isList && !isQuoted)) return undefined
    address = address.slice(open + 1, -1).trim()
  } else if (address.endsWith(')') && address.includes(' (')) address = address.slice(0, address.indexOf(' (')).trim()
  if (!address.toLowerCase().startsWith('mailto:')) return address
  const [path = ''] = address.slice('mailto:'.length).split('?', 1)
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/**
 * Returns the email address in a text, in lower case, also of `"Ada" <ada@example.com>` and `mailto:ada@example.com`.
 * Undefined if there is none or more than one.
 */
export const emailOf = (text: string): string | undefined => {
  if (text.length > longestContact) return undefined
  const address = bareAddress(unwrapped(text))?.toLowerCase() ?? ''
  const at = address.indexOf('@')
  const domain = address.slice(at + 1)
  const dot = domain.lastIndexOf('.')
  if (at < 1 || domain.includes('@') || dot < 1 || dot === domain.length - 1) return undefined
  const isBroken = Array.from(address).some((char) => isSpaceOrControl(char) || '<>,;'.includes(char))
  return isBroken ? undefined : address
}

/** Reasons why a text has no phone number, as the end of a sentence. */
const phoneProblems = {
  none: 'is not a phone number',
  several: 'has more than one phone number',
  otherText: 'has text after the phone number that is no known extension',
  noCountry: 'is a phone number without a country code',
} as const

/**
 * A phone number with its plus sign and digits (E.164), or why there is none. `national` has the digits of a number
 * without a country code.
 */
export type ReadPhone = { readonly number: string } | { readonly problem: string; readonly national?: string }

const isDigit = (char: string | undefined): boolean => char !== undefined && char >= '0' && char <= '9'
const isLetter = (char: string): boolean => char.toLowerCase() !== char.toUpperCase()
const countDigits = (text: string): number => Array.from(text).filter(isDigit).length

/** Characters between the digits of one number. */
const separators = new Set([
  ' ',
  '\t',
  '-',
  '.',
  '(',
  ')',
  '[',
  ']',
  '/',
  '\u2010',
  '\u2011',
  '\u2012',
  '\u2013',
  '\u2014',
  '\u2212',
])

/** Words and signs before an extension. */
const extensionMarks = new Set([
  'x',
  'xt',
  'ext',
  'extn',
  'extension',
  'dw',
  'durchwahl',
  'poste',
  'anexo',
  'int',
  'interno',
  'ramal',
  'toestel',
  'wew',
  'доб',
  '#',
  ',',
  ';',
])
const longestExtension = 7
/** Maximum digits of an extension after its word: too few for a second phone number. */
const shortTail = 4

/** Whether the text after a number is its extension, such as `ext. 9` or `;ext=9`. */
const isExtension = (tail: string): boolean => {
  let at = 0
  let word = ''
  let digits = 0
  while (at < tail.length && !isDigit(tail[at])) {
    const char = tail[at] ?? ''
    if (isLetter(char)) word += char.toLowerCase()
    else if ('#,;'.includes(char)) word ||= char
    else if (!' .:=-'.includes(char)) return false
    at++
  }
  while (isDigit(tail[at + digits])) digits++
  const mark = word.length > 1 && '#,;'.includes(word[0] ?? '') ? word.slice(1) : word
  return extensionMarks.has(mark) && digits <= longestExtension && countDigits(tail.slice(at + digits)) === 0
}

/** Countries whose numbers keep the zero that others write in brackets. */
const keepsZero = new Set(['39', '378'])

/** Maximum digits of a country and area code before a slash. */
const digitsBeforeSlash = 7

/**
 * Reads the digits of the number at the start of a text; returns them and the remaining text. Undefined if a second
 * number follows.
 */
const takeDigits = (text: string, isInternational: boolean): { digits: string; tail: string } | undefined => {
  let digits = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    if (isDigit(char)) digits += char
    else if (char === '+' || (char === '/' && isInternational && digits.length > digitsBeforeSlash)) return undefined
    else if (!separators.has(char)) return { digits, tail: text.slice(at) }
    else if ((char === '(' || char === '[') && text[at + 1] === '0' && ')]'.includes(text[at + 2] ?? ' ')) {
      // Skips the zero in parentheses, which only national calls use.
      if ((isInternational || digits !== '') && !keepsZero.has(digits)) at += 2
    }
  }
  return { digits, tail: '' }
}

/** Minimum digits of a number without a plus sign that begins with its country code, as Meta expects. */
const digitsWithCountry = 11

/**
 * Reads a phone number as people write it. An extension and the zero in `+44 (0)20` are omitted. The number has a
 * country code if it begins with `+` or `00`, or has eleven or more digits and no leading zero.
 */
export const readPhone = (text: string): ReadPhone => {
  if (text.length > longestContact) return { problem: phoneProblems.none }
  const plain = text.normalize('NFKC').trim()
  let start = 0
  while (start < plain.length && !isDigit(plain[start]) && plain[start] !== '+') start++
  let written = plain.slice(start)
  // Removes the `.0` that programs write if they store whole numbers as fractions.
  if (written.endsWith('.0') && countDigits(written) === written.length - 1) written = written.slice(0, -2)
  const hasPlus = written.startsWith('+')
  const isInternational = hasPlus || written.startsWith('00')
  const taken = takeDigits(hasPlus ? written.slice(1) : isInternational ? written.slice(2) : written, isInternational)
  if (taken === undefined) return { problem: phoneProblems.several }
  const { digits, tail } = taken
  if (countDigits(tail) > 0 && !isExtension(tail)) {
    if (digits.length < digitsBeforeSlash) return { problem: phoneProblems.none }
    const isShort = countDigits(tail) <= shortTail && Array.from(tail).some(isLetter)
    return { problem: isShort ? phoneProblems.otherText : phoneProblems.several }
  }
  if (digits.length < 3) return { problem: phoneProblems.none }
  const hasCountry = isInternational || (digits.length >= digitsWithCountry && digits[0] !== '0')
  if (digits.length > 15) return { problem: phoneProblems.several }
  if (!hasCountry) return { problem: phoneProblems.noCountry, national: digits }
  return digits[0] === '0' || digits.length < 7 ? { problem: phoneProblems.none } : { number: `+${digits}` }
}

/**
 * Returns the phone number in a text as digits with the country code. Undefined if there is none, more than one, or no
 * country code.
 */
export const phoneOf = (text: string): string | undefined => {
  const read = readPhone(text)
  return 'number' in read ? read.number : undefined
}
