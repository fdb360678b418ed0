import { type ObjectSchema, type PropertySchema, propertyTypes, type SourceSchema } from '@tributary/contract'

/** The properties of an object by their type, names with spaces between them; `required` repeats those that are. */
export type ObjectOutline = {
  string?: string
  number?: string
  boolean?: string
  object?: string
  array?: string
  required?: string
}

const namesIn = (text: string | undefined): string[] => (text ?? '').split(/\s+/).filter((name) => name !== '')

const objectOf = (outline: ObjectOutline): ObjectSchema => ({
  properties: new Map(
    propertyTypes.flatMap((type) => namesIn(outline[type]).map((name): [string, PropertySchema] => [name, { type }])),
  ),
  required: new Set(namesIn(outline.required)),
  recommended: new Set(),
})

/** A source schema of outlines: events by their names, and the traits of users. */
export const outlineSchema = (
  events: readonly (readonly [names: readonly string[], properties: ObjectOutline])[],
  user: ObjectOutline,
): SourceSchema => ({
  events: new Map(
    events.flatMap(([names, outline]) => names.map((name): [string, ObjectSchema] => [name, objectOf(outline)])),
  ),
  user: objectOf(user),
})
