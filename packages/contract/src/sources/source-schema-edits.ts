import { typeOfValue } from './compatibility.ts'
import {
  emptyObject,
  nameProblem,
  type ObjectSchema,
  type PropertySchema,
  pointerNames,
  pointerOf,
  type Requirement,
  type SourceSchema,
} from './source-schema.ts'

/**
 * The position of a property in a schema. The property belongs to an event or the user schema, or to the items of an
 * array in it.
 */
export type PropertyPlace = {
  /** The event's title; undefined for the user. */
  readonly event: string | undefined
  /** The array to whose items the property belongs; undefined if it does not belong to an array. */
  readonly parent: string | undefined
  readonly property: string
}

const inUser = (place: Pick<PropertyPlace, 'event'>): readonly string[] =>
  place.event === undefined ? ['user'] : ['events', place.event]

/** Returns the ID of a property: its JSON Pointer in the schema, such as `/events/Order Completed/properties/total`. */
export const propertyIdOf = (place: PropertyPlace): string =>
  pointerOf([
    ...inUser(place),
    ...(place.parent === undefined ? [] : ['properties', place.parent, 'items']),
    'properties',
    place.property,
  ])

/** Returns the position that a property's ID stands for; undefined for an invalid ID. */
export const placeOfId = (id: string): PropertyPlace | undefined => {
  const names = pointerNames(id)
  if (names === undefined) return undefined
  const [root, ...rest] = names
  const event = root === 'events' ? rest.shift() : undefined
  if (root !== 'user' && (event === undefined || event === '')) return undefined
  const [first, outer, items, second, inner] = rest
  if (first !== 'properties' || outer === undefined || outer === '') return undefined
  if (rest.length === 2) return { event, parent: undefined, property: outer }
  if (rest.length !== 5 || items !== 'items' || second !== 'properties' || inner === undefined || inner === '')
    return undefined
  return { event, parent: outer, property: inner }
}

/** Returns the definition of an event, or of the user if no title is given. */
export const ownerOf = (schema: SourceSchema, event: string | undefined): ObjectSchema | undefined =>
  event === undefined ? schema.user : schema.events.get(event)

/** Returns the schema with a new definition of an event, or of the user if no title is given. */
export const withOwner = (schema: SourceSchema, event: string | undefined, object: ObjectSchema): SourceSchema =>
  event === undefined ? { ...schema, user: object } : { ...schema, events: new Map(schema.events).set(event, object) }

/** Returns the schema without an event, or without the user schema if no title is given. */
export const withoutOwner = (schema: SourceSchema, event: string | undefined): SourceSchema => {
  if (event === undefined) return { events: schema.events }
  const events = new Map(schema.events)
  events.delete(event)
  return { ...schema, events }
}

const withField = (object: ObjectSchema, name: string, field: PropertySchema): ObjectSchema => ({
  ...object,
  properties: new Map(object.properties).set(name, field),
})

const withoutField = (object: ObjectSchema, name: string): ObjectSchema => {
  const properties = new Map(object.properties)
  properties.delete(name)
  return demand({ ...object, properties }, name, 'optional')
}

const demand = (object: ObjectSchema, name: string, requirement: Requirement): ObjectSchema => {
  const required = new Set(object.required)
  const recommended = new Set(object.recommended)
  required.delete(name)
  recommended.delete(name)
  if (requirement === 'required') required.add(name)
  if (requirement === 'recommended') recommended.add(name)
  return { ...object, required, recommended }
}

/**
 * Applies `change` to the object with the property at `place`. Creates the event, the user schema and the array if they
 * are missing.
 */
const inHolder = (
  schema: SourceSchema,
  { event, parent }: PropertyPlace,
  change: (holder: ObjectSchema) => ObjectSchema,
): SourceSchema => {
  const owner = ownerOf(schema, event) ?? emptyObject
  if (parent === undefined) return withOwner(schema, event, change(owner))
  const array = owner.properties.get(parent)
  const items = change(array?.items ?? emptyObject)
  return withOwner(schema, event, withField(owner, parent, { ...array, type: 'array', items }))
}

/** Returns the property at a position with its requirement; undefined if there is none. */
export const propertyAt = (
  schema: SourceSchema,
  { event, parent, property }: PropertyPlace,
): { field: PropertySchema; requirement: Requirement } | undefined => {
  const owner = ownerOf(schema, event)
  const holder = parent === undefined ? owner : owner?.properties.get(parent)?.items
  const field = holder?.properties.get(property)
  if (holder === undefined || field === undefined) return undefined
  const requirement = holder.required.has(property)
    ? 'required'
    : holder.recommended.has(property)
      ? 'recommended'
      : 'optional'
  return { field, requirement }
}

/**
 * Returns the schema with a property added or replaced. Without a requirement, an existing property keeps its own, and
 * a new one is optional.
 */
export const withProperty = (
  schema: SourceSchema,
  place: PropertyPlace,
  field: PropertySchema,
  requirement: Requirement = propertyAt(schema, place)?.requirement ?? 'optional',
): SourceSchema =>
  inHolder(schema, place, (holder) => demand(withField(holder, place.property, field), place.property, requirement))

/** Returns the schema with a changed requirement of a property. If the property is missing, nothing changes. */
export const withRequirement = (schema: SourceSchema, place: PropertyPlace, requirement: Requirement): SourceSchema =>
  propertyAt(schema, place) === undefined
    ? schema
    : inHolder(schema, place, (holder) => demand(holder, place.property, requirement))

/** Returns the schema without a property. If the property is missing, nothing changes. */
export const withoutProperty = (schema: SourceSchema, place: PropertyPlace): SourceSchema =>
  propertyAt(schema, place) === undefined
    ? schema
    : inHolder(schema, place, (holder) => withoutField(holder, place.property))

/**
 * Returns `base` with the property at `place` added, replaced or removed as in `changed`. So the changes of two users
 * to different properties at the same time are both kept.
 */
export const mergeProperty = (base: SourceSchema, changed: SourceSchema, place: PropertyPlace): SourceSchema => {
  const wanted = propertyAt(changed, place)
  return wanted === undefined
    ? withoutProperty(base, place)
    : withProperty(base, place, wanted.field, wanted.requirement)
}

/**
 * Returns the property inferred from a value; undefined for null, which has no type. Arrays of objects also get the
 * definition of their items.
 */
export const propertyOfValue = (value: unknown): PropertySchema | undefined => {
  const type = typeOfValue(value)
  if (type === undefined) return undefined
  if (type !== 'array' || !Array.isArray(value)) return { type }
  const objects = value.filter((item) => typeOfValue(item) === 'object')
  if (objects.length === 0 || objects.length < value.length) return { type }
  const fields = new Map<string, PropertySchema>()
  for (const item of objects)
    for (const [name, each] of Object.entries(item)) {
      const inner = typeOfValue(each)
      if (inner !== undefined && !fields.has(name) && nameProblem(name) === undefined) fields.set(name, { type: inner })
    }
  return { type, items: { ...emptyObject, properties: fields } }
}

/**
 * Returns a definition that an event's properties, or a user's traits, match: every property is optional. Names that
 * are invalid in a schema are omitted.
 */
export const objectOfValues = (values: { readonly [name: string]: unknown }): ObjectSchema => {
  const properties = new Map<string, PropertySchema>()
  for (const [name, value] of Object.entries(values)) {
    const property = propertyOfValue(value)
    if (property !== undefined && nameProblem(name) === undefined) properties.set(name, property)
  }
  return { ...emptyObject, properties }
}
