import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Db } from '@tributary/api-kit'
import { createEventsParams, propertyIsSet } from '@tributary/audiences'
import {
  type AudienceQuery,
  audienceEventNames,
  type ComputedTraitDefinition,
  type Condition,
  type EventMapping,
  type EventType,
  eventTypes,
  type FieldMapping,
  type NameWarning,
  pathNames,
  queriesOf,
  type SelectedAttribute,
  type SignalDefinition,
} from '@tributary/contract'
import { nearestText } from '@tributary/kernel'
import type { EventStore } from '@tributary/storage'
import { sql } from 'kysely'

/** Maximum number of names of one query that are checked. */
const maxLookedFor = 30
/** Maximum number of names, and of events with their properties, that are searched for the most similar name. */
const maxNames = 5000
const maxEvents = 2000

const types: ReadonlySet<string> = new Set(eventTypes)

type Place = { id: string; field: string }
type Column = 'traits' | 'properties'
/**
 * A name in a query. A property also has the events that may contain it; one of them is enough for it to count as
 * received.
 */
type Named = Place & { name: string }
type NamedProperty = Named & { events: readonly string[]; column: Column }
type Names = { events: Named[]; properties: NamedProperty[]; traits: Named[] }

export type NamesDeps = { db: Db; eventStore: Pick<EventStore, 'query'> }
type Options = { workspaceId: string; signal: AbortSignal }

const ofWorkspace = `workspace_id = {workspace:String} and status = 'accepted' and not test`

const columnOf = (event: string): Column => (event === 'identify' || event === 'group' ? 'traits' : 'properties')

/** Returns the events or properties of a list that occur in no stored event. */
const missingOf = async <T extends Named | NamedProperty>(
  { eventStore }: NamesDeps,
  named: readonly T[],
  { workspaceId, signal }: Options,
): Promise<T[]> => {
  if (named.length === 0) return []
  const params = createEventsParams()
  const isEvent = (event: string): string => {
    const given = params.add('event', 'String', event)
    return types.has(event) ? `event = ${given} or (event = '' and type = ${given})` : `event = ${given}`
  }
  const found = named.map((each, index) => {
    const events = 'events' in each ? each.events : [each.name]
    const isSet = 'events' in each ? ` and ${propertyIsSet(each.name, each.column, params)}` : ''
    return `(select ${index} as place from events where ${ofWorkspace} and (${events.map(isEvent).join(' or ')})${isSet} limit 1)`
  })
  const rows = await eventStore.query<{ place: number | string }>(
    found.join('\nunion all\n'),
    { ...params.values, workspace: workspaceId },
    { owner: workspaceId, slot: 'short', signal },
  )
  const present = new Set(rows.map(({ place }) => Number(place)))
  return named.filter((_, index) => !present.has(index))
}

/**
 * Reads the names of received events, or the property or trait names in some of these events (`of`). The most frequent
 * name comes first.
 */
const namesOf = async (
  { eventStore }: NamesDeps,
  of: Pick<NamedProperty, 'events' | 'column'> | undefined,
  { workspaceId, signal }: Options,
): Promise<string[]> => {
  const isEvent = `(event in {events:Array(String)} or (event = '' and type in {events:Array(String)}))`
  const text =
    of === undefined
      ? `select text from (select if(event = '', type, event) as text, count() as n from events where ${ofWorkspace} group by text)
         where text != '' order by n desc, text limit ${maxNames}`
      : `select text, count() as n from (select arrayJoin(JSONAllPaths(${of.column})) as text
           from (select properties, traits from events where ${ofWorkspace} and ${isEvent} limit ${maxEvents}))
         group by text order by n desc, text limit ${maxNames}`
  const params = { workspace: workspaceId, events: of?.events ?? [] }
  const rows = await eventStore.query<{ text: string }>(text, params, { owner: workspaceId, slot: 'short', signal })
  return rows.map(({ text: name }) => name)
}

