import {
  emptyObject,
  ownerOf,
  type PropertyPlace,
  propertyAt,
  propertyIdOf,
  type SourceSchema,
  withOwner,
  withoutOwner,
  withoutProperty,
  withProperty,
} from '@tributary/contract'
import { diffSchemas, type EventChange, ownerTitle, type PropertyChange, propertyTitle } from './schema-diff.ts'

/**
 * The result of a merge: the schema with `mine` merged into `theirs`, and the properties that both changed, for which
 * `mine` was used.
 */
export type Merged = { readonly schema: SourceSchema; readonly conflicts: readonly string[] }

const named = (place: PropertyPlace): string => `${ownerTitle(place.event)}: ${propertyTitle(place)}`

/** Applies the change of one property; the fields of its items stay as in `schema`. */
const withChange = (schema: SourceSchema, { place, after }: PropertyChange): SourceSchema => {
  if (after === undefined) return withoutProperty(schema, place)
  const { type, description, requirement } = after
  const items = propertyAt(schema, place)?.field.items ?? emptyObject
  return withProperty(
    schema,
    place,
    { type, ...(description === '' ? {} : { description }), ...(after.describesItems ? { items } : {}) },
    requirement,
  )
}

/** Copies a property with the fields of its items from `from`. */
const copied = (schema: SourceSchema, from: SourceSchema, place: PropertyPlace): SourceSchema => {
  const found = propertyAt(from, place)
  return found === undefined ? schema : withProperty(schema, place, found.field, found.requirement)
}

/**
 * Applies the changes from `base` to `mine` on `theirs`, property by property: two users who changed different
 * properties both keep their changes. If both changed the same property differently, `mine` is used, and the property
 * is listed as a conflict.
 */
export const mergeSchemas = (base: SourceSchema, mine: SourceSchema, theirs: SourceSchema): Merged => {
  const theirChanges = new Map(diffSchemas(base, theirs).map((change) => [change.event, change]))
  const conflicts = new Set<string>()
  let schema = theirs

  const mergeChange = (change: PropertyChange, their: ReadonlyMap<string, PropertyChange>): void => {
    const { place, after } = change
    const other = their.get(propertyIdOf(place))
    if (other !== undefined && JSON.stringify(other.after) !== JSON.stringify(after)) conflicts.add(named(place))
    const array = place.parent === undefined ? undefined : { ...place, parent: undefined, property: place.parent }
    // `theirs` lacks the array whose items were changed in `mine`: the whole array is restored.
    if (after !== undefined && array !== undefined && propertyAt(schema, array)?.field.items === undefined) {
      if (propertyAt(base, array) !== undefined) conflicts.add(named(array))
      schema = copied(schema, mine, array)
    } else schema = withChange(schema, change)
  }

  const mergeEvent = ({ event, kind, properties }: EventChange): void => {
    const their = theirChanges.get(event)
    if (kind === 'removed') {
      if (their?.kind === 'changed') conflicts.add(ownerTitle(event))
      schema = withoutOwner(schema, event)
      return
    }
    const own = ownerOf(mine, event) ?? emptyObject
    if (ownerOf(schema, event) === undefined) {
      if (their?.kind === 'removed') conflicts.add(ownerTitle(event))
      schema = withOwner(schema, event, own)
      return
    }
    const theirs = new Map(their?.properties.map((change) => [propertyIdOf(change.place), change]))
    for (const change of properties) mergeChange(change, theirs)
  }

  for (const change of diffSchemas(base, mine)) mergeEvent(change)
  return { schema, conflicts: [...conflicts] }
}
