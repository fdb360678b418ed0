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

/** The place of a property in a schema: in an event or the user schema, itself or in the items of an array there. */
export type PropertyPlace = {
  /** The event's title; undefined for the user. */
  readonly event: string | undefined
  /** The array that it is an item's field of. */
  readonly parent: string | undefined
  readonly property: string
}

const inUser = (place: Pick<PropertyPlace, 'event'>): readonly string[] =>
  place.event === undefined ? ['user'] : ['events', place.event]

/** The id of a property: its JSON Pointer in the schema, `/events/Order Completed/properties/total`. */
export const propertyIdOf = (place: PropertyPlace): string =>
  pointerOf([
    ...inUser(place),
    ...(place.parent === undefined ? [] : ['properties', place.parent, 'items']),
    'properties',
    place.property,
  ])

/** The place in a property's ID, or undefined for an invalid one. */
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

/** The definition of an event or, without a title, of the user. */
export const ownerOf = (schema: SourceSchema, event: string | undefined): ObjectSchema | undefined =>
  event === undefined ? schema.user : schema.events.get(event)

/** The schema with this definition of an event or, without a title, of the user. */
export const withOwner = (schema: SourceSchema, event: string | undefined, object: ObjectSchema): SourceSchema =>
  event === undefined ? { ...schema, user: object } : { ...schema, events: new Map(schema.events).set(event, object) }

/** The schema without an event or, without a title, without its user. */
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

/** Applies `change` to the object that holds the property of `place`; makes event, user and array where they lack. */
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

/** The property at a place with its requirement, or undefined. */
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

/** The schema with a property added or replaced. Without a requirement it keeps its own, or is optional. */
export const withProperty = (
  schema: SourceSchema,
  place: PropertyPlace,
  field: PropertySchema,
  requirement: Requirement = propertyAt(schema, place)?.requirement ?? 'optional',
): SourceSchema =>
  inHolder(schema, place, (holder) => demand(withField(holder, place.property, field), place.property, requirement))

/** The schema with another requirement of a property. A missing property changes nothing. */
export const withRequirement = (schema: SourceSchema, place: PropertyPlace, requirement: Requirement): SourceSchema =>
  propertyAt(schema, place) === undefined
    ? schema
    : inHolder(schema, place, (holder) => demand(holder, place.property, requirement))

/** The schema without a property. One that does not exist changes nothing. */
export const withoutProperty = (schema: SourceSchema, place: PropertyPlace): SourceSchema =>
  propertyAt(schema, place) === undefined
    ? schema
    : inHolder(schema, place, (holder) => withoutField(holder, place.property))

/**
 * `base` with the property at `place` from `changed`: added, replaced or removed there. So two users who change
 * different properties at the same time both keep their changes.
 */
export const mergeProperty = (base: SourceSchema, changed: SourceSchema, place: PropertyPlace): SourceSchema => {
  const wanted = propertyAt(changed, place)
  return wanted === undefined
    ? withoutProperty(base, place)
    : withProperty(base, place, wanted.field, wanted.requirement)
}

/** The property inferred from a value; undefined for null, which has no type. Arrays of objects get their items. */
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
 * The definition that an event's properties, or a user's traits, match: every property optional. Names that are invalid
 * in a schema are omitted.
 */
export const objectOfValues = (values: { readonly [name: string]: unknown }): ObjectSchema => {
  const properties = new Map<string, PropertySchema>()
  for (const [name, value] of Object.entries(values)) {
    const property = propertyOfValue(value)
    if (property !== undefined && nameProblem(name) === undefined) properties.set(name, property)
  }
  return { ...emptyObject, properties }
}
