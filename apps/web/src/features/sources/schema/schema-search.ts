import type { ObjectSchema, SourceSchema } from '@tributary/contract'

/** Returns the events whose name contains the text, or one of whose property names does. Case is ignored. */
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
