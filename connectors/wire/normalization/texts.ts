import { emailOf } from '@tributary/connector-kit'

/** Removes all spaces of a text. */
export const withoutSpaces = (text: string): string => text.replaceAll(/\s/g, '')

/** Returns the letters of a text in lower case, of all scripts. */
export const lettersOnly = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{M}]/gu, '')

/** Returns a name in lower case, without punctuation and signs. */
export const plainName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\p{P}\p{S}]/gu, '')
    .trim()

const isDomain = (domain: string): boolean =>
  domain
    .split('.')
    .every((label) => /^[\p{L}\p{M}\p{N}_-]+$/u.test(label) && !label.startsWith('-') && !label.endsWith('-'))

/**
 * Returns the address of an email as the rest of the product reads it; '' if there is none, or if what follows the `@`
 * is no domain.
 */
export const addressOf = (text: string): string => {
  const address = emailOf(text) ?? ''
  return isDomain(address.slice(address.indexOf('@') + 1)) ? address : ''
}
