import {
  definitionOf,
  emptyObject,
  isJsonObject,
  nameProblem,
  type ObjectSchema,
  objectOfValues,
  ownerOf,
  type Problem,
  type PropertyPlace,
  type PropertySchema,
  type PropertyType,
  pointerSegment,
  problemMessages,
  propertyIdOf,
  propertyOfValue,
  type Requirement,
  requirementOf,
  type SourceSchema,
  validatedDataOf,
  validatedTypes,
  withOwner,
  withProperty,
  withRequirement,
} from '@tributary/contract'

/** A property as a table shows it: from the schema, or from events if the schema lacks it. */
export type PropertyRow = {
  /** The JSON Pointer of the property in the schema, as `propertyIdOf` returns it. */
  id: string
  name: string
  type: PropertyType
  /** The array property that contains this property in its items. */
  parent: string | undefined
  isRequired: boolean
  isRecommended: boolean
  /** Whether the schema lacks the property. */
  isNew: boolean
  requirement: Requirement
}

/** A property of an event that the schema lacks. */
export type NewProperty = {
  row: PropertyRow
  place: PropertyPlace
  /** The property to add. Undefined for null, which has no type: the row then proposes a string. */
  field: PropertySchema | undefined
  /** Why the name of the property is invalid in a schema. */
  problem: string | undefined
}

type Values = { readonly [name: string]: unknown }

/** The owner of a place: an event's title, or undefined for the user schema, which identify calls use. */
export const ownerTitleOf = (type: string, title: string): string | undefined =>
  type === 'identify' ? undefined : title

/** Returns a readable form of a name: an empty name is shown as two quotes, as in the payload. */
export const shownName = (name: string): string => (name === '' ? '""' : name)

/** Whether a schema validates events of this type. Events of all other types are always compatible. */
export const isValidatedType = (type: string): boolean => validatedTypes.some((each) => each === type)

/** The definition that validates an event, if its type is validated and the schema has one. */
export const validatingDefinition = (schema: SourceSchema, type: string, title: string): ObjectSchema | undefined =>
  isValidatedType(type) ? definitionOf(schema, type, title) : undefined

/** The properties or traits of an event's payload; empty if they are not an object. */
export const valuesOf = (type: string, payload: Values | null): Values => {
  const data = payload === null ? undefined : validatedDataOf(type, payload)
  return isJsonObject(data) ? data : {}
}

const rowOf = (object: ObjectSchema, place: PropertyPlace, { type }: PropertySchema): PropertyRow => {
  const requirement = requirementOf(object, place.property)
  return {
    id: propertyIdOf(place),
    name: place.property,
    type,
    parent: place.parent,
    isRequired: requirement === 'required',
    isRecommended: requirement === 'recommended',
    isNew: false,
    requirement,
  }
}

/**
 * The rows of a definition in its order, with the fields of an array's items directly below the array. `event` is its
 * title, undefined for the user.
 */
export const schemaRows = (object: ObjectSchema, event: string | undefined): PropertyRow[] =>
  [...object.properties].flatMap(([property, field]) => {
    const { items } = field
    return [
      rowOf(object, { event, parent: undefined, property }, field),
      ...(items === undefined
        ? []
        : [...items.properties].map(([name, inner]) =>
            rowOf(items, { event, parent: property, property: name }, inner),
          )),
    ]
  })

const newProperty = (place: PropertyPlace, field: PropertySchema | undefined): NewProperty => ({
  row: {
    id: propertyIdOf(place),
    name: place.property,
    type: field?.type ?? 'string',
    parent: place.parent,
    isRequired: false,
    isRecommended: false,
    isNew: true,
    requirement: 'optional',
  },
  place,
  field,
  problem: nameProblem(place.property),
})

/** Returns a field of an item without a definition of its own items, because a schema does not describe these. */
const withoutItems = (field: PropertySchema | undefined): PropertySchema | undefined =>
  field === undefined ? undefined : { type: field.type }

/** Returns new fields in the items of one array, each once, with the type of its first received value. */
const newItemFields = (
  items: ObjectSchema,
  value: readonly unknown[],
  event: string | undefined,
  parent: string,
): NewProperty[] => {
  const found = new Map<string, PropertySchema | undefined>()
  for (const item of value) {
    if (!isJsonObject(item)) continue
    for (const [name, each] of Object.entries(item))
      if (!items.properties.has(name) && found.get(name) === undefined)
        found.set(name, withoutItems(propertyOfValue(each)))
  }
  return [...found].map(([property, field]) => newProperty({ event, parent, property }, field))
}

/**
 * The properties of an event that its definition lacks, in the event's order, and new fields in the items of its
 * arrays.
 */
export const newProperties = (
  object: ObjectSchema,
  values: { readonly [name: string]: unknown },
  event: string | undefined,
): NewProperty[] =>
  Object.entries(values).flatMap(([property, value]) => {
    const known = object.properties.get(property)
    if (known === undefined) return [newProperty({ event, parent: undefined, property }, propertyOfValue(value))]
    return known.items !== undefined && Array.isArray(value) ? newItemFields(known.items, value, event, property) : []
  })

const withFitNames = ({ properties, ...rest }: ObjectSchema): ObjectSchema => ({
  ...rest,
  properties: new Map(
    [...properties]
      .filter(([name]) => nameProblem(name) === undefined)
      .map(([name, { items, ...field }]) => [
        name,
        items === undefined ? field : { ...field, items: withFitNames(items) },
      ]),
  ),
})

/**
 * Returns a definition that an event matches. It has every property whose value has a type and whose name is valid in a
 * schema; all are optional.
 */
export const definitionOfValues = (values: { readonly [name: string]: unknown }): ObjectSchema =>
  withFitNames(objectOfValues(values))

/**
 * Returns the schema with a new event or, if there is no title, with the traits of the user. Each row has the
 * requirement that the user chose. Definitions that another user has added in the meantime stay; only missing ones are
 * added.
 */
export const withDefinition = (
  schema: SourceSchema,
  event: string | undefined,
  definition: ObjectSchema,
  chosen: ReadonlyMap<string, Requirement>,
): SourceSchema => {
  const known = ownerOf(schema, event)
  const added = new Map([...definition.properties].filter(([name]) => known?.properties.has(name) !== true))
  const withAll = [...added].reduce(
    (next, [property, field]) => withProperty(next, { event, parent: undefined, property }, field),
    known === undefined ? withOwner(schema, event, emptyObject) : schema,
  )
  return schemaRows(definition, event)
    .filter(({ name, parent }) => added.has(parent ?? name))
    .reduce(
      (next, { id, name, parent, requirement }) =>
        withRequirement(next, { event, parent, property: name }, chosen.get(id) ?? requirement),
      withAll,
    )
}

/** The result of a schema row for an event: 'Compatible', or the problem of that property. */
export const rowMessage = (
  problems: readonly Problem[],
  { name, parent }: Pick<PropertyRow, 'name' | 'parent'>,
): string => {
  const path = parent === undefined ? pointerSegment(name) : `${pointerSegment(parent)}/${pointerSegment(name)}`
  const problem = problems.find(({ property }) => property === path)
  return problem === undefined ? 'Compatible' : problemMessages[problem.kind]
}
