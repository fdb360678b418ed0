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

/** Returns the address of an email as the rest of the product reads it; '' if there is none. */
export const addressOf = (text: string): string => emailOf(text) ?? ''
