import { parseReference } from '@tributary/api-kit'
import { readPersonData } from '@tributary/configuration'
import { compileMappings, type EventProfile, type OutgoingEvent, presetMappings } from '@tributary/connector-kit'
import { type PipelineEvent, resourceNames } from '@tributary/contract'
import { badRequest, notFound, takeTurn } from '@tributary/kernel'
import { eventOf, type StoredEventRow, storedEventColumns, storedEventText } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'
import { readRecentEvents } from '../events/recent-events.ts'
import { pastedEvent } from '../mappings/pasted-event.ts'
import type { ReadOwn } from './affected.ts'
import type { TrialSettings } from './trial-settings.ts'

/** Maximum number of the newest events that are searched for one that a preset fits. */
const maxLookedThrough = 50

type Deps = Pick<ControlDeps, 'db' | 'eventStore' | 'clock' | 'workShare' | 'profileValues'>
type Found = { json: string; sourceId: string }

/** An event of a trial as the presets map it; `outgoing` is undefined if nothing is sent, and `reason` says why. */
export type TrialMapping = {
  json: string
  preset: string
  action: string
  payload: string
  reason: string
  outgoing: OutgoingEvent | undefined
}

const namedEvent = async (
  { eventStore }: Deps,
  workspaceId: string,
  name: string,
  signal: AbortSignal,
): Promise<Found> => {
  const { workspace, event } = parseReference(resourceNames.event, 'event', name)
  if (workspace !== workspaceId) throw notFound('event not found')
  const [row] = await eventStore.query<StoredEventRow & { source_id: string }>(
    `select source_id, ${storedEventColumns} from events
     where workspace_id = {workspace:String} and event_id = {event:String} limit 1`,
    { workspace, event },
    { owner: workspaceId, slot: 'short', signal },
  )
  if (row === undefined) throw notFound('event not found')
  const json = storedEventText(row)
  const text = 'This event was rejected and is not sent to any destination'
  if (json === undefined) throw badRequest('VALIDATION', text, { event: text })
  return { json, sourceId: row.source_id }
}

const latestEvents = async (
  { db, eventStore, clock }: Deps,
  workspaceId: string,
  signal: AbortSignal,
): Promise<Found[]> => {
  const sources = await db
    .selectFrom('sources')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('delete_time', 'is', null)
    .execute()
  const filter = { workspaceId, sourceIds: sources.map(({ id }) => id), types: [], event: '' }
  const rows = await readRecentEvents(eventStore, filter, maxLookedThrough, { now: clock(), signal })
  return rows.flatMap((row) => {
    const json = storedEventText(row)
    return json === undefined ? [] : [{ json, sourceId: row.source_id }]
  })
}

const placeOfPreset = ({ described }: ReadOwn, index: number): string => {
  const preset: { group?: number } | undefined = described.presets[index]
  return `presets.${preset?.group ?? index}`
}

const outgoingOf = (event: PipelineEvent, json: string, action: string, payload: OutgoingEvent['payload']) => {
  const { eventId, messageId, type, event: name } = event
  return { eventId, messageId, type, event: name, json, action, ...(payload === undefined ? {} : { payload }) }
}

/**
 * Maps the event of a trial with the presets, as a delivery does: a stored event, one that a user entered, or the latest
 * one that a preset fits. Returns undefined if the workspace has no such event.
 */
export const mapTrialEvent = async (
  deps: Deps,
  read: ReadOwn,
  { settings, destination }: TrialSettings,
  given: { event?: string | undefined; payload?: string | undefined },
  place: { workspaceId: string; signal: AbortSignal },
): Promise<TrialMapping | undefined> => {
  const { db, clock, workShare, profileValues } = deps
  const { workspaceId, signal } = place
  const { definition } = read
  const personData = await readPersonData(db, workspaceId)
  const at = { workspaceId, destinationId: destination?.id ?? workspaceId, settings, personData }
  const presets = await takeTurn(workShare, workspaceId, () =>
    presetMappings(definition).map((mapping) => compileMappings(definition, [mapping], at)),
  )
  const profileOf = async (
    event: PipelineEvent,
    mapper: (typeof presets)[number],
  ): Promise<EventProfile | undefined> =>
    mapper.needs.length === 0 ? undefined : (await profileValues?.look(workspaceId, [event], mapper.needs))?.[0]

  const mapOne = async ({ json, sourceId }: Found): Promise<TrialMapping | undefined> => {
    const event = eventOf(json)
    for (const [index, mapper] of presets.entries()) {
      const profile = await profileOf(event, mapper)
      const made = await takeTurn(workShare, workspaceId, () => mapper(event, sourceId, json, profile))
      if (made.kind === 'unmapped') continue
      const preset = placeOfPreset(read, index)
      if (made.kind === 'failed')
        return { json, preset, action: '', payload: '', reason: made.reason, outgoing: undefined }
      const { action, payload } = made
      const shown = payload === undefined ? json : JSON.stringify(payload)
      return { json, preset, action, payload: shown, reason: '', outgoing: outgoingOf(event, json, action, payload) }
    }
    return undefined
  }

  const { event: name, payload } = given
  if (name === undefined && payload === undefined) {
    for (const found of await latestEvents(deps, workspaceId, signal)) {
      const mapped = await mapOne(found)
      if (mapped !== undefined) return mapped
    }
    return undefined
  }
  const found =
    payload === undefined
      ? await namedEvent(deps, workspaceId, name ?? '', signal)
      : { json: pastedEvent(payload, { type: '', now: clock() }), sourceId: '' }
  const none = { preset: '', action: '', payload: '', reason: 'No enabled preset fits the event', outgoing: undefined }
  return (await mapOne(found)) ?? { json: found.json, ...none }
}
