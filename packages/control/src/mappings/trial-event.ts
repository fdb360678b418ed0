import { parseReference } from '@tributary/api-kit'
import type { EventProfile, Mapping } from '@tributary/connector-kit'
import { type EventMapping, type EventType, type PipelineEvent, resourceNames } from '@tributary/contract'
import { badRequest, notFound } from '@tributary/kernel'
import { eventOf, type StoredEventRow, storedEventColumns, storedEventText, wireTime } from '@tributary/replays'
import type { EventStore } from '@tributary/storage'
import { readRecentEvents } from '../events/recent-events.ts'
import { pastedEvent } from './pasted-event.ts'

/**
 * An event for trying a mapping: its values, the text that deliveries get, and its source. An event that a user entered
 * has neither name nor time of receipt.
 */
export type TrialEvent = {
  event: PipelineEvent
  json: string
  sourceId: string
  name: string
  receiveTime: string | null
}

/** Maximum number of the newest events that are searched for a match. */
export const maxLookedThrough = 300
/** Number of events whose profiles are read with one query. */
const profilesTogether = 50

type Given = { event?: string | undefined; payload?: string | undefined; event_mapping: EventMapping }

type TrialDeps = {
  eventStore: EventStore
  workspaceId: string
  /**
   * Reads the latest audience events that the destination receives, with this name ('' for any), or the one with this
   * ID.
   */
  audienceEvents: (wanted: { event: string } | { eventId: string }) => Promise<{ sourceId: string; json: string }[]>
  /**
   * The connected sources. The function `lets` resolves to whether the filter of a connection accepts an event. It
   * waits for the turn of the workspace.
   */
  sources: readonly { id: string; lets: (event: PipelineEvent) => Promise<boolean> }[]
  /** Event types that the mapping accepts; empty for all types. */
  types: readonly EventType[]
  /** Maps an event when it is the turn of the workspace. */
  map: (event: PipelineEvent, sourceId: string, json: string, profile?: EventProfile) => Promise<Mapping>
  /** Reads the profiles of events, in their order. Undefined if the conditions of the mapping use no profile. */
  profilesOf: ((events: readonly PipelineEvent[]) => Promise<readonly EventProfile[]>) | undefined
  now: number
  signal: AbortSignal
}

const trialOf = (workspaceId: string, sourceId: string, json: string): TrialEvent => {
  const event = eventOf(json)
  const name = resourceNames.event.format({ workspace: workspaceId, event: event.eventId })
  return { event, json, sourceId, name, receiveTime: event.receivedAt }
}

/**
 * Reads a stored event or an audience event by its resource name. Throws 404 if this workspace does not have it, 400 if
 * it was rejected.
 */
const namedEvent = async (name: string, deps: TrialDeps): Promise<TrialEvent> => {
  const { eventStore, workspaceId, signal } = deps
  const { workspace, event: id } = parseReference(resourceNames.event, 'event', name)
  if (workspace !== workspaceId) throw notFound('event not found')
  const [audienceEvent] = await deps.audienceEvents({ eventId: id })
  if (audienceEvent !== undefined) return trialOf(workspaceId, audienceEvent.sourceId, audienceEvent.json)
  const [row] = await eventStore.query<StoredEventRow & { source_id: string }>(
    `select source_id, ${storedEventColumns} from events
     where workspace_id = {workspace:String} and event_id = {event:String} limit 1`,
    { workspace, event: id },
    { owner: workspaceId, slot: 'short', signal },
  )
  if (row === undefined) throw notFound('event not found')
  const json = storedEventText(row)
  const text = 'This event was rejected and is not sent to any destination'
  if (json === undefined) throw badRequest('VALIDATION', text, { event: text })
  return trialOf(workspaceId, row.source_id, json)
}

/**
 * Finds the latest event that the mapping and the connection of its source accept. If there is none, finds the latest
 * audience event that the mapping accepts.
 */
const latestEvent = async (mapping: EventMapping, deps: TrialDeps): Promise<TrialEvent | undefined> => {
  const { eventStore, workspaceId, sources, types, map, profilesOf, now, signal } = deps
  const filter = { workspaceId, sourceIds: sources.map(({ id }) => id), types, event: mapping.event_name }
  /** Returns the first of these events that the mapping accepts. */
  const firstOf = async (trials: readonly TrialEvent[]): Promise<TrialEvent | undefined> => {
    const profiles = (await profilesOf?.(trials.map(({ event }) => event))) ?? []
    for (const [index, trial] of trials.entries()) {
      const { event, sourceId, json } = trial
      if ((await map(event, sourceId, json, profiles[index])).kind !== 'unmapped') return trial
    }
    return undefined
  }
  const rows = await readRecentEvents(eventStore, filter, maxLookedThrough, { now, signal })
  const together = profilesOf === undefined ? 1 : profilesTogether
  for (let at = 0; at < rows.length; at += together) {
    const accepted: TrialEvent[] = []
    for (const row of rows.slice(at, at + together)) {
      const json = storedEventText(row)
      if (json === undefined) continue
      const trial = trialOf(workspaceId, row.source_id, json)
      if ((await sources.find(({ id }) => id === row.source_id)?.lets(trial.event)) === true) accepted.push(trial)
    }
    const found = await firstOf(accepted)
    if (found !== undefined) return found
  }
  if (types.length > 0 && !types.includes('track')) return undefined
  const ofAudiences = await deps.audienceEvents({ event: mapping.event_name })
  return await firstOf(ofAudiences.map(({ sourceId, json }) => trialOf(workspaceId, sourceId, json)))
}

/** Finds the event for a trial. Returns undefined if the latest event is requested and no event matches. */
export const findTrialEvent = async (given: Given, deps: TrialDeps): Promise<TrialEvent | undefined> => {
  if (given.payload !== undefined) {
    const json = pastedEvent(given.payload, { type: given.event_mapping.event_type, now: deps.now })
    return { event: eventOf(json), json, sourceId: deps.sources[0]?.id ?? '', name: '', receiveTime: null }
  }
  if (given.event !== undefined) return await namedEvent(given.event, deps)
  return await latestEvent(given.event_mapping, deps)
}

/** Returns the event of a trial as the API shows it. */
export const presentTrialEvent = ({ event, json, name, receiveTime }: TrialEvent) => ({
  name,
  title: event.event === '' ? event.type : event.event,
  receive_time: receiveTime === null ? null : wireTime(Date.parse(receiveTime)),
  payload: json,
})
