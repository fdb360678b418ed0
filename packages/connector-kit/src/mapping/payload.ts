import { isJsonObject } from '@tributary/kernel'

/** Names that reach an object's prototype when they are assigned. */
const reserved = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether a value can be set at this path. */
export const isPlace = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => name !== '' && !reserved.has(name))

type Fields = Record<string, unknown>

/** Creates an object in which values are set by path; given objects are copied before they are changed. */
export const createPayload = () => {
  const fields: Fields = {}
  const own = new Set<object>([fields])

  /** The object at a name, created or copied if needed; undefined if another value is there. */
  const within = (holder: Fields, name: string): Fields | undefined => {
    const there = Object.hasOwn(holder, name) ? holder[name] : {}
    if (!isJsonObject(there)) return undefined
    if (own.has(there)) return there
    const copy = { ...there }
    own.add(copy)
    holder[name] = copy
    return copy
  }

  return {
    fields,
    /** Sets a value at a path that `isPlace` allows; false if a name on the path has a value that is not an object. */
    put(names: readonly string[], value: unknown): boolean {
      let holder: Fields | undefined = fields
      for (const name of names.slice(0, -1)) {
        holder = within(holder, name)
        if (holder === undefined) return false
      }
      holder[names.at(-1) ?? ''] = value
      return true
    },
  }
}
