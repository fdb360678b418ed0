import { checkMappings, type DestinationRow, readPersonData } from '@tributary/configuration'
import {
  type ActionDefinition,
  allowedProfile,
  compileMappings,
  type DestinationDefinition,
  type EventProfile,
  type FieldProblem,
  type Mapping,
  type OutgoingEvent,
  withConsent,
} from '@tributary/connector-kit'
import { type EventMapping, neededOfConditions, type PipelineEvent, type TriedMapping } from '@tributary/contract'
import { badRequest, losesDigits, takeTurn } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { readAudienceTrials } from './audience-trials.ts'
import { connectedSources } from './connected-sources.ts'
import { findTrialEvent, maxLookedThrough, presentTrialEvent, type TrialEvent } from './trial-event.ts'

/** Maximum number of audience events that are searched for a match. */
const maxAudienceEvents = 50

type Trial = { event_mapping: EventMapping; event?: string | undefined; payload?: string | undefined }

const requireAction = (definition: DestinationDefinition, mapping: EventMapping): ActionDefinition => {
  const action = definition.actions.find(({ name }) => name === mapping.destination)
  if (action !== undefined) return action
  const text = `${definition.title} has no action "${mapping.destination}"`
  throw badRequest('VALIDATION', text, { 'event_mapping.destination': text })
}

/**
 * Returns the problems that make the API refuse the field mappings for any event. Throws 400 if the templates together
 * are too large to be rendered.
 */
const ownProblems = (problems: Readonly<Record<string, string>>, mapping: EventMapping): FieldProblem[] => {
  const whole = problems['event_mappings']
  if (whole !== undefined) throw badRequest('VALIDATION', whole, { event_mapping: whole })
  return Object.entries(problems).flatMap(([key, message]) => {
    const index = /^event_mappings\.0\.field_mappings\.(\d+)\./.exec(key)?.[1]
    const field = index === undefined ? undefined : mapping.field_mappings[Number(index)]?.id
    return field === undefined ? [] : [{ field, message, severity: 'error' }]
  })
}

/** Returns the first problem of each field. Problems that prevent saving come before problems with this event. */
const together = (own: readonly FieldProblem[], met: readonly FieldProblem[]): FieldProblem[] => {
  const seenFields = new Set<string>()
  return [...own, ...met]
    .filter(({ field }) => !seenFields.has(field) && seenFields.add(field))
    .map(({ field, message, severity }) => ({ field, message, severity }))
}

const outgoing = ({ event, json }: TrialEvent, mapping: Mapping): OutgoingEvent | undefined => {
  if (mapping.kind !== 'mapped') return undefined
  const { action, payload, fixedLists } = mapping
  const { eventId, messageId, type, event: name } = event
  const made = {
    ...(payload === undefined ? {} : { payload }),
    ...(fixedLists === undefined ? {} : { fixedLists }),
  }
  return { eventId, messageId, type, event: name, json, action, ...made }
}

const computes = 'A template may change a number of more than 15 digits, or one written as 1.0 or 1e5'

/** Returns a warning about each template if the event has numbers that lose digits when they are parsed. */
const templateNotes = ({ field_mappings }: EventMapping, json: string): FieldProblem[] =>
  losesDigits(json)
    ? field_mappings
        .filter(({ enabled, source }) => enabled && source.type === 'TEMPLATE')
        .map(({ id }) => ({ field: id, message: computes, severity: 'note' }))
    : []

const reasonOf = (mapping: Mapping): string => {
  if (mapping.kind === 'failed') return mapping.reason
  if (mapping.kind === 'mapped') return ''
  const text = 'This mapping does not match the event'
  return mapping.lacks === undefined ? text : `${text}: ${mapping.lacks}`
}

const noEvent = (sources: number): string =>
  sources === 0
    ? 'No source is connected yet. Connect one, or paste an event'
    : `None of the latest ${maxLookedThrough} events match this mapping. Send one, or paste one`

/**
 * Maps the event of a trial with the same code as deliveries. `outgoing` is the event that the connector would get;
 * undefined if nothing would be sent. A disabled mapping is tried as if it were enabled.
 */
export const tryMapping = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock' | 'workShare' | 'profileValues'>,
  row: DestinationRow,
  definition: DestinationDefinition,
  trial: Trial,
  signal: AbortSignal,
): Promise<{ shown: TriedMapping; outgoing: OutgoingEvent | undefined }> => {
  const { db, eventStore, clock, workShare, profileValues } = deps
  const mapping = { ...trial.event_mapping, enabled: true }
  const action = requireAction(definition, mapping)
  const { workspace_id: workspaceId } = row
  const own = ownProblems(await checkMappings(workShare, workspaceId, definition, [mapping]), mapping)
  const place = { workspaceId, destinationId: row.id }
  const personData = await readPersonData(db, workspaceId)
  const mapper = compileMappings(definition, [mapping], { ...place, settings: row.settings, personData })
  const map = (event: PipelineEvent, sourceId: string, json: string, profile?: EventProfile): Promise<Mapping> =>
    takeTurn(workShare, workspaceId, () => mapper(event, sourceId, json, profile))
  /** Returns the latest profiles of the events' users, as far as the mapping uses them and the destination may get them. */
  const profilesOf = async (events: readonly PipelineEvent[]): Promise<readonly EventProfile[]> => {
    const needs = withConsent(mapper.needs, row.consent_categories)
    if (needs.length === 0 || events.length === 0) return []
    const found = (await profileValues?.look(workspaceId, events, needs)) ?? []
    return events.flatMap((event, index) => {
      const profile = found[index]
      return profile === undefined ? [] : [allowedProfile(row.consent_categories, event, profile).profile]
    })
  }
  const sources = (await connectedSources(db, row.id)).map(({ id, lets }) => ({
    id,
    lets: (event: PipelineEvent) => takeTurn(workShare, workspaceId, () => lets(event)),
  }))
  const types = mapping.event_type === '' ? action.eventTypes : [mapping.event_type]
  const found = await findTrialEvent(
    { ...trial, event_mapping: mapping },
    {
      eventStore,
      workspaceId,
      audienceEvents: (wanted) => readAudienceTrials(db, place, { limit: maxAudienceEvents, ...wanted }),
      sources,
      types,
      map,
      profilesOf: neededOfConditions(mapping.filters).length === 0 ? undefined : profilesOf,
      now: clock(),
      signal,
    },
  )
  if (found === undefined) {
    const shown = { event: null, fits: false, reason: noEvent(sources.length), payload: '', problems: own }
    return { shown, outgoing: undefined }
  }
  const [profile] = await profilesOf([found.event])
  const made = await map(found.event, found.sourceId, found.json, profile)
  const sent = outgoing(found, made)
  return {
    outgoing: sent,
    shown: {
      event: presentTrialEvent(found),
      fits: made.kind !== 'unmapped',
      reason: reasonOf(made),
      payload: sent === undefined ? '' : sent.payload === undefined ? sent.json : JSON.stringify(sent.payload),
      problems: together(own, [
        ...(made.kind === 'unmapped' ? [] : made.problems),
        ...templateNotes(mapping, found.json),
      ]),
    },
  }
}
