import { emptySchema, eventBatchLimit, type SourceSchema } from '@tributary/contract'
import { pluralise } from '../../../lib/format/text.ts'
import { type LiveEvent, needsPayload } from './live-event.ts'
import { isFiltered, type LiveFilters, matches, noFilters } from './live-filters.ts'

/** Maximum number of events in the live list. */
export const liveLimit = 50

export type LiveState = {
  /** The shown events, newest first, each message ID once. */
  events: readonly LiveEvent[]
  /** Events that arrived while the list does not show new ones (`atTop` is false, or `paused`); newest first. */
  waiting: readonly LiveEvent[]
  /** The number of waiting events, including omitted ones. `waiting` may contain fewer. */
  waitingCount: number
  /** The number of waiting events that the server omitted: they are counted but not known. */
  missed: number
  /** The number of waiting events that match the filters, counted on arrival since the last change of the filters. */
  waitingMatches: number
  atTop: boolean
  paused: boolean
  /**
   * The number of events that the server omitted because too many came together, and that no load of the list has
   * returned since.
   */
  skipped: number
  /** The number of events since the last clear that the server omitted and the next load of the list did not return. */
  leftOut: number
  /** Events received at or before this time (epoch ms) were cleared and do not return. */
  clearedUntil: number
  /** The filters that select the shown ones of `events`. */
  filters: LiveFilters
  /**
   * The schema that validates events: tracked events by their title, and identify by the user schema if there is one.
   */
  schema: SourceSchema
  /** The known versions of the schema, by number: a version never changes. */
  versions: ReadonlyMap<number, SourceSchema>
}

export const initialLive: LiveState = {
  events: [],
  waiting: [],
  waitingCount: 0,
  missed: 0,
  waitingMatches: 0,
  atTop: true,
  paused: false,
  skipped: 0,
  leftOut: 0,
  clearedUntil: 0,
  filters: noFilters,
  schema: emptySchema,
  versions: new Map(),
}

export type LiveAction =
  | { type: 'received'; events: readonly LiveEvent[]; skipped: number }
  /** The stored list was loaded: it can contain events that the live channel omitted. */
  | { type: 'read'; events: readonly LiveEvent[] }
  | { type: 'scrolled'; atTop: boolean }
  | { type: 'takeIn' }
  | { type: 'paused'; paused: boolean }
  | { type: 'filtered'; filters: LiveFilters }
  /** The schema was loaded or has changed; without a version while a change is being saved. */
  | { type: 'schema'; schema: SourceSchema; version?: number | undefined }
  /** The payloads of events were loaded. */
  | { type: 'detailed'; events: readonly Pick<LiveEvent, 'eventId' | 'payload'>[] }
  | { type: 'clear' }
  /** Clears the events and all filters. */
  | { type: 'reset' }

/** The order of the stored list: newest first, and by ID within one request. */
const newestFirst = (one: LiveEvent, other: LiveEvent): number =>
  Date.parse(other.receiveTime) - Date.parse(one.receiveTime) ||
  Number(other.eventId > one.eventId) - Number(other.eventId < one.eventId)

/** The events of `added` whose message ID is not in `known`, each once. */
const unknownOf = (known: readonly LiveEvent[], added: readonly LiveEvent[]): LiveEvent[] => {
  const ids = new Set(known.map(({ messageId }) => messageId))
  return added.filter(({ messageId }) => !ids.has(messageId) && ids.add(messageId))
}

/** Returns `known` without the blocked events whose replay, which has the same message ID, is in `added`. */
const withoutReplayed = (known: readonly LiveEvent[], added: readonly LiveEvent[]): readonly LiveEvent[] => {
  const kept = ({ status }: LiveEvent): boolean => status === 'blocked' || status === 'held'
  if (!known.some(kept)) return known
  return known.filter(
    (event) =>
      !kept(event) || !added.some(({ messageId, eventId }) => messageId === event.messageId && eventId > event.eventId),
  )
}