/** Returns the traits of a list that no profile has and that no computed trait produces. */
const missingTraits = async (db: Db, named: readonly Named[], workspaceId: string): Promise<Named[]> => {
  if (named.length === 0) return []
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${named.map(({ name }) => name)}::text[]) as asked (name)
    where exists (select from profile_traits t, unnest(trait_holders(asked.name)) as holder (name)
        where t.workspace_id = ${workspaceId}::uuid and t.name = holder.name
          and trait_within(t.name, asked.name, t.value) is not null)
      or exists (select from computed_traits c, unnest(trait_holders(asked.name)) as holder (name)
        where c.workspace_id = ${workspaceId}::uuid and c.trait = holder.name and c.delete_time is null)`.execute(db)
  const present = new Set(rows.map(({ name }) => name))
  return named.filter(({ name }) => !present.has(name))
}

const traitNames = async (db: Db, workspaceId: string): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select trait as name from computed_traits where workspace_id = ${workspaceId}::uuid and delete_time is null
    union all
    select name from (select name, count(*) as n from (
      select name from profile_traits where workspace_id = ${workspaceId}::uuid and name <> '' limit ${maxEvents * 10}
    ) as sample group by name order by n desc, name limit ${maxNames}) as frequent`.execute(db)
  return rows.map(({ name }) => name)
}

const warningOf = ({ id, field, name }: Named, noun: string, known: readonly string[]): NameWarning => {
  const nearest = nearestText(name, known) ?? ''
  const hint = nearest === '' ? '' : `. The nearest received name is "${nearest}"`
  return { id, field, nearest, message: `No ${noun} named "${name}" was received yet${hint}` }
}

const warn = async (
  deps: NamesDeps,
  { events, properties, traits }: Names,
  options: Options,
): Promise<NameWarning[]> => {
  const lookedFor = events.slice(0, maxLookedFor)
  const [missingEvents, withoutValue] = await Promise.all([
    missingOf(deps, lookedFor, options),
    missingOf(deps, properties.slice(0, maxLookedFor - lookedFor.length), options),
  ])
  const unknown = new Set(missingEvents.map(({ name }) => name))
  // For an event that was never received, only the event gets a warning, not its properties.
  const missingProperties = withoutValue.filter((each) => !each.events.every((event) => unknown.has(event)))
  const missingNames = await missingTraits(deps.db, traits.slice(0, maxLookedFor), options.workspaceId)
  const eventNames = missingEvents.length === 0 ? [] : await namesOf(deps, undefined, options)
  const known = new Map<string, string[]>()
  const keyOf = ({ events: of, column }: NamedProperty): string => JSON.stringify([column, of])
  for (const each of missingProperties)
    if (!known.has(keyOf(each))) known.set(keyOf(each), await namesOf(deps, each, options))
  const named = missingNames.length === 0 ? [] : await traitNames(deps.db, options.workspaceId)
  const found: [Named, string, readonly string[]][] = [
    ...missingEvents.map((each): [Named, string, string[]] => [each, 'event', eventNames]),
    ...missingProperties.map((each): [Named, string, string[]] => [
      each,
      each.column === 'traits' ? 'trait' : 'property',
      known.get(keyOf(each)) ?? [],
    ]),
    ...missingNames.map((each): [Named, string, string[]] => [each, 'trait', named]),
  ]
  const warnings: NameWarning[] = []
  for (const [each, noun, names] of found) {
    warnings.push(warningOf(each, noun, names))
    // Each search goes through thousands of names, so other calls get a turn between two searches.
    await nextTurn()
  }
  return warnings
}

const attributesOf = (attributes: readonly SelectedAttribute[]): Named[] =>
  attributes.map(({ id, name }) => ({ id, field: 'name', name }))

const propertiesOf = (attributes: readonly Named[], event: string): NamedProperty[] =>
  attributes.map((each) => ({ ...each, events: [event], column: columnOf(event) }))

