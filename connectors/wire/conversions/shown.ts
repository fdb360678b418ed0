import { type Call, type Hidden, hideSecrets, isJsonObject } from '@tributary/connector-kit'

/**
 * What is kept and shown of a request of conversions: no value of the given names, in whatever depth, and none of these values in the
 * answer either. Personal data that is hashed is shown, since it tells whether two requests are about the same person.
 */
export const hidingPersonal = (
  body: unknown,
  names: ReadonlySet<string>,
  { headers, texts }: { headers: readonly string[]; texts: readonly string[] },
): Hidden => {
  const found = new Set<string>()
  const collect = (value: unknown, name: string): void => {
    if (typeof value === 'string') {
      if (names.has(name) && value !== '') found.add(value)
    } else if (Array.isArray(value)) for (const each of value) collect(each, name)
    else if (isJsonObject(value)) for (const [key, each] of Object.entries(value)) collect(each, key)
  }
  collect(body, '')
  return {
    headers,
    texts: [...texts, ...found],
    // Made when it is asked for.
    get body() {
      return JSON.stringify(body, (name, value: unknown) => (names.has(name) ? '[redacted]' : value))
    },
  }
}

/** The object that an answer is; undefined when it is none. */
export const answerObject = ({ answer: { body } }: Call): Readonly<Record<string, unknown>> | undefined => {
  try {
    const answer: unknown = JSON.parse(body)
    return isJsonObject(answer) ? answer : undefined
  } catch {
    return undefined
  }
}

/** Words of a platform as they may be told: at most 500 characters, without the texts that are hidden. */
export const toldWords = (words: string, { texts = [] }: Hidden): string =>
  hideSecrets(words, texts).slice(0, 500).toWellFormed()
