import { audienceEventText, readReportedProfiles } from '@tributary/audiences'
import { readDestination, readPersonData } from '@tributary/configuration'
import {
  allowedProfile,
  compileMappings,
  conversionProfile,
  identifierBit,
  identifiersIn,
  type Mapper,
  signalMappings,
} from '@tributary/connector-kit'
import {
  type FieldMapping,
  type MatchIdentifier,
  matchIdentifiers,
  type methods,
  notSentReasons,
  notSentReasonTexts,
  type PipelineEvent,
  resourceNames,
  type SignalDefinition,
  type SignalPreview,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, newId, takeTurn } from '@tributary/kernel'
import { storedEvent } from '@tributary/replays'
import {
  type AtPlatform,
  type ConversionInput,
  checkPlatforms,
  type EngineSignal,
  factsOf,
  identifiersOf,
  isConversion,
  type MadeConversion,
  makeConversion,
  matcherOf,
  platformOf,
  profileNeedsOfSignals,
  type ReadyPlatform,
  readKnownPersons,
  readPersons,
  readyPlatform,
} from '@tributary/signals'
import { sql } from 'kysely'
import { warnOfSignal } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'
import { readRecentEvents } from '../events/recent-events.ts'
import { qualityOf } from './quality.ts'
import { checkRefunds, checkTrigger, type TriggerIds } from './references.ts'
import { readSignalSettings } from './settings.ts'

type PreviewDeps = Pick<ControlDeps, 'db' | 'eventStore' | 'catalog' | 'workShare' | 'clock' | 'profileValues'>

/** Maximum number of stored events that are searched for each event name. */
const maxPreviewed = 1000
/** Number of events whose profiles are read, and which become conversions, together. */
const madeTogether = 100
/** Maximum number of conversions that are shown. */
const maxShown = 20

/**
 * Processor time in ms that the conditions and fields of one preview may take. It is several times the time of ten
 * platforms with presets for the largest sample. Only the time of this thread counts, so that a busy machine does not
 * make previews fail.
 */
const maxWorkMs = 1000

/** Returns the processor time of this thread, ms. */
const processorMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Runs part of a preview when it is the turn of its workspace. */
type Work = <T>(work: () => T) => Promise<T>

/** Makes a function that runs parts of a preview. It throws 400 once they have taken too much time together. */
const boundedWork = ({ workShare }: PreviewDeps, workspaceId: string): Work => {
  let takenMs = 0
  return (work) =>
    takeTurn(workShare, workspaceId, () => {
      if (takenMs > maxWorkMs)
        throw badRequest(
          'TOO_MUCH_WORK',
          'The conditions and fields take too long for a preview. Use simpler templates, or fewer platforms',
        )
      const began = processorMs()
      try {
        return work()
      } finally {
        takenMs += processorMs() - began
      }
    })
}

type Recent = { events: PipelineEvent[]; looked: number }

const readEvents = async (
  { eventStore, clock }: PreviewDeps,
  workspaceId: string,
  {
    trigger,
    sources,
    limit,
  }: { trigger: Extract<SignalDefinition['trigger'], { type: 'events' }>; sources: readonly string[]; limit: number },
  signal: AbortSignal,
): Promise<Recent> => {
  const found: PipelineEvent[] = []
  let looked = 0
  for (const { event_type, event_name } of trigger.events) {
    const filter = { workspaceId, sourceIds: sources, types: [event_type], event: event_name }
    const most = trigger.filters.length === 0 ? limit : maxPreviewed
    const rows = await readRecentEvents(eventStore, filter, most, { now: clock(), signal })
    looked += rows.length
    found.push(...rows.flatMap((row) => storedEvent(row) ?? []))
  }
  return { events: found.toSorted((a, b) => (a.receivedAt < b.receivedAt ? 1 : -1)), looked }
}

const readEntered = async (
  { db }: PreviewDeps,
  workspaceId: string,
  audience: string,
  limit: number,
): Promise<Recent> => {
  const { rows } = await sql<{ id: string; kind: 'entered'; profile_id: string; time: Date; title: string }>`
    select c.id, c.kind, c.profile_id, c.time, a.title from audience_changes c join audiences a on a.id = c.audience_id
    where c.audience_id = ${audience}::uuid and c.kind = 'entered' order by c.id desc limit ${limit}`.execute(db)
  const profiles = await readReportedProfiles(db, workspaceId, [...new Set(rows.map(({ profile_id }) => profile_id))])
  const events = rows.flatMap(({ id, kind, profile_id: profileId, time, title }) => {
    const profile = profiles.get(profileId)
    if (profile === undefined) return []
    const text = audienceEventText({ id: audience, title }, { kind, profileId, time }, profile, { id: `preview-${id}` })
    return [JSON.parse(text) as PipelineEvent]
  })
  return { events, looked: rows.length }
}