/**
 * Merges both lists: each message ID once, newest first, at most 50 events. A known event stays unchanged unless it was
 * blocked and `added` has its replay.
 */
export const mergeEvents = (known: readonly LiveEvent[], added: readonly LiveEvent[]): readonly LiveEvent[] => {
  const kept = withoutReplayed(known, added)
  const fresh = unknownOf(kept, added)
  return fresh.length === 0 ? kept : [...fresh, ...kept].sort(newestFirst).slice(0, liveLimit)
}

const takenIn = (state: LiveState): LiveState =>
  state.waiting.length === 0 && state.waitingCount === 0
    ? state
    : {
        ...state,
        events: mergeEvents(state.events, state.waiting),
        waiting: [],
        waitingCount: 0,
        missed: 0,
        waitingMatches: 0,
      }

/**
 * Adds the new events of `added` to the waiting ones. `missed` is the number of events in `added` that the server had
 * omitted and that were already counted.
 */
const waiting = (state: LiveState, added: readonly LiveEvent[], missed: number): LiveState => {
  const oldest = state.events.length < liveLimit ? 0 : Date.parse(state.events.at(-1)?.receiveTime ?? '')
  const fresh = unknownOf([...state.events, ...state.waiting], added).filter(
    ({ receiveTime }) => Date.parse(receiveTime) >= oldest,
  )
  if (fresh.length === 0) return state
  const counted = Math.min(missed, fresh.length)
  return {
    ...state,
    waiting: mergeEvents(state.waiting, fresh),
    waitingCount: state.waitingCount + fresh.length - counted,
    missed: state.missed - counted,
    waitingMatches: state.waitingMatches + fresh.filter((event) => matches(event, state.filters, state)).length,
  }
}

const takesIn = ({ atTop, paused }: LiveState): boolean => atTop && !paused

const received = (state: LiveState, added: readonly LiveEvent[], missed: number): LiveState => {
  const current = added.filter(({ receiveTime }) => Date.parse(receiveTime) > state.clearedUntil)
  if (!takesIn(state)) return waiting(state, current, missed)
  const next = takenIn(state)
  return { ...next, events: mergeEvents(next.events, current) }
}

const skipped = (state: LiveState, count: number): LiveState => {
  if (count === 0) return state
  const next = { ...state, skipped: state.skipped + count }
  return takesIn(state) ? next : { ...next, waitingCount: state.waitingCount + count, missed: state.missed + count }
}

const knownIds = ({ events, waiting: later }: LiveState): ReadonlySet<string> =>
  new Set([...events, ...later].map(({ eventId }) => eventId))

/** Returns `next` with updated counts of omitted events: those that the last load returned are no longer missing. */
const settled = (state: LiveState, next: LiveState): LiveState => {
  const missing = state.skipped + state.leftOut
  if (missing === 0) return next
  const known = knownIds(state)
  const found = [...knownIds(next)].filter((id) => !known.has(id)).length
  return { ...next, skipped: 0, leftOut: Math.max(0, missing - found) }
}

const newestTime = (state: LiveState): number =>
  [...state.events, ...state.waiting].reduce(
    (newest, { receiveTime }) => Math.max(newest, Date.parse(receiveTime)),
    state.clearedUntil,
  )

const cleared = (state: LiveState): LiveState => ({
  ...state,
  events: [],
  waiting: [],
  waitingCount: 0,
  missed: 0,
  waitingMatches: 0,
  skipped: 0,
  leftOut: 0,
  clearedUntil: newestTime(state),
})

/** Counts again how many waiting events match the filters. Events that are no longer kept do not count. */
const recounted = (state: LiveState): LiveState => ({
  ...state,
  waitingMatches: state.waiting.filter((event) => matches(event, state.filters, state)).length,
})

