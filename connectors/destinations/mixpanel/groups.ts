import { isJsonObject, type JsonObject } from '@tributary/connector-kit'

/** Maximum groups of one key, and maximum keys, that are sent. */
const maxGroups = 100

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Number
    ? String(value).trim() || undefined
    : undefined

/** Returns one group as a text, several as a list; undefined for none. */
const groupsOf = (value: unknown): string | readonly string[] | undefined => {
  if (!Array.isArray(value)) return textOf(value)
  const groups = value.slice(0, maxGroups).flatMap((group) => textOf(group) ?? [])
  return groups.length > 1 ? groups : groups[0]
}

/**
 * Returns the properties by which Mixpanel counts an event for its groups (docs.mixpanel.com, "Group Analytics": the
 * group key is a property with a group ID or a list of them). A value without keys belongs to the group key of the
 * settings; an object has a group, or a list of groups, for each key.
 */
export const groupProperties = (groups: unknown, groupKey: string): JsonObject => {
  const byKey = isJsonObject(groups) ? Object.entries(groups).slice(0, maxGroups) : [[groupKey, groups] as const]
  return Object.fromEntries(
    byKey.flatMap(([key, value]) => {
      const found = groupsOf(value)
      return found === undefined || key === '' ? [] : [[key, found] as const]
    }),
  )
}