/** Matches the paths that a signal fills in itself and that contain no personal data. */
const shownPlaces = /^context\.signal\.(event_id|time|value|currency|consent|action_source|event_source|kind)$/

/** Returns the targets whose values may be shown: hashed values, and values that are not personal. */
const shownTargets = (platform: ReadyPlatform): ReadonlySet<string> => {
  const { definition, settings } = platform
  const action = definition.actions.find(({ name }) => name === definition.conversions.action)
  const [mapping] = signalMappings(definition, settings)
  const may = ({ source, target }: FieldMapping): boolean =>
    action?.targets.some(({ name, pii }) => name === target.name && pii !== undefined) === true ||
    source.type === 'CONSTANT' ||
    (source.type === 'FIELD' && shownPlaces.test(source.name))
  return new Set(mapping?.field_mappings.filter(may).map(({ target }) => target.name))
}

const shownPayload = (
  mapper: Mapper,
  made: MadeConversion,
  { signalId, categories, shown }: { signalId: string; categories: readonly string[]; shown: ReadonlySet<string> },
): string => {
  const event = JSON.parse(made.json) as PipelineEvent
  const { profile } = allowedProfile(categories, event, conversionProfile(event))
  const mapped = mapper(event, signalId, undefined, profile)
  if (mapped.kind !== 'mapped') return ''
  const entries = Object.entries(mapped.payload ?? {}).map(([name, value]) => [
    name,
    shown.has(name) ? value : '[hidden]',
  ])
  return JSON.stringify(Object.fromEntries(entries))
}

const readyPlatforms = async (
  deps: PreviewDeps,
  workspaceId: string,
  { conversion, platforms }: SignalDefinition,
): Promise<(ReadyPlatform & { title: string })[]> => {
  const checked = await checkPlatforms(deps, workspaceId, conversion, platforms)
  const person_data = await readPersonData(deps.db, workspaceId)
  const ready: (ReadyPlatform & { title: string })[] = []
  for (const row of checked) {
    const destination = await readDestination(deps.db, workspaceId, row.destination_id)
    const { title, app, settings, consent_categories } = destination
    const stored = { ...row, destination_settings: settings, consent_categories, person_data }
    const platform = readyPlatform(await platformOf(deps.catalog, app), stored, conversion)
    if (platform !== undefined) ready.push({ title, ...platform })
  }
  return ready
}

const countsOf = (made: readonly MadeConversion[], destinationId: string) => {
  const own = made.flatMap(({ platforms }) => platforms.filter((each) => each.destinationId === destinationId))
  const sent = own.filter(({ reason }) => reason === '')
  const identifiers = new Map<MatchIdentifier, number>(
    matchIdentifiers.map((each) => [each, own.filter((at) => (at.identifiers & identifierBit(each)) !== 0).length]),
  )
  const not_sent = notSentReasons
    .map((reason) => ({
      reason,
      text: notSentReasonTexts[reason],
      count: own.filter((each) => each.reason === reason).length,
    }))
    .filter(({ count }) => count > 0)
  return { identifiers, count: own.length, sent: sent.length, not_sent }
}

/**
 * Makes a conversion for one platform after the other. Making it for all platforms at once would block the thread for
 * too long.
 */
const makeInPieces = async (making: ConversionInput, work: Work): Promise<MadeConversion> => {
  const { signal } = making
  const made = await work(() => makeConversion({ ...making, signal: { ...signal, platforms: [] } }))
  const platforms: AtPlatform[] = []
  for (const platform of signal.platforms) {
    const alone = { ...making, signal: { ...signal, platforms: [platform] } }
    platforms.push(...(await work(() => makeConversion(alone).platforms)))
  }
  return { ...made, platforms }
}

const make = async (
  deps: PreviewDeps,
  work: Work,
  signal: EngineSignal,
  events: readonly PipelineEvent[],
): Promise<MadeConversion[]> => {
  if (events.length === 0) return []
  const settings = await readSignalSettings(deps.db, signal.workspaceId)
  const persons = await readPersons(deps.db, signal.workspaceId, events.map(identifiersOf))
  const known = await readKnownPersons(deps.db, signal.workspaceId, persons)
  const needs = profileNeedsOfSignals([signal])
  const profiles = needs.length === 0 ? [] : await deps.profileValues?.look(signal.workspaceId, events, needs)
  const made: MadeConversion[] = []
  for (const [index, event] of events.entries()) {
    const person = known[index] ?? { kept: new Map(), withdrawnAt: undefined }
    const options = { settings, now: deps.clock() }
    const own = factsOf(event, Date.parse(event.timestamp))
    const profile = profiles?.[index]
    const making: ConversionInput = { signal, event, own, person, origin: 'event', profile, options }
    if (await work(() => isConversion(making))) made.push(await makeInPieces(making, work))
  }
  return made
}

