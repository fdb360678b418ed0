import {
  formatSourceSchema,
  type ObjectSchema,
  parseSourceSchema,
  SchemaError,
  type SourceSchema,
} from '@tributary/contract'
import { badRequest, cutText } from '@tributary/kernel'

/** A schema with its JSON text as the database has it. */
export type StoredSchema = { readonly text: string; readonly schema: SourceSchema }

/** A text that the database has. */
export const readStored = (text: string): StoredSchema => ({ text, schema: parseSourceSchema(text) })

/**
 * A schema in its stored form. The complete text is longer than the request may have been, and a merge makes it longer.
 * Throws SchemaError if it breaks a limit, so that every stored schema can be read again.
 */
export const toStored = (schema: SourceSchema): StoredSchema => readStored(formatSourceSchema(schema))

/** Characters of a refusal at most: it quotes names of any length. */
const longestRefusal = 500

/** Runs `make`, and converts its SchemaError to 400 VALIDATION with the problem and its place in `schema`. */
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
 * Whether two are one schema: the order of events, properties and names in lists says nothing. Texts of one schema are
 * equally long.
 */
export const isSameSchema = (a: StoredSchema, b: StoredSchema): boolean =>
  a.text.length === b.text.length && (a.text === b.text || ordered(a.schema) === ordered(b.schema))

const propertiesIn = (object: ObjectSchema): number =>
  [...object.properties.values()].reduce(
    (count, { items }) => count + 1 + (items === undefined ? 0 : propertiesIn(items)),
    0,
  )

/** Numbers of events, and of the properties of events, user and items. */
export const schemaCounts = ({ events, user }: SourceSchema): { event_count: number; property_count: number } => ({
  event_count: events.size,
  property_count: [...events.values(), ...(user === undefined ? [] : [user])].reduce(
    (count, object) => count + propertiesIn(object),
    0,
  ),
})
