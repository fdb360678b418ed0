import { cutText } from '@tributary/kernel/browser'
import { eventTypes } from '../events/tracking.ts'

/** The types of a property in a source schema. */
export const propertyTypes = ['string', 'number', 'boolean', 'object', 'array'] as const
export type PropertyType = (typeof propertyTypes)[number]

/** How strictly a property is required. Only a missing required property is a problem. */
export const requirements = ['required', 'recommended', 'optional'] as const
export type Requirement = (typeof requirements)[number]

/** One property: its type and, for arrays of objects, the definition of each item. */
export type PropertySchema = {
  readonly type: PropertyType
  readonly description?: string
  readonly items?: ObjectSchema
}

/**
 * The definition of an event's properties, a user's traits or an array's items. Names can be any text, so maps hold the
 * properties.
 */
export type ObjectSchema = {
  readonly properties: ReadonlyMap<string, PropertySchema>
  readonly required: ReadonlySet<string>
  readonly recommended: ReadonlySet<string>
}

/** The definitions that validate a source's events: tracked events by their name, and the traits of identify calls. */
export type SourceSchema = {
  readonly events: ReadonlyMap<string, ObjectSchema>
  readonly user?: ObjectSchema
}

/** Limits of a source schema. Bytes count its JSON text. */
export const schemaLimits = {
  bytes: 512 * 1024,
  events: 1000,
  /** Maximum properties of one event, of the user or of an array's items. */
  properties: 500,
  nameLength: 200,
  descriptionLength: 1000,
} as const

/** A schema without any event. */
export const emptySchema: SourceSchema = { events: new Map() }

/** An object without any property. */
export const emptyObject: ObjectSchema = { properties: new Map(), required: new Set(), recommended: new Set() }

/**
 * Thrown for a text that is not a source schema. Has the mistake, and its position as a JSON Pointer (RFC 6901; '' is
 * the whole schema).
 */
export class SchemaError extends Error {
  readonly pointer: string
  constructor(message: string, pointer: string) {
    super(pointer === '' ? message : `${message} (at ${pointer})`)
    this.name = 'SchemaError'
    this.pointer = pointer
  }
}

/** Escapes one segment of a JSON Pointer. */
export const pointerSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Returns the JSON Pointer of these names. */
export const pointerOf = (names: readonly string[]): string => names.map((name) => `/${pointerSegment(name)}`).join('')

/** Returns the names of a JSON Pointer; undefined for a text that is not a pointer. */
export const pointerNames = (pointer: string): string[] | undefined => {
  if (pointer === '') return []
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

type Fields = { readonly [key: string]: unknown }

const fieldsOf = (value: unknown, what: string, at: string): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SchemaError(`${what} must be an object`, at)
  return { ...value }
}

/** Refuses unknown keywords, which would be stored without effect. */
const onlyKeys = (fields: Fields, keys: readonly string[], at: string): void => {
  for (const key of Object.keys(fields)) {
    if (keys.includes(key)) continue
    throw new SchemaError(`"${cutText(key, 100)}" is not supported; supported are ${keys.join(', ')}`, at)
  }
}

const forbiddenInNames = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Returns why a name of an event or property cannot be in a schema; undefined for a valid name. */
export const nameProblem = (name: string): string | undefined => {
  if (name === '') return 'A name must not be empty'
  if (name.length > schemaLimits.nameLength) return `A name can have at most ${schemaLimits.nameLength} characters`
  if (!name.isWellFormed() || forbiddenInNames.test(name)) return 'A name must not have control characters'
  return undefined
}

const checkName = (name: string, at: string): void => {
  const problem = nameProblem(name)
  if (problem !== undefined) throw new SchemaError(problem, at)
}

const namesOf = (value: unknown, what: string, known: ReadonlyMap<string, unknown>, at: string): Set<string> => {
  if (value === undefined) return new Set()
  if (!Array.isArray(value)) throw new SchemaError(`${what} must be a list of names`, at)
  const names = new Set<string>()
  for (const name of value) {
    if (typeof name !== 'string') throw new SchemaError(`${what} must be a list of names`, at)
    if (!known.has(name)) throw new SchemaError(`${what} includes "${cutText(name, 100)}", which is not a property`, at)
    names.add(name)
  }
  return names
}

const typeOf = (value: unknown, at: string): PropertyType => {
  // Integers are numbers. JSON schemas of other products have both types.
  const name = value === 'integer' ? 'number' : value
  const type = propertyTypes.find((each) => each === name)
  if (type === undefined) throw new SchemaError(`The type must be one of ${propertyTypes.join(', ')}`, `${at}/type`)
  return type
}

