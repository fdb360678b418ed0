import type { Db } from '@tributary/api-kit'
import { readDestination, requireDefinition } from '@tributary/configuration'
import type { ActionDefinition, MappingPreset } from '@tributary/connector-kit'
import {
  type EventType,
  type methods,
  type ObjectSchema,
  parseSourceSchema,
  pathNames,
  type SourceSchema,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { storedEvent } from '@tributary/replays'
import type { EventStore } from '@tributary/storage'
import type { ControlDeps } from '../deps.ts'
import { readRecentEvents } from '../events/recent-events.ts'
import { readAudienceSamples } from './audience-trials.ts'
import { connectedSources } from './connected-sources.ts'
import { createSeenFields, type SeenField, validatedPlace } from './seen-fields.ts'
import { suggestFields } from './suggest-fields.ts'

/**
 * Maximum number of events whose fields are read, maximum number of suggested event names, and maximum age of these
 * names.
 */
const maxEvents = 50
const maxNames = 200
const namesWithinMs = 7 * 24 * 3_600_000

type Wanted = { eventName: string; eventType: EventType | '' }
type EventName = { event_name: string; event_type: string }

const currentSchemas = async (db: Db, sourceIds: readonly string[]): Promise<SourceSchema[]> => {
  if (sourceIds.length === 0) return []
  const rows = await db
    .selectFrom('sources')
    .innerJoin('source_schemas', (join) =>
      join
        .onRef('source_schemas.source_id', '=', 'sources.id')
        .onRef('source_schemas.version', '=', 'sources.schema_version'),
    )
    .select('source_schemas.schema')
    .where('sources.id', 'in', sourceIds)
    .orderBy('sources.id')
    .execute()
  return rows.map(({ schema }) => parseSourceSchema(schema))
}

/**
 * Returns the parts of the schemas that describe the wanted events: properties of events, and traits of identified
 * users. Without a wanted type, these are the events of the action's types.
 */
const schemaObjects = (
  schemas: readonly SourceSchema[],
  { eventName, eventType }: Wanted,
  types: readonly EventType[],
): ['traits' | 'properties', ObjectSchema][] =>
  schemas.flatMap(({ events, user }) => {
    const takes = (type: EventType): boolean =>
      eventType === '' ? types.length === 0 || types.includes(type) : eventType === type
    const tracked = takes('track')
    const named = eventName === '' ? [...events.values()] : [events.get(eventName)]
    const objects: ['traits' | 'properties', ObjectSchema | undefined][] = [
      ...(tracked ? named.map((object): ['properties', ObjectSchema | undefined] => ['properties', object]) : []),
      ...(takes('identify') && (eventType === 'identify' || eventName === '')
        ? [['traits', user] as ['traits', typeof user]]
        : []),
    ]
    return objects.flatMap(([place, object]) =>
      object === undefined ? [] : [[place, object] as [typeof place, ObjectSchema]],
    )
  })

/** Reads the names of events that the sources received in the last seven days. */
const recentNames = (
  eventStore: EventStore,
  workspace: string,
  sources: readonly string[],
  options: { now: number; signal: AbortSignal },
): Promise<EventName[]> =>
  sources.length === 0
    ? Promise.resolve([])
    : eventStore.query<EventName>(
        `select event as event_name, type as event_type from events
         where workspace_id = {workspace:String} and source_id in {sources:Array(String)}
           and receive_time >= fromUnixTimestamp64Milli({since:Int64}) and status = 'accepted'
         group by event, type order by count() desc, event limit {limit:UInt32}`,
        { workspace, sources, since: options.now - namesWithinMs, limit: maxNames },
        { owner: workspace, slot: 'heavy', signal: options.signal },
      )

/** Sorts names alphabetically and removes duplicates. */
const distinctNames = (names: readonly EventName[]): EventName[] => {
  const byKey = new Map(names.map((each) => [`${each.event_name}\n${each.event_type}`, each]))
  return [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? [])
}

/** Returns the properties or traits themselves, without the fields that are nested in them. */
const ownOf = (fields: readonly SeenField[], eventType: EventType | ''): SeenField[] =>
  fields.filter(({ name }) => {
    const names = pathNames(name)
    return names.length === 2 && names[0] === validatedPlace(eventType)
  })

const presetFor = (
  presets: readonly MappingPreset[],
  action: ActionDefinition,
  { eventName, eventType }: Wanted,
): MappingPreset | undefined => {
  const own = presets.filter((preset) => preset.action === action.name)
  return (
    own.find((preset) => preset.eventName !== undefined && preset.eventName === eventName) ??
    own.find((preset) => preset.eventType !== undefined && preset.eventType === eventType) ??
    own.find((preset) => preset.eventName === undefined) ??
    own[0]
  )
}

/** Whether a preset is for the wanted events, and not only for others of the same action. */
const isFor = ({ eventName, eventType }: MappingPreset, wanted: Wanted): boolean =>
  (eventName === undefined || eventName === wanted.eventName) &&
  (eventType === undefined || wanted.eventType === '' || eventType === wanted.eventType)

/**
 * Suggests field mappings for an action, from the schemas and the newest events of the connected sources. Also returns
 * the known fields and event names. Stores nothing.
 */
export const suggestMappings =
  ({
    db,
    catalog,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'catalog' | 'eventStore' | 'clock'>): Handler<typeof methods.mappings.suggest> =>
  async ({ workspace, params, body, signal }) => {
    const row = await readDestination(db, workspace.id, params.destination)
    const definition = await requireDefinition(catalog, row, 'destination')
    const action = definition.actions.find(({ name }) => name === body.destination)
    if (action === undefined) {
      const text = `${definition.title} has no action "${body.destination}"`
      throw badRequest('VALIDATION', text, { destination: text })
    }
    const [only] = action.eventTypes.length === 1 ? action.eventTypes : []
    const wanted: Wanted = {
      eventName: body.event_name,
      eventType: body.event_type === '' ? (only ?? '') : body.event_type,
    }
    const sourceIds = (await connectedSources(db, row.id)).map(({ id }) => id)
    const types = wanted.eventType === '' ? action.eventTypes : [wanted.eventType]
    const options = { now: clock(), signal }
    const [schemas, rows, names] = await Promise.all([
      currentSchemas(db, sourceIds),
      readRecentEvents(
        eventStore,
        { workspaceId: workspace.id, sourceIds, types, event: wanted.eventName },
        maxEvents,
        options,
      ),
      recentNames(eventStore, workspace.id, sourceIds, options),
    ])
    const seen = createSeenFields()
    const described = createSeenFields()
    const objects = schemaObjects(schemas, wanted, action.eventTypes)
    for (const [place, object] of objects) {
      seen.addSchema(place, object)
      described.addSchema(place, object)
    }
    for (const each of rows) {
      const event = storedEvent(each)
      if (event !== undefined) seen.addEvent(event)
    }
    const samples = (await readAudienceSamples(db, row.id)).filter(
      ({ type, event }) =>
        (wanted.eventType === '' || wanted.eventType === type) &&
        (wanted.eventName === '' || wanted.eventName === event) &&
        (action.eventTypes.length === 0 || action.eventTypes.includes(type)),
    )
    for (const sample of samples) seen.addEvent(sample)
    const isKnown = objects.length + rows.length + samples.length > 0
    seen.addStandard()
    const fields = seen.all()
    const inSchema = ownOf(described.all(), wanted.eventType)
    const custom = inSchema.length > 0 ? inSchema : ownOf(fields, wanted.eventType)
    const preset = presetFor(definition.presets, action, wanted)
    return {
      field_mappings: suggestFields(action, {
        fields,
        custom,
        preset,
        onlySeen: isKnown && preset !== undefined && !isFor(preset, wanted),
        eventType: wanted.eventType,
      }),
      fields,
      events: distinctNames([
        ...schemas.flatMap(({ events }) =>
          [...events.keys()].map((event_name): EventName => ({ event_name, event_type: 'track' })),
        ),
        ...names,
        ...samples.map(({ event, type }): EventName => ({ event_name: event, event_type: type })),
      ]),
    }
  }
