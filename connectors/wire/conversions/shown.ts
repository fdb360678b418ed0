import { cutText, type Hidden, hideSecrets, isJsonObject } from '@tributary/connector-kit'

/**
 * Minimum characters of a value that is hidden in a response. A shorter one, such as the code of a country, is a part of
 * many words.
 */
const minCharacters = 4

/**
 * The stored and shown form of a conversion request: without the values of the given names at any depth, and without
 * these values in the response. Hashed personal data is shown, because it shows whether two requests are about the same
 * user.
 */
export const hidingPersonal = (
  body: unknown,
  names: ReadonlySet<string>,
  { headers, texts }: { headers: readonly string[]; texts: readonly string[] },
): Hidden => {
  const found = new Set<string>()
  const collect = (value: unknown, name: string): void => {
    if (typeof value === 'string') {
      if (names.has(name) && value.length >= minCharacters) found.add(value)
    } else if (Array.isArray(value)) for (const each of value) collect(each, name)
    else if (isJsonObject(value)) for (const [key, each] of Object.entries(value)) collect(each, key)
  }
  collect(body, '')
  return {
    headers,
    texts: [...texts, ...found],
    // The body is computed on first use.
    get body() {
      return JSON.stringify(body, (name, value: unknown) => (names.has(name) ? '[redacted]' : value))
    },
  }
}

/** Returns a platform's message without the hidden texts, at most 500 characters. */
export const shownMessage = (words: string, { texts = [] }: Hidden): string =>
  cutText(hideSecrets(words, texts), 500).toWellFormed()