/** Returns no warnings if a store is unavailable or takes too long, because warnings are only advice. */
const orNone = async (warnings: Promise<NameWarning[]>, { signal }: Options): Promise<NameWarning[]> => {
  try {
    return await warnings
  } catch (error) {
    if (signal.aborted) throw error
    return []
  }
}

/** Warns of each event, property and trait of a query that was never received, with the most similar received name. */
export const warnOfQuery = (deps: NamesDeps, query: AudienceQuery, options: Options): Promise<NameWarning[]> => {
  const queries = queriesOf(query)
  const ofEvents = queries.filter(({ type }) => type === 'event')
  const events = ofEvents.map(({ id, selectedEvent }) => ({ id, field: 'selectedEvent', name: selectedEvent }))
  const properties = ofEvents.flatMap((each) => propertiesOf(attributesOf(each.selectedAttributes), each.selectedEvent))
  const traits = queries
    .filter(({ type }) => type === 'attribute')
    .flatMap(({ selectedAttributes }) => attributesOf(selectedAttributes))
  return orNone(warn(deps, { events, properties, traits }, options), options)
}

/**
 * Warns of the names in the definition of a computed trait, as `warnOfQuery` does. `field` of a warning is a field of
 * the definition.
 */
export const warnOfDefinition = (
  deps: NamesDeps,
  { event, property, conditions }: ComputedTraitDefinition,
  options: Options,
): Promise<NameWarning[]> => {
  const own = property === '' ? [] : [{ id: '', field: 'property', name: property }]
  const properties = propertiesOf([...own, ...attributesOf(conditions)], event)
  return orNone(
    warn(deps, { events: [{ id: '', field: 'event', name: event }], properties, traits: [] }, options),
    options,
  )
}

/** Types of events that have no name. */
const nameless: ReadonlySet<EventType> = new Set(['identify', 'group', 'alias'])
/** Names of the events that the product makes itself. */
const ownEvents: ReadonlySet<string> = new Set(Object.values(audienceEventNames))

type ChosenEvent = { event_type: EventType | ''; event_name: string }

/**
 * Returns the name, or the type of a nameless event, that a user has chosen. Returns undefined if any name is accepted.
 */
const chosenName = ({ event_type, event_name }: ChosenEvent): string | undefined => {
  if (event_name !== '') return event_name
  return event_type !== '' && nameless.has(event_type) ? event_type : undefined
}

const eventsIn = (chosen: readonly (ChosenEvent & Place)[]): Named[] =>
  chosen.flatMap(({ id, field, event_name }) =>
    event_name === '' || ownEvents.has(event_name) ? [] : [{ id, field, name: event_name }],
  )

type Path = Place & { path: string }

/** Collects the names in paths: properties and traits of the chosen events, and traits of the users of these events. */
const namesIn = (paths: readonly Path[], chosen: readonly ChosenEvent[]): Omit<Names, 'events'> => {
  const names: Omit<Names, 'events'> = { properties: [], traits: [] }
  const events = chosen.map(chosenName)
  // Properties are not checked if any event is accepted, or an event that is not stored.
  const known = events.every((event) => event !== undefined && !ownEvents.has(event)) ? (events as string[]) : []
  for (const { id, field, path } of paths) {
    const [first = '', ...rest] = pathNames(path)
    const inTraits = first === 'context' && rest[0] === 'traits'
    const within = inTraits ? rest.slice(1) : rest
    // Stored names end at a list: the items of a list have no names.
    const item = within.findIndex((name) => /^\d+$/.test(name))
    const name = (item === -1 ? within : within.slice(0, item)).join('.')
    if (name === '') continue
    if (inTraits) names.traits.push({ id, field, name })
    else if ((first === 'properties' || first === 'traits') && known.length > 0)
      names.properties.push({ id, field, name, events: known, column: first })
  }
  return names
}

