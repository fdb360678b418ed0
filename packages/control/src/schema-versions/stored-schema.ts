import {
  formatSourceSchema,
  type ObjectSchema,
  parseSourceSchema,
  SchemaError,
  type SourceSchema,
} from '@tributary/contract'
import { badRequest, cutText } from '@tributary/kernel'

/** A schema with its JSON text as it is stored in the database. */
export type StoredSchema = { readonly text: string; readonly schema: SourceSchema }

/** Reads a schema from its stored text. */
export const readStored = (text: string): StoredSchema => ({ text, schema: parseSourceSchema(text) })

/**
 * Returns a schema in its stored form. The stored text may be longer than the requested one, and a merge adds to it.
 * Throws SchemaError if the text exceeds a limit, so that every stored schema can be read again.
 */
export const toStored = (schema: SourceSchema): StoredSchema => readStored(formatSourceSchema(schema))

/** Maximum number of characters in an error message, because it may quote names of any length. */
const longestRefusal = 500

/**
 * Runs `make`, and converts its SchemaError to 400 VALIDATION. The error has the problem and its place in the field
 * `schema`.
 */
export const refusingSchema = <T>(make: () => T): T => {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    const text = cutText(error.message, longestRefusal).toWellFormed()
    throw badRequest('VALIDATION', `schema: ${text}`, { schema: text })
  }
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1)

const inOrder = (object: ObjectSchema): ObjectSchema => ({
  properties: new Map(
    [...object.properties]
      .toSorted(byKey)
      .map(([name, property]) => [
        name,
        property.items === undefined ? property : { ...property, items: inOrder(property.items) },
      ]),
  ),
  required: new Set([...object.required].toSorted()),
  recommended: new Set([...object.recommended].toSorted()),
})

const ordered = ({ events, user }: SourceSchema): string =>
  formatSourceSchema({
    events: new Map([...events].toSorted(byKey).map(([title, event]) => [title, inOrder(event)])),
    ...(user === undefined ? {} : { user: inOrder(user) }),
  })

/**
 * Whether two schemas are equal. The order of events, of properties, and of names in lists does not matter. Texts of
 * equal schemas have the same length.
 */
export const isSameSchema = (a: StoredSchema, b: StoredSchema): boolean =>
  a.text.length === b.text.length && (a.text === b.text || ordered(a.schema) === ordered(b.schema))

const propertiesIn = (object: ObjectSchema): number =>
  [...object.properties.values()].reduce(
    (count, { items }) => count + 1 + (items === undefined ? 0 : propertiesIn(items)),
    0,
  )

/** Counts the events of a schema, and the properties of its events, user, and items. */
export const schemaCounts = ({ events, user }: SourceSchema): { event_count: number; property_count: number } => ({
  event_count: events.size,
  property_count: [...events.values(), ...(user === undefined ? [] : [user])].reduce(
    (count, object) => count + propertiesIn(object),
    0,
  ),
})
