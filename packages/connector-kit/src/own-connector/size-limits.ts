import { isJsonObject } from '@tributary/kernel'

/** Maximum members of the parts of a description. The largest of our own have a fifth of them. */
const mostMembers = {
  settings: 50,
  servers: 20,
  auth: 20,
  requests: 50,
  actions: 50,
  objects: 20,
  presets: 100,
} as const
/** Maximum fields of all actions, fields that all presets map, values in all, templates in all, and levels. */
const most = { fields: 300, mapped: 3000, values: 10_000, templates: 600, depth: 40 } as const

const countOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.keys(value).length : 0

const memberOf = (value: unknown, name: string): unknown =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

const valuesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : []

/** Returns the number of fields that all presets map: those of their actions, for each event name. */
const mappedFields = (actions: unknown, presets: unknown): number =>
  valuesOf(presets).reduce<number>((sum, preset) => {
    const action = memberOf(actions, String(memberOf(preset, 'action')))
    const fields = countOf(memberOf(action, 'fields')) + countOf(memberOf(preset, 'fields'))
    return sum + Math.max(1, countOf(memberOf(preset, 'event_names'))) * fields
  }, 0)

/** Counts the values and templates, and the levels of a value, without recursion. */
const measure = (whole: unknown) => {
  const found = { values: 0, templates: 0, depth: 0 }
  const open: { value: unknown; depth: number }[] = [{ value: whole, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next
    found.values++
    found.depth = Math.max(found.depth, depth)
    if (typeof value === 'string' && value.includes('{')) found.templates++
    if (typeof value !== 'object' || value === null) continue
    if (found.values + open.length > most.values) return { ...found, values: found.values + open.length }
    for (const member of Object.values(value)) open.push({ value: member, depth: depth + 1 })
  }
  return found
}

/**
 * Returns why a description is too large to be read, without its test vectors; undefined if it is not. Reading takes more
 * time than its size for some parts, and other users wait for the thread meanwhile.
 */
export const sizeProblem = (whole: Readonly<Record<string, unknown>>): string | undefined => {
  const { vectors: _, ...described } = whole
  const { values, templates, depth } = measure(described)
  if (values > most.values) return `The description has more than ${most.values} values`
  if (depth > most.depth) return `The description is too deep: it has more than ${most.depth} levels`
  if (templates > most.templates) return `The description has more than ${most.templates} templates`
  const part = Object.entries(mostMembers).find(([name, count]) => countOf(described[name]) > count)
  if (part !== undefined) return `The description has more than ${part[1]} ${part[0]}`
  const { actions, presets } = described
  const fields = valuesOf(actions).reduce<number>((sum, action) => sum + countOf(memberOf(action, 'fields')), 0)
  if (fields > most.fields) return `The actions have more than ${most.fields} fields`
  if (mappedFields(actions, presets) > most.mapped) return `The presets map more than ${most.mapped} fields`
  return undefined
}
