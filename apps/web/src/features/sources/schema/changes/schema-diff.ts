import {
  emptyObject,
  type ObjectSchema,
  type PropertyPlace,
  type PropertyType,
  propertyIdOf,
  type Requirement,
  requirementOf,
  type SourceSchema,
} from '@tributary/contract'
import { count, pluralise } from '../../../../lib/format/text.ts'

/** The definition of one property, without the fields of its items: these count as separate properties. */
export type PropertyState = {
  readonly type: PropertyType
  readonly requirement: Requirement
  readonly description: string
  /** Whether an array has a definition of its items. */
  readonly describesItems: boolean
}

/** A property that differs between two schemas. `before` is undefined if it was added, `after` if it was removed. */
export type PropertyChange = {
  readonly place: PropertyPlace
  readonly before?: PropertyState
  readonly after?: PropertyState
}

/** An event, or the user if `event` is undefined, that differs between two schemas. */
export type EventChange = {
  readonly event: string | undefined
  readonly kind: 'added' | 'removed' | 'changed'
  readonly properties: readonly PropertyChange[]
}

type Found = { readonly place: PropertyPlace; readonly state: PropertyState }

const addFields = (
  into: Map<string, Found>,
  object: ObjectSchema,
  event: string | undefined,
  parent: string | undefined,
): void => {
  for (const [property, { type, description = '', items }] of object.properties) {
    const place = { event, parent, property }
    const requirement = requirementOf(object, property)
    into.set(propertyIdOf(place), {
      place,
      state: { type, requirement, description, describesItems: items !== undefined },
    })
    if (items !== undefined) addFields(into, items, event, property)
  }
}

/** All properties of a definition by ID; an array comes before the fields of its items. */
const propertiesOf = (object: ObjectSchema, event: string | undefined): Map<string, Found> => {
  const found = new Map<string, Found>()
  addFields(found, object, event, undefined)
  return found
}

const isAlike = (one: PropertyState, other: PropertyState): boolean =>
  one.type === other.type &&
  one.requirement === other.requirement &&
  one.description === other.description &&
  one.describesItems === other.describesItems

const changesBetween = (
  before: ObjectSchema,
  after: ObjectSchema,
  event: string | undefined,
): readonly PropertyChange[] => {
  const old = propertiesOf(before, event)
  const now = propertiesOf(after, event)
  const changes: PropertyChange[] = []
  for (const [id, { place, state }] of now) {
    const was = old.get(id)
    if (was === undefined) changes.push({ place, after: state })
    else if (!isAlike(was.state, state)) changes.push({ place, before: was.state, after: state })
  }
  for (const [id, { place, state }] of old) if (!now.has(id)) changes.push({ place, before: state })
  return changes
}

const changeOf = (
  before: ObjectSchema | undefined,
  after: ObjectSchema | undefined,
  event: string | undefined,
): EventChange | undefined => {
  if (before === after) return undefined
  const properties = changesBetween(before ?? emptyObject, after ?? emptyObject, event)
  if (before === undefined) return { event, kind: 'added', properties }
  if (after === undefined) return { event, kind: 'removed', properties }
  return properties.length === 0 ? undefined : { event, kind: 'changed', properties }
}

/**
 * The changes that turn `before` into `after`: the user first, then events in the order of `after`, then removed ones.
 * The order of events and properties does not count.
 */
export const diffSchemas = (before: SourceSchema, after: SourceSchema): readonly EventChange[] => {
  if (before === after) return []
  const gone = [...before.events.keys()].filter((title) => !after.events.has(title))
  return [
    changeOf(before.user, after.user, undefined),
    ...[...after.events.keys(), ...gone].map((title) =>
      changeOf(before.events.get(title), after.events.get(title), title),
    ),
  ].filter((change) => change !== undefined)
}

/** The displayed name of an event, or of the user's traits. */
export const ownerTitle = (event: string | undefined): string => event ?? 'User traits'

/** The displayed name of a property: fields of items include their array. */
export const propertyTitle = ({ parent, property }: Pick<PropertyPlace, 'parent' | 'property'>): string =>
  parent === undefined ? property : `${parent} › ${property}`

/** Describes the changes of a property with one text for each difference, with the values before and after. */
export const changeWords = (before: PropertyState, after: PropertyState): readonly string[] => [
  ...(before.type === after.type ? [] : [`${before.type} → ${after.type}`]),
  ...(before.requirement === after.requirement ? [] : [`${before.requirement} → ${after.requirement}`]),
  ...(before.describesItems === after.describesItems
    ? []
    : [after.describesItems ? 'items are described' : 'items are no longer described']),
  ...(before.description === after.description ? [] : ['new description']),
]

const kinds = ['added', 'changed', 'removed'] as const

/**
 * The size of a difference: "2 events added, 1 property changed". Properties of added or removed events do not count.
 */
export const diffWords = (changes: readonly EventChange[]): string => {
  const user = changes.find(({ event }) => event === undefined)?.kind
  const events = changes.filter(({ event }) => event !== undefined).map(({ kind }) => kind)
  const properties = changes
    .filter(({ kind }) => kind === 'changed')
    .flatMap((change) => change.properties)
    .map(({ before, after }) => (before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'))
  const words = kinds.flatMap((kind) => {
    const ofEvents = kind === 'changed' ? 0 : events.filter((each) => each === kind).length
    const ofProperties = properties.filter((each) => each === kind).length
    return [
      ...(user === kind && kind !== 'changed' ? [`user traits ${kind}`] : []),
      ...(ofEvents === 0 ? [] : [`${count(ofEvents)} ${pluralise(ofEvents, 'event')} ${kind}`]),
      ...(ofProperties === 0
        ? []
        : [`${count(ofProperties)} ${ofProperties === 1 ? 'property' : 'properties'} ${kind}`]),
    ]
  })
  const text = words.length === 0 ? 'No changes' : words.join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
