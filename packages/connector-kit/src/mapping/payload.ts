import { isJsonObject } from '@tributary/kernel'

/** Names with which an assignment would change an object's prototype. */
const reserved = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether a value can be set at this path. */
export const isPlace = (names: readonly string[]): boolean =>
  names.length > 0 && names.every((name) => name !== '' && !reserved.has(name))

type Members = Record<string, unknown>

/**
 * Creates a payload in which values are set by path. Objects that were set as values are copied before they are
 * changed.
 */
export const createPayload = () => {
  const fields: Members = {}
  const own = new Set<object>([fields])

  /** Returns the object at a name, created or copied if needed; undefined if the name has another kind of value. */
  const within = (holder: Members, name: string): Members | undefined => {
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
    /**
     * Sets a value at a path that `isPlace` allows; returns false if a name on the path has a value that is not an
     * object.
     */
    put(names: readonly string[], value: unknown): boolean {
      let holder: Members | undefined = fields
      for (const name of names.slice(0, -1)) {
        holder = within(holder, name)
        if (holder === undefined) return false
      }
      holder[names.at(-1) ?? ''] = value
      return true
    },
  }
}

/** A payload in the making. */
export type Payload = ReturnType<typeof createPayload>
