import { type EventMapping, type EventType, methods } from '@tributary/contract'
import { destinationIds } from '../format/names.ts'
import { query } from './query.ts'

/** Pause between reads, in ms, while no event was received that a mapping can use: one can arrive at any moment. */
const eventsAwaitedMs = 5_000

/** The mappings of a destination with their actions, targets and fields. */
export const mappingsQuery = (destination: string) =>
  query(methods.mappings.get, { params: destinationIds(destination) })

/** Suggestions for a mapping of an action: proposals, fields with examples, names of events. */
export const mappingSuggestionsQuery = (
  destination: string,
  wanted: { destination: string; event_name: string; event_type: EventType | '' },
) =>
  query(
    methods.mappings.suggest,
    { params: destinationIds(destination), body: wanted },
    { staleTime: 60_000, refetchInterval: ({ state }) => state.data?.events.length === 0 && eventsAwaitedMs },
  )

/**
 * A mapping and the event with which it is tested: a stored event by name, an event as JSON text, or the latest event
 * that matches.
 */
export type MappingTrial = { event_mapping: EventMapping; event?: string; payload?: string }

/** Reads the payload that a mapping creates from an event. */
export const mappingPreviewQuery = (destination: string, trial: MappingTrial) =>
  query(
    methods.mappings.preview,
    { params: destinationIds(destination), body: trial },
    { gcTime: 60_000, wait: 300, refetchInterval: ({ state }) => state.data?.event === null && eventsAwaitedMs },
  )
