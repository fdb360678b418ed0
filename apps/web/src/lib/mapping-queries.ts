import { queryOptions } from '@tanstack/react-query'
import { type EventMapping, type EventType, methods } from '@tributary/contract'
import { call } from './client.ts'
import { destinationIds } from './names.ts'
import { product } from './query-client.ts'
import { keys } from './query-keys.ts'

/** How often is asked again, in ms, while no event is there to work with: events may come at any moment. */
const eventsAwaitedMs = 5_000

/** The mappings of a destination and what they may be made of. */
export const mappingsQuery = (destination: string) =>
  queryOptions({
    ...product,
    queryKey: keys.mappings(destination),
    queryFn: ({ signal }) => call(methods.mappings.get, { params: destinationIds(destination), signal }),
  })

/** What a mapping of an action could be made of: proposals, fields with examples, names of events. */
export const mappingSuggestionsQuery = (
  destination: string,
  wanted: { destination: string; event_name: string; event_type: EventType | '' },
) =>
  queryOptions({
    ...product,
    staleTime: 60_000,
    queryKey: keys.mappingSuggestions(destination, wanted),
    queryFn: ({ signal }) =>
      call(methods.mappings.suggest, { params: destinationIds(destination), body: wanted, signal }),
    refetchInterval: ({ state }) => state.data?.events.length === 0 && eventsAwaitedMs,
  })

/** A mapping and the event it is tried with: a stored one by name, one as JSON text, or the latest that fits. */
export type MappingTrial = { event_mapping: EventMapping; event?: string; payload?: string }

/** What a mapping makes of an event. Waits a moment, so that not every key of a typist is a call. */
export const mappingPreviewQuery = (destination: string, trial: MappingTrial) =>
  queryOptions({
    ...product,
    queryKey: keys.mappingPreview(destination, trial),
    gcTime: 60_000,
    retry: false,
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      signal.throwIfAborted()
      return call(methods.mappings.preview, { params: destinationIds(destination), body: trial, signal })
    },
    refetchInterval: ({ state }) => state.data?.event === null && eventsAwaitedMs,
  })
