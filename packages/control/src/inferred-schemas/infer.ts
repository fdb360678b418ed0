import {
  formatSourceSchema,
  nameProblem,
  type ObjectSchema,
  type PropertySchema,
  type PropertyType,
  propertyIdOf,
  propertyOfValue,
  type SourceSchema,
  schemaLimits,
  typeOfValue,
} from '@tributary/contract'

/** An event from which to infer a schema: its title ('' for the traits of a user) and its properties or traits. */
export type Sample = { readonly title: string; readonly values: Readonly<Record<string, unknown>> }

type Inferred = {
  readonly schema: SourceSchema
  /** The titles from which the schema was inferred, with their numbers of events; '' for the traits of the user. */
  readonly events: readonly { readonly title: string; readonly count: number }[]
  /** Properties of the schema that had values of several types, each with the proposed type first. */
  readonly mixed: readonly MixedProperty[]
}

/** A property by its ID, with each type that its values had and how often. */
type MixedProperty = { readonly id: string; readonly types: { readonly type: PropertyType; readonly count: number }[] }

/** Minimum number of events of a name for a property to be required. */
const enoughForRequired = 20
const recommendedShare = 0.8

/**
 * Maximum number of properties that are counted in total. A schema has at most about 15,000. Without this limit, events
 * whose property names always differ would take gigabytes (400 bytes per property).
 */
const maxCounted = 100_000

/** The values of a property: how often each type occurred, and the items of arrays that contain only objects. */
type Seen = { types: Map<PropertyType, number>; items: Tally | undefined; otherItems: boolean }
type Tally = { count: number; fields: Map<string, Seen> }

const newTally = (): Tally => ({ count: 0, fields: new Map() })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeOfValue(value) === 'object'

/** Counts the values of one object. Skips values without a type and names that a schema cannot have. */
const tallyInto = (
  tally: Tally,
  values: Readonly<Record<string, unknown>>,
  mayHaveItems: boolean,
  counted: { properties: number },
): void => {
  tally.count++
  for (const [name, value] of Object.entries(values)) {
    const property = propertyOfValue(value)
    if (property === undefined || nameProblem(name) !== undefined) continue
    let seen = tally.fields.get(name)
    if (seen === undefined) {
      if (counted.properties === maxCounted) continue
      counted.properties++
      seen = { types: new Map(), items: undefined, otherItems: false }
      tally.fields.set(name, seen)
    }
    seen.types.set(property.type, (seen.types.get(property.type) ?? 0) + 1)
    if (!mayHaveItems || !Array.isArray(value) || value.length === 0) continue
    if (property.items === undefined) {
      seen.otherItems = true
      continue
    }
    seen.items ??= newTally()
    for (const item of value) if (isObject(item)) tallyInto(seen.items, item, false, counted)
  }
}

const sum = (counts: Iterable<number>): number => {
  let total = 0
  for (const count of counts) total += count
  return total
}

/** Sorts by count, the largest first. If counts are equal, the entry that was seen first comes first. */
const byCount = <K, V>(map: ReadonlyMap<K, V>, countOf: (value: V) => number): [K, V][] =>
  [...map].toSorted(([, a], [, b]) => countOf(b) - countOf(a))

const propertyOf = (seen: Seen): PropertySchema => {
  const type = byCount(seen.types, (count) => count)[0]?.[0] ?? 'string'
  return type === 'array' && seen.items !== undefined && !seen.otherItems
    ? { type, items: objectOf(seen.items) }
    : { type }
}

const objectOf = (tally: Tally): ObjectSchema => {
  const properties = new Map<string, PropertySchema>()
  const required = new Set<string>()
  const recommended = new Set<string>()
  const present = (seen: Seen): number => sum(seen.types.values())
  for (const [name, seen] of byCount(tally.fields, present).slice(0, schemaLimits.properties)) {
    properties.set(name, propertyOf(seen))
    const times = present(seen)
    if (times === tally.count && tally.count >= enoughForRequired) required.add(name)
    else if (times >= tally.count * recommendedShare) recommended.add(name)
  }
  return { properties, required, recommended }
}

