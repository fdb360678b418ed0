/**
 * Patterns of whole numbers and UUIDs as databases write them. Two such keys are equal only if they are the same text.
 */
export const integerKeys = '^(?:0|-?[1-9][0-9]*)$'
export const uuidKeys = '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$'

/** Returns the form of a key that the database does not accept. */
const formOfRefused = (key: string): string => `refused ${key}`

/**
 * Returns the forms of keys, which are given as JSON. `fit` converts a key to the column's type, or returns undefined;
 * `formsOf` queries the forms of many values at once. If the database refuses a value (`isOfKey`), the list is split in
 * halves. Throws errors that no key caused.
 */
export const splitByFault = async <Value>(
  keys: readonly string[],
  given: {
    fit: (key: string) => Value | undefined
    formsOf: (values: readonly Value[]) => Promise<readonly string[]>
    isOfKey: (error: unknown) => boolean
  },
): Promise<readonly string[]> => {
  const forms = keys.map(formOfRefused)
  const fitting = keys.flatMap((key, place) => {
    const value = given.fit(key)
    return value === undefined ? [] : [{ place, value }]
  })
  const ask = async (some: typeof fitting): Promise<void> => {
    if (some.length === 0) return
    try {
      const found = await given.formsOf(some.map(({ value }) => value))
      for (const [index, { place }] of some.entries()) forms[place] = found[index] ?? forms[place] ?? ''
    } catch (error) {
      if (!given.isOfKey(error)) throw error
      if (some.length === 1) return
      const middle = Math.ceil(some.length / 2)
      await ask(some.slice(0, middle))
      await ask(some.slice(middle))
    }
  }
  await ask(fitting)
  return forms
}