const withDetails = (
  events: readonly LiveEvent[],
  payloads: ReadonlyMap<string, LiveEvent['payload']>,
): readonly LiveEvent[] =>
  events.some(({ eventId, payload }) => payload === undefined && payloads.has(eventId))
    ? events.map((event) => (event.payload === undefined ? { ...event, payload: payloads.get(event.eventId) } : event))
    : events

const withVersion = ({ versions }: LiveState, schema: SourceSchema, version: number | undefined) =>
  version === undefined || versions.has(version) ? versions : new Map(versions).set(version, schema)

/** The live list after an action. New events are taken in only at the top and while not paused. */
export const liveReducer = (state: LiveState, action: LiveAction): LiveState => {
  switch (action.type) {
    case 'received':
      return skipped(received(state, action.events, 0), action.skipped)
    case 'read':
      return settled(state, received(state, action.events, state.missed))
    case 'scrolled': {
      if (action.atTop === state.atTop) return state
      const next = { ...state, atTop: action.atTop }
      return action.atTop && !state.paused ? takenIn(next) : next
    }
    case 'takeIn':
      return takenIn({ ...state, atTop: true })
    case 'paused': {
      const next = { ...state, paused: action.paused }
      return action.paused || !state.atTop ? next : takenIn(next)
    }
    case 'filtered':
      return recounted({ ...state, filters: action.filters })
    case 'schema':
      return recounted({
        ...state,
        schema: action.schema,
        versions: withVersion(state, action.schema, action.version),
      })
    case 'detailed': {
      const payloads = new Map(action.events.map(({ eventId, payload }) => [eventId, payload]))
      const events = withDetails(state.events, payloads)
      const later = withDetails(state.waiting, payloads)
      if (events === state.events && later === state.waiting) return state
      return recounted({ ...state, events, waiting: later })
    }
    case 'clear':
      return cleared(state)
    case 'reset':
      return { ...cleared(state), filters: noFilters }
  }
}

/** The events in the table: those that match the filters. */
export const shownEvents = (state: LiveState): readonly LiveEvent[] => {
  const { events, filters } = state
  return isFiltered(filters) ? events.filter((event) => matches(event, filters, state)) : events
}

/**
 * Returns the IDs of the events whose payload is needed, joined by commas: at most 50, shown events first. An event
 * needs its payload if its validation does or, if the table shows a property, if it is listed.
 */
export const neededPayloads = (state: LiveState, showsProperty: boolean): string =>
  [
    ...state.events.filter((event) => needsPayload(event, state) || (showsProperty && event.payload === undefined)),
    ...state.waiting.filter((event) => needsPayload(event, state)),
  ]
    .slice(0, eventBatchLimit)
    .map(({ eventId }) => eventId)
    .join(',')

/** The number of new events to show: with filters only the matching ones. */
export const waitingShown = ({ filters, waitingMatches, waitingCount }: LiveState): number =>
  isFiltered(filters) ? waitingMatches : waitingCount

/** The newest known event, shown or waiting. */
export const newestEvent = ({ events, waiting: later }: LiveState): LiveEvent | undefined =>
  mergeEvents(events, later)[0]

/**
 * Returns the events above and below an event in the list. For an event that the list does not contain, returns the
 * neighbors of the place where it would be.
 */
export const neighboursOf = (
  shown: readonly LiveEvent[],
  event: LiveEvent | undefined,
): { newer: LiveEvent | undefined; older: LiveEvent | undefined; place: number } => {
  if (event === undefined) return { newer: undefined, older: undefined, place: -1 }
  const place = shown.findIndex(({ eventId }) => eventId === event.eventId)
  if (place >= 0) return { newer: shown[place - 1], older: shown[place + 1], place }
  const below = shown.findIndex((each) => newestFirst(each, event) > 0)
  return { newer: shown[(below < 0 ? shown.length : below) - 1], older: below < 0 ? undefined : shown[below], place }
}

/** The label of the floating button. */
export const newEventsLabel = (count: number): string =>
  count >= 99 ? '+99 new events' : `${count} new ${pluralise(count, 'event')}`
