import { isJsonObject } from '@tributary/kernel'

/** Names that reach an object's prototype when they are written to. */
const reserved = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether something may be put at the place that these names lead to. */
export const isPlace = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => name !== '' && !reserved.has(name))

type Fields = Record<string, unknown>

/** An object that values are put into, each at its place; what it is given is copied before anything is put into that. */
export const createPayload = () => {
  const fields: Fields = {}
  const own = new Set<object>([fields])

  /** The object below a name, made or copied where needed; undefined where something else stands there. */
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
    /** Puts a value at a place of `isPlace`; false where a name on the way stands for something that is no object. */
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