const conditionPaths = (conditions: readonly Condition[], field: string): Path[] =>
  conditions.map(({ id, field: path }, index) => ({ id, field: `${field}.${index}.field`, path }))

/** Returns the paths of a source. In a list of sources, a later one stands in for an earlier one that is absent. */
const sourcePaths = (source: FieldMapping['source'], id: string, at: string): Path[] => {
  if (source.type === 'FIRST')
    return source.sources.length === 1
      ? source.sources.flatMap((each, index) => sourcePaths(each, id, `${at}.sources.${index}`))
      : []
  // With a root, the list may be absent.
  if (source.type === 'LIST') return source.root === '' ? [{ id, field: `${at}.list`, path: source.list }] : []
  return source.type === 'FIELD' ? [{ id, field: `${at}.name`, path: source.name }] : []
}

const fieldPaths = (fields: readonly FieldMapping[], field: string): Path[] =>
  fields.flatMap(({ id, source, enabled, conditions = [] }, index) =>
    enabled
      ? [
          ...sourcePaths(source, id, `${field}.${index}.source`),
          ...conditionPaths(conditions, `${field}.${index}.conditions`),
        ]
      : [],
  )

/**
 * Warns of the names in mappings, as `warnOfQuery` does. `field` of a warning is the path of the name in the request.
 * Checks only enabled fields, and no templates.
 */
export const warnOfMappings = (
  deps: NamesDeps,
  mappings: readonly { mapping: EventMapping; field: string }[],
  options: Options,
): Promise<NameWarning[]> => {
  const names: Names = { events: [], properties: [], traits: [] }
  for (const { mapping, field } of mappings) {
    const paths = [
      ...conditionPaths(mapping.filters, `${field}.filters`),
      ...fieldPaths(mapping.field_mappings, `${field}.field_mappings`),
    ]
    const { properties, traits } = namesIn(paths, [mapping])
    names.events.push(...eventsIn([{ ...mapping, field: `${field}.event_name` }]))
    names.properties.push(...properties)
    names.traits.push(...traits)
  }
  return orNone(warn(deps, names, options), options)
}

/** Warns of the names in a signal that gets its conversions from events, as `warnOfQuery` does. */
export const warnOfSignal = (
  deps: NamesDeps,
  { trigger, value, event_id, refunds, platforms }: SignalDefinition,
  options: Options,
): Promise<NameWarning[]> => {
  if (trigger.type !== 'events') return Promise.resolve([])
  const at = (field: string, path: string): Path[] => (path === '' ? [] : [{ id: '', field, path }])
  const placed = (events: readonly ChosenEvent[], field: string) =>
    events.map((each, index) => ({ ...each, id: '', field: `${field}.${index}.event_name` }))
  const own = namesIn(
    [
      ...conditionPaths(trigger.filters, 'trigger.filters'),
      ...(value.type === 'event'
        ? [...at('value.amount_path', value.amount_path), ...at('value.currency_path', value.currency_path)]
        : []),
      ...(event_id.type === 'path' ? at('event_id.path', event_id.path) : []),
      ...platforms.flatMap(({ field_mappings }, index) =>
        fieldPaths(field_mappings ?? [], `platforms.${index}.field_mappings`),
      ),
    ],
    trigger.events,
  )
  const refunded =
    refunds === null
      ? { properties: [], traits: [] }
      : namesIn(
          [...at('refunds.order_path', refunds.order_path), ...at('refunds.amount_path', refunds.amount_path)],
          refunds.events,
        )
  const events = [
    ...eventsIn(placed(trigger.events, 'trigger.events')),
    ...eventsIn(placed(refunds?.events ?? [], 'refunds.events')),
  ]
  return orNone(
    warn(
      deps,
      {
        events,
        properties: [...own.properties, ...refunded.properties],
        traits: [...own.traits, ...refunded.traits],
      },
      options,
    ),
    options,
  )
}