const propertyOf = (value: unknown, mayHaveItems: boolean, at: string): PropertySchema => {
  const fields = fieldsOf(value, 'A property', at)
  onlyKeys(fields, ['type', 'description', 'items'], at)
  const type = typeOf(fields['type'], at)
  const { description, items } = fields
  if (description !== undefined) {
    if (typeof description !== 'string' || description.length > schemaLimits.descriptionLength)
      throw new SchemaError(
        `A description can have at most ${schemaLimits.descriptionLength} characters`,
        `${at}/description`,
      )
  }
  if (items !== undefined && type !== 'array') throw new SchemaError('Only an array can have items', `${at}/items`)
  if (items !== undefined && !mayHaveItems)
    throw new SchemaError('Items of items are not supported: the schema is too deep', `${at}/items`)
  return {
    type,
    ...(description === undefined || description === '' ? {} : { description: description.toWellFormed() }),
    ...(items === undefined ? {} : { items: objectOf(items, 'The items', false, `${at}/items`) }),
  }
}

const objectOf = (value: unknown, what: string, mayHaveItems: boolean, at: string): ObjectSchema => {
  const fields = fieldsOf(value, what, at)
  onlyKeys(fields, ['type', 'properties', 'required', 'recommended'], at)
  if (fields['type'] !== undefined && fields['type'] !== 'object')
    throw new SchemaError(`The type of ${what.toLowerCase()} must be object`, `${at}/type`)
  const given =
    fields['properties'] === undefined ? {} : fieldsOf(fields['properties'], 'properties', `${at}/properties`)
  const entries = Object.entries(given)
  if (entries.length > schemaLimits.properties)
    throw new SchemaError(`At most ${schemaLimits.properties} properties`, `${at}/properties`)
  const properties = new Map<string, PropertySchema>()
  for (const [name, property] of entries) {
    const place = `${at}/properties/${pointerSegment(name)}`
    checkName(name, place)
    properties.set(name, propertyOf(property, mayHaveItems, place))
  }
  const required = namesOf(fields['required'], 'required', properties, `${at}/required`)
  const recommended = namesOf(fields['recommended'], 'recommended', properties, `${at}/recommended`)
  for (const name of recommended)
    if (required.has(name))
      throw new SchemaError(`"${name}" can't be both required and recommended`, `${at}/recommended`)
  return { properties, required, recommended }
}

/**
 * Reads a source schema from its JSON text. Names such as `__proto__`, with dots or brackets, are valid. Throws
 * SchemaError with the position of the first mistake: invalid JSON, too large, too deep, an unknown keyword, or an
 * invalid name. The keyword `pattern` is unknown, because regular expressions of users never run.
 */
export const parseSourceSchema = (text: string): SourceSchema => {
  if (text.length > schemaLimits.bytes || new TextEncoder().encode(text).length > schemaLimits.bytes)
    throw new SchemaError(`A schema can be at most ${schemaLimits.bytes / 1024} KiB`, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new SchemaError('The schema is not valid JSON', '')
  }
  const fields = fieldsOf(value, 'A schema', '')
  onlyKeys(fields, ['events', 'user'], '')
  const given = Object.entries(fields['events'] === undefined ? {} : fieldsOf(fields['events'], 'events', '/events'))
  if (given.length > schemaLimits.events) throw new SchemaError(`At most ${schemaLimits.events} events`, '/events')
  const events = new Map<string, ObjectSchema>()
  for (const [title, event] of given) {
    const place = `/events/${pointerSegment(title)}`
    checkName(title, place)
    events.set(title, objectOf(event, 'An event', true, place))
  }
  return fields['user'] === undefined
    ? { events }
    : { events, user: objectOf(fields['user'], 'The user', true, '/user') }
}

/** Creates an object with these keys, whatever their names: `__proto__` becomes an ordinary key. */
const record = (entries: Iterable<readonly [string, unknown]>): Record<string, unknown> => {
  const result: Record<string, unknown> = Object.create(null)
  for (const [key, value] of entries) result[key] = value
  return result
}

const objectJson = (object: ObjectSchema): Record<string, unknown> => ({
  type: 'object',
  properties: record(
    [...object.properties].map(([name, { type, description, items }]) => [
      name,
      {
        type,
        ...(description === undefined ? {} : { description }),
        ...(items === undefined ? {} : { items: objectJson(items) }),
      },
    ]),
  ),
  required: [...object.required],
  recommended: [...object.recommended],
})

/** Returns a source schema as JSON text, which `parseSourceSchema` can read. `space` indents the text. */
export const formatSourceSchema = (schema: SourceSchema, space?: number): string =>
  JSON.stringify(
    {
      events: record([...schema.events].map(([title, event]) => [title, objectJson(event)])),
      ...(schema.user === undefined ? {} : { user: objectJson(schema.user) }),
    },
    null,
    space,
  )

/** Returns how strictly a property of an object is required. */
export const requirementOf = (object: ObjectSchema, property: string): Requirement =>
  object.required.has(property) ? 'required' : object.recommended.has(property) ? 'recommended' : 'optional'

/** The types of calls that a schema validates; other types always match. */
export const validatedTypes = ['track', 'identify'] as const satisfies readonly (typeof eventTypes)[number][]

/** Returns the definition that validates events of this type and title; undefined if there is none. */
export const definitionOf = (schema: SourceSchema, type: string, title: string): ObjectSchema | undefined =>
  type === 'identify' ? schema.user : schema.events.get(title)
