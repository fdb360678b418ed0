import { type ObjectSchema, type PropertySchema, propertyTypes, type SourceSchema } from '@tributary/contract'

/**
 * The properties of an object by type, as names separated by spaces; `required` repeats the names of required
 * properties.
 */
export type ObjectOutline = {
  string?: string
  number?: string
  boolean?: string
  object?: string
  array?: string
  required?: string
}

const namesIn = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter((name) => name !== '')

const propertiesOf = (outline: ObjectOutline): Map<string, PropertySchema> => {
  const properties = new Map<string, PropertySchema>()
  for (const type of propertyTypes)
    for (const name of namesIn(outline[type])) {
      if (properties.has(name)) throw new Error(`${name} is named twice`)
      properties.set(name, { type })
    }
  return properties
}

const objectOf = (outline: ObjectOutline): ObjectSchema => ({
  properties: propertiesOf(outline),
  required: new Set(namesIn(outline.required)),
  recommended: new Set(),
})

/**
 * Creates a source schema from outlines: events by name, and the traits of users. Throws if a name is repeated in an
 * outline.
 */
export const outlineSchema = (
  events: readonly (readonly [names: readonly string[], properties: ObjectOutline])[],
  user: ObjectOutline,
): SourceSchema => ({
  events: new Map(
    events.flatMap(([names, outline]) => names.map((name): [string, ObjectSchema] => [name, objectOf(outline)])),
  ),
  user: objectOf(user),
})
