import { isIP } from 'node:net'
import { cutText, ExactNumber } from '@tributary/connector-kit'

/** Maximum parts that a note names. */
const maxNamed = 5
const maxCharacters = 160

/** Returns the note of a delivery that names what was left out of the event; undefined if nothing was. */
export const noteOf = (leftOut: readonly string[]): string | undefined => {
  if (leftOut.length === 0) return undefined
  const named = leftOut.slice(0, maxNamed).map((part) => cutText(part, maxCharacters).toWellFormed())
  const more = leftOut.length - named.length
  return `Sent without ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

/**
 * Returns the reason of an event that has no identifier, with the parts that were left out, such as a wrong lead ID.
 */
export const withoutIdentifier = (platform: string, leftOut: readonly string[]): string => {
  const parts = leftOut.length === 0 ? '' : `: ${leftOut.slice(0, maxNamed).join('; ')}`
  return `The event has nothing that ${platform} can match a person by${parts}`
}

/** Returns an IP address without spaces around it; '' for a text that is none. */
export const plainIp = (text: string): string => (isIP(text.trim()) === 0 ? '' : text.trim())

/** Returns an IP address, or notes that the value is none; a platform could refuse the whole request for it. */
export const ipOf = (field: string, value: string | undefined, leftOut: string[]): string | undefined => {
  const text = value?.trim() ?? ''
  if (text === '') return undefined
  if (plainIp(text) !== '') return text
  leftOut.push(`${field}: not an IP address`)
  return undefined
}

/** Returns a positive integer with all its digits, also from a text such as `3.0`, or notes that the value is none. */
export const integerOf = (field: string, value: unknown, leftOut: string[]): number | ExactNumber | undefined => {
  const isWritten = typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber
  const text = isWritten ? String(value).trim() : ''
  if (text === '') return undefined
  const [, digits] = /^(\d{1,20})(?:\.0{1,20})?$/.exec(text) ?? []
  if (digits === undefined) {
    leftOut.push(`${field}: not an integer`)
    return undefined
  }
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : new ExactNumber(BigInt(digits).toString())
}

/** Returns one of the values that a platform accepts for a field, or notes that the value is another. */
export const choiceOf = (
  field: string,
  value: string | undefined,
  choices: readonly string[],
  leftOut: string[],
): string | undefined => {
  const text = value?.trim().toLowerCase() ?? ''
  if (text === '') return undefined
  if (choices.includes(text)) return text
  leftOut.push(`${field}: none of ${choices.join(', ')}`)
  return undefined
}

/** Returns an object without absent values and empty texts. */
export const withValues = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''))
