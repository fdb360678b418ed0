import {
  emptyObject,
  type ObjectSchema,
  ownerOf,
  type PropertyPlace,
  type PropertySchema,
  type PropertyType,
  propertyIdOf,
  type Requirement,
  requirementOf,
  type SourceSchema,
  withOwner,
  withProperty,
} from '@tributary/contract'

/** A property of received events that the schema lacks or defines differently. */
export type ProposedProperty = {
  readonly id: string
  readonly place: PropertyPlace
  readonly field: PropertySchema
  readonly requirement: Requirement
  /** The property in the current schema. Absent if the schema lacks it. */
  readonly before?: PropertySchema
  /**
   * Further types of the values of the property, or of the field `name` of its items, that would not match. Each has
   * its share.
   */
  readonly others?: readonly OtherType[]
}

type OtherType = { readonly name?: string; readonly type: PropertyType; readonly share: number }

/** A property by its ID, with the number of values of each type. The proposed type comes first. */
type Mixed = { readonly id: string; readonly types: readonly { readonly type: PropertyType; readonly count: number }[] }

/** The proposal for one event, or for the user's traits if `event` is undefined. */
export type ProposedEvent = {
  readonly id: string
  readonly event: string | undefined
  readonly isNew: boolean
  /** The number of sampled events. */
  readonly count: number
  readonly properties: readonly ProposedProperty[]
}

const differs = (now: PropertySchema, found: PropertySchema): boolean =>
  now.type !== found.type || (found.items !== undefined && now.items === undefined)

const proposedIn = (
  current: ObjectSchema,
  found: ObjectSchema,
  event: string | undefined,
  parent: string | undefined,
): ProposedProperty[] =>
  [...found.properties].flatMap(([property, field]) => {
    const now = current.properties.get(property)
    const place = { event, parent, property }
    const proposed = { id: propertyIdOf(place), place, field, requirement: requirementOf(found, property) }
    if (now === undefined) return [proposed]
    if (differs(now, field)) return [{ ...proposed, before: now }]
    return field.items === undefined ? [] : proposedIn(now.items ?? emptyObject, field.items, event, property)
  })

/**
 * Compares `found`, a schema of received events, with the schema `current`. Returns the parts of `found` that `current`
 * lacks or defines with another type.
 */
export const proposalOf = (
  current: SourceSchema,
  found: SourceSchema,
  counts: readonly { readonly title: string; readonly count: number }[],
  mixed: readonly Mixed[] = [],
): readonly ProposedEvent[] => {
  const othersOf = new Map(
    mixed.map(({ id, types }) => {
      const total = types.reduce((sum, { count }) => sum + count, 0)
      return [id, types.slice(1).map(({ type, count }) => ({ type, share: count / total }))]
    }),
  )
  const countOf = new Map(counts.map(({ title, count }) => [title, count]))
  const owners = [...(found.user === undefined ? [] : [undefined]), ...found.events.keys()]
  return owners.flatMap((event) => {
    const now = ownerOf(current, event)
    const properties = proposedIn(now ?? emptyObject, ownerOf(found, event) ?? emptyObject, event, undefined).map(
      (property) => {
        const { id, place, field } = property
        const others: OtherType[] = [
          ...(othersOf.get(id) ?? []),
          ...[...(field.items?.properties.keys() ?? [])].flatMap((name) =>
            (othersOf.get(propertyIdOf({ event, parent: place.property, property: name })) ?? []).map((other) => ({
              name,
              ...other,
            })),
          ),
        ]
        return others.length === 0 ? property : { ...property, others }
      },
    )
    if (now !== undefined && properties.length === 0) return []
    const id = event === undefined ? 'user' : `event ${event}`
    return [{ id, event, isNew: now === undefined, count: countOf.get(event ?? '') ?? 0, properties }]
  })
}

/**
 * Returns the IDs of all additions, which are selected at first. Changes of existing properties are left to the user.
 */
export const additionsOf = (proposal: readonly ProposedEvent[]): ReadonlySet<string> =>
  new Set(
    proposal.flatMap(({ id, isNew, properties }) => [
      ...(isNew ? [id] : []),
      ...properties.filter(({ before }) => before === undefined).map((property) => property.id),
    ]),
  )

/**
 * Returns the schema with the selected parts of a proposal added. Nothing is removed, and a changed property keeps its
 * requirement.
 */
export const withProposal = (
  current: SourceSchema,
  proposal: readonly ProposedEvent[],
  chosen: ReadonlySet<string>,
): SourceSchema => {
  let schema = current
  for (const { id, event, isNew, properties } of proposal) {
    if (isNew && chosen.has(id)) schema = withOwner(schema, event, ownerOf(schema, event) ?? emptyObject)
    for (const { id: property, place, field, before, requirement } of properties) {
      if (!chosen.has(property)) continue
      const { description } = before ?? field
      schema =
        before === undefined
          ? withProperty(schema, place, field, requirement)
          : withProperty(schema, place, { ...field, ...(description === undefined ? {} : { description }) })
    }
  }
  return schema
}