/** Returns the properties of a definition that had values of several types. */
const mixedIn = (
  tally: Tally,
  object: ObjectSchema,
  event: string | undefined,
  parent: string | undefined,
): MixedProperty[] =>
  [...object.properties].flatMap(([property, { items }]) => {
    const seen = tally.fields.get(property)
    if (seen === undefined) return []
    const types = byCount(seen.types, (count) => count).map(([type, count]) => ({ type, count }))
    return [
      ...(types.length > 1 ? [{ id: propertyIdOf({ event, parent, property }), types }] : []),
      ...(items === undefined || seen.items === undefined ? [] : mixedIn(seen.items, items, event, property)),
    ]
  })

const withoutItems = (object: ObjectSchema): ObjectSchema => ({
  ...object,
  properties: new Map([...object.properties].map(([name, { type }]) => [name, { type }])),
})

const firstProperties = (object: ObjectSchema, count: number): ObjectSchema => {
  const properties = new Map([...object.properties].slice(0, count))
  const kept = (names: ReadonlySet<string>): Set<string> => new Set([...names].filter((name) => properties.has(name)))
  return { properties, required: kept(object.required), recommended: kept(object.recommended) }
}

/**
 * Reduces a definition to this number of bytes: keeps all of it, or leaves out the items of arrays, or keeps the most
 * frequent properties. Returns undefined if nothing fits.
 */
const fitInto = (
  bytes: number,
  object: ObjectSchema,
  sizeOf: (object: ObjectSchema) => number,
): { object: ObjectSchema; size: number } | undefined => {
  let fitting = object
  let size = sizeOf(fitting)
  if (size > bytes) {
    fitting = withoutItems(object)
    size = sizeOf(fitting)
  }
  while (size > bytes) {
    if (fitting.properties.size === 0) return undefined
    fitting = firstProperties(fitting, fitting.properties.size >> 1)
    size = sizeOf(fitting)
  }
  return { object: fitting, size }
}

const bytesOf = (schema: SourceSchema): number => Buffer.byteLength(formatSourceSchema(schema))

/**
 * Infers the schema that most of these events match. A property has its most frequent type; `mixed` lists properties
 * with several types. A property is required if it is in every event (of at least 20), recommended if it is in 80 %,
 * and otherwise optional. Null counts as absent. Names and sizes respect the limits of source schemas, so that
 * `parseSourceSchema` accepts the result. Definitions beyond the limits are left out, the rarest first.
 */
export const inferSchema = (samples: Iterable<Sample>): Inferred => {
  const tallies = new Map<string, Tally>()
  const counted = { properties: 0 }
  for (const { title, values } of samples) {
    if (title !== '' && nameProblem(title) !== undefined) continue
    const tally = tallies.get(title) ?? newTally()
    tallies.set(title, tally)
    tallyInto(tally, values, true, counted)
  }
  let left: number = schemaLimits.bytes
  const user = tallies.get('')
  const ofUser =
    user === undefined
      ? undefined
      : fitInto(left, objectOf(user), (object) => bytesOf({ events: new Map(), user: object }))
  left -= ofUser?.size ?? bytesOf({ events: new Map() })
  tallies.delete('')

  const events = new Map<string, ObjectSchema>()
  const counts: { title: string; count: number }[] = []
  const mixed: MixedProperty[] = []
  if (user !== undefined && ofUser !== undefined) {
    counts.push({ title: '', count: user.count })
    mixed.push(...mixedIn(user, ofUser.object, undefined, undefined))
  }
  for (const [title, tally] of byCount(tallies, ({ count }) => count)) {
    if (events.size === schemaLimits.events) break
    // A definition measured alone is larger than the part that it adds to the whole schema.
    const fitting = fitInto(left, objectOf(tally), (object) => bytesOf({ events: new Map([[title, object]]) }))
    if (fitting === undefined) continue
    left -= fitting.size
    events.set(title, fitting.object)
    counts.push({ title, count: tally.count })
    mixed.push(...mixedIn(tally, fitting.object, title, undefined))
  }
  return { schema: { events, ...(ofUser === undefined ? {} : { user: ofUser.object }) }, events: counts, mixed }
}