/** Makes conversions of the latest of the events, `limit` at most. Conditions on the profile may leave out many events. */
const makeUpTo = async (
  limit: number,
  ...[deps, work, signal, events]: Parameters<typeof make>
): Promise<MadeConversion[]> => {
  const made: MadeConversion[] = []
  for (let at = 0; at < events.length && made.length < limit; at += madeTogether)
    made.push(...(await make(deps, work, signal, events.slice(at, at + madeTogether))))
  return made.slice(0, limit)
}

const readCandidates = async (
  deps: PreviewDeps,
  work: Work,
  workspaceId: string,
  definition: SignalDefinition,
  ids: TriggerIds,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<Recent> => {
  const { trigger } = definition
  if (trigger.type === 'audience') return await readEntered(deps, workspaceId, ids.audience ?? '', limit)
  const { events, looked } = await readEvents(deps, workspaceId, { trigger, sources: ids.sources, limit }, signal)
  const matches = matcherOf(definition)
  const most = matches.needs.length > 0 ? maxPreviewed : limit
  const fitting: PipelineEvent[] = []
  for (const event of events)
    if (fitting.length < most && (await work(() => matches(event))) === 'event') fitting.push(event)
  return { events: fitting, looked }
}

/**
 * Makes and scores the conversions that a signal would send for the latest events, before the signal is saved or
 * enabled.
 */
export const previewSignal =
  (deps: PreviewDeps): Handler<typeof methods.signals.preview> =>
  async ({ workspace, body, signal: aborted }) => {
    const { sample_size, ...definition } = body
    checkRefunds(definition.trigger, definition.refunds)
    const ids = await checkTrigger(deps.db, workspace.id, definition.trigger)
    const platforms = await readyPlatforms(deps, workspace.id, definition)
    const signal: EngineSignal = { id: newId(), workspaceId: workspace.id, definition, platforms }
    const work = boundedWork(deps, workspace.id)
    const { events, looked } = await readCandidates(deps, work, workspace.id, definition, ids, {
      limit: sample_size,
      signal: aborted,
    })
    const all = await makeUpTo(sample_size, deps, work, signal, events)
    const made = [...new Map(all.map((each) => [each.key, each])).values()]
    const nameOf = (destination: string): string =>
      resourceNames.destination.format({ workspace: workspace.id, destination })
    const mappers = platforms.map((platform) => ({
      platform,
      shown: shownTargets(platform),
      mapper: compileMappings(platform.definition, signalMappings(platform.definition, platform.settings), {
        workspaceId: workspace.id,
        destinationId: platform.destinationId,
        settings: platform.destinationSettings,
        personData: platform.personData,
      }),
    }))
    const sample: SignalPreview['sample'] = []
    for (const each of made.slice(0, maxShown)) {
      const event = JSON.parse(each.json) as PipelineEvent
      const shown: SignalPreview['sample'][number]['platforms'] = []
      for (const { platform, mapper, shown: targets } of mappers) {
        const { consentCategories: categories } = platform
        const at = each.platforms.find(({ destinationId }) => destinationId === platform.destinationId)
        shown.push({
          destination: nameOf(platform.destinationId),
          identifiers: identifiersIn(at?.identifiers ?? 0),
          reason: at?.reason ?? '',
          reason_text: at === undefined || at.reason === '' ? '' : notSentReasonTexts[at.reason],
          payload: await work(() => shownPayload(mapper, each, { signalId: signal.id, categories, shown: targets })),
        })
      }
      sample.push({
        event_time: event.timestamp,
        event_name: event.event === '' ? event.type : event.event,
        event_id: each.eventId,
        value: each.amount,
        currency: each.currency,
        platforms: shown,
      })
    }
    return {
      looked_at_count: looked,
      conversion_count: made.length,
      repeated_count: all.length - made.length,
      platforms: platforms.map((platform) => {
        const { identifiers, count, sent, not_sent } = countsOf(made, platform.destinationId)
        return {
          destination: nameOf(platform.destinationId),
          title: platform.title,
          platform: platform.definition.conversions.platform,
          ...qualityOf(platform.definition.conversions, identifiers, count),
          sent_count: sent,
          not_sent,
        }
      }),
      sample,
      warnings: await warnOfSignal(deps, definition, { workspaceId: workspace.id, signal: aborted }),
    }
  }
