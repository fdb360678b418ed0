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
  let found: Set<string> | undefined
  const collect = (value: unknown, name: string, into: Set<string>): void => {
    if (typeof value === 'string') {
      if (names.has(name) && value.length >= minCharacters) into.add(value)
    } else if (Array.isArray(value)) for (const each of value) collect(each, name, into)
    else if (isJsonObject(value)) for (const [key, each] of Object.entries(value)) collect(each, key, into)
  }
  // Most requests succeed and are not shown, so texts and body are computed on first use.
  return {
    headers,
    get texts() {
      if (found === undefined) collect(body, '', (found = new Set()))
      return [...texts, ...found]
    },
    get body() {
      return JSON.stringify(body, (name, value: unknown) => (names.has(name) ? '[redacted]' : value))
    },
  }
}

/** Returns a platform's message without the hidden texts, at most 500 characters. */
export const shownMessage = (words: string, { texts = [] }: Hidden): string =>
  cutText(hideSecrets(words, texts), 500).toWellFormed()
