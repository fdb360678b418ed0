import { type ObjectSchema, ownerOf, type PropertyPlace, type SourceSchema, withOwner } from '@tributary/contract'

const renamedKey = <Value>(map: ReadonlyMap<string, Value>, from: string, to: string): Map<string, Value> =>
  new Map([...map].map(([key, value]) => [key === from ? to : key, value]))

const renamedName = (names: ReadonlySet<string>, from: string, to: string): Set<string> =>
  new Set([...names].map((name) => (name === from ? to : name)))

const renamedField = (object: ObjectSchema, from: string, to: string): ObjectSchema => ({
  properties: renamedKey(object.properties, from, to),
  required: renamedName(object.required, from, to),
  recommended: renamedName(object.recommended, from, to),
})

/** The schema with a renamed event at the same position. The name must be unused. */
export const renameEvent = (schema: SourceSchema, from: string, to: string): SourceSchema => ({
  ...schema,
  events: renamedKey(schema.events, from, to),
})

/** The schema with a renamed property, at the same position and with its requirement. The name must be unused. */
export const renameProperty = (schema: SourceSchema, { event, parent, property }: PropertyPlace, to: string) => {
  const owner = ownerOf(schema, event)
  if (owner === undefined) return schema
  if (parent === undefined) return withOwner(schema, event, renamedField(owner, property, to))
  const array = owner.properties.get(parent)
  if (array?.items === undefined) return schema
  const properties = new Map(owner.properties)
  properties.set(parent, { ...array, items: renamedField(array.items, property, to) })
  return withOwner(schema, event, { ...owner, properties })
}
