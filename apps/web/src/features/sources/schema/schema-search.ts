import type { ObjectSchema, SourceSchema } from '@tributary/contract'

/** The events whose name, or the name of one of their properties, contains the text, ignoring case. */
export const matchingEvents = (schema: SourceSchema, search: string): [title: string, event: ObjectSchema][] => {
  const wanted = search.trim().toLowerCase()
  const has = (name: string): boolean => name.toLowerCase().includes(wanted)
  return [...schema.events].filter(
    ([title, { properties }]) =>
      wanted === '' ||
      has(title) ||
      [...properties].some(([name, { items }]) => has(name) || [...(items?.properties.keys() ?? [])].some(has)),
  )
}
