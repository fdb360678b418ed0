import type { DestinationDefinition, EventProfile, FieldProblem, Mapper } from '@tributary/connector-kit'
import {
  allowedProfile,
  compileMappings,
  consentPreferencesOf,
  conversionProfile,
  eventBudget,
  isPlatform,
  noProfile,
  noUseOfProfile,
  presetMappings,
  profileLacks,
  signalMappings,
  spending,
  TooMuchWork,
  withConsent,
} from '@tributary/connector-kit'
import { compileFilter, holdsRows, type PipelineEvent, type StreamFacts } from '@tributary/contract'
import { isRecord } from '@tributary/kernel'
import type { DeliveryRecord, KeptProfile } from '../log/record.ts'
import type { DestinationEntry, ForgottenUsers } from '../ports.ts'
import { isAudienceExit, isLeftOut, userDeleted } from './forgotten.ts'

/** The decision about an event at one destination. Reasons are shown to users. */
export type GateResult =
  | {
      kind: 'pass'
      action: string
      payload?: Readonly<Record<string, unknown>>
      /** Targets that name a list of people by a constant of the mapping. */
      fixedLists?: readonly string[]
      /** Fields that the mapping omitted, with the reasons. */
      note?: string
      /** The profile with which the event was mapped, if the mappings use the profile. */
      profile?: KeptProfile
    }
  /** The event is not meant for this destination. */
  | { kind: 'filtered'; reason: string }
  /** The event is meant for this destination, but cannot be mapped to what it accepts. */
  | { kind: 'failed'; reason: string }

/** Checks the event at `index` of a record. Depends only on the event and the time. */
export type Gate = ((record: DeliveryRecord, index: number, now: number) => GateResult) & {
  /**
   * What the destination's mappings need of the profile, conditions included, and its consent if that decides. Empty if
   * they use none.
   */
  readonly needs: readonly string[]
  /** Whether a mapping that uses the profile may match events with this type and name. */
  readonly usesProfile: Mapper['usesProfile']
}

type Rule = {
  /** Whether the rule may apply to an event with this text. If not, the event need not be parsed. */
  concerns: (text: string, meta: StreamFacts) => boolean
  /** Returns the reason why the event is filtered; undefined if it is not. */
  check: (event: PipelineEvent, meta: StreamFacts, now: number) => string | undefined
}

/** The filter of the connection that an event came through. A deleted connection filters nothing. */
const filterRule = ({ filters }: DestinationEntry): Rule | undefined => {
  const ready = new Map(
    [...filters]
      .filter(([, filter]) => filter.conditions.length > 0)
      .map(([id, filter]) => [id, compileFilter(filter)]),
  )
  if (ready.size === 0) return undefined
  return {
    concerns: (_, meta) => meta.replayId === undefined && ready.has(meta.sourceId),
    check: (event, meta) =>
      ready.get(meta.sourceId)?.(event, spending({ ...eventBudget })) === false
        ? 'Filter of the connection'
        : undefined,
  }
}

/** Matches integrations that may filter an event: neither empty nor the `All: true` that SDKs send by default. */
const mayLeaveOut = /"integrations":(?!\{\}|\{"All":true\})/

/**
 * Applies the event's `integrations` (Segment's spec, common fields). A name set to false excludes the destination, and
 * so does `All: false` unless a name of the destination is there. Names are the destination's title and ID, and its
 * app's title and slug, ignoring case.
 */
const integrationsRule = (definition: Pick<DestinationDefinition, 'slug' | 'title'>, entry: DestinationEntry): Rule => {
  const names = new Set([entry.title, entry.id, definition.slug, definition.title].map((name) => name.toLowerCase()))
  const leftOut = (integrations: Readonly<Record<string, unknown>>): boolean => {
    let all = true
    let named = false
    for (const [key, value] of Object.entries(integrations)) {
      const name = key.toLowerCase()
      if (name === 'all') all = value !== false
      else if (!names.has(name)) continue
      else if (value === false) return true
      else named = true
    }
    return !all && !named
  }
  return {
    concerns: (text, meta) => meta.replayId === undefined && mayLeaveOut.test(text),
    check: ({ integrations }) =>
      isRecord(integrations) && leftOut(integrations) ? "Left out by the event's integrations" : undefined,
  }
}

/**
 * Applies `context.consent.categoryPreferences` (Segment's format): every category that the destination requires must
 * be true there. Events without preferences pass.
 */
const consentRule = ({ consentCategories }: DestinationEntry): Rule | undefined => {
  if (consentCategories.length === 0) return undefined
  return {
    concerns: (text) => text.includes('"categoryPreferences":'),
    check: (event) => {
      const given = consentPreferencesOf(event)
      if (given === undefined) return undefined
      const missing = consentCategories.filter((name) => !Object.hasOwn(given, name) || given[name] !== true)
      return missing.length === 0 ? undefined : `No consent for ${missing.join(', ')}`
    },
  }
}

const receivedAt = /"receivedAt":"([^"\\]*)"/g

/**
 * Filters events that were received before their user was deleted. Only parsing shows which text is the event's own
 * time.
 */
const forgottenRule = (forgotten: ForgottenUsers, workspaceId: string): Rule => ({
  concerns: (text) => {
    const until = forgotten.until(workspaceId)
    if (until === 0) return false
    for (const [, time = ''] of text.matchAll(receivedAt)) if (!(Date.parse(time) > until)) return true
    return false
  },
  check: (event, meta) =>
    forgotten.isOf(workspaceId, event) && !isAudienceExit({ meta }, event) ? userDeleted : undefined,
})

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** Returns a duration in its largest whole unit: `7 days`; `72 hours` becomes `3 days`. */
const spanText = (ms: number): string => {
  const [name, size] = units.find(([, each]) => ms >= each && ms % each === 0) ?? ['second', 1000]
  const count = Math.round(ms / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

const ageRule = ({ maxEventAgeMs: maxAgeMs }: Pick<DestinationDefinition, 'maxEventAgeMs'>): Rule | undefined => {
  if (maxAgeMs === undefined) return undefined
  const reason = `Older than ${spanText(maxAgeMs)}`
  return {
    concerns: () => true,
    check: ({ timestamp }, _, now) => (now - Date.parse(timestamp) > maxAgeMs ? reason : undefined),
  }
}

const unreadable: GateResult = { kind: 'failed', reason: 'The event in the log is unreadable' }
const tooMuch: GateResult = {
  kind: 'failed',
  reason: 'The filter of the connection takes more work than one event may: make its conditions fewer',
}
const noSignal: GateResult = { kind: 'filtered', reason: 'The signal does not send to this destination any more' }

const noMapping = 'No mapping matches'

/**
 * Creates the function that returns the result of passing rows, by object. Rows of an object share one result, since
 * there may be millions of them.
 */
const createPassOfRows = (): ((object: string) => GateResult) => {
  let last: { object: string; answer: GateResult } | undefined
  return (object) => {
    if (last?.object !== object) last = { object, answer: { kind: 'pass', action: `rows of ${object}` } }
    return last.answer
  }
}

/**
 * Checks a row. It goes unchanged to the destination that its producer names, and rules about events do not apply. Only
 * the entry of a deleted user into an audience is not sent.
 */
const checkRow = (
  { deliverRows }: DestinationDefinition,
  record: DeliveryRecord,
  index: number,
  { forgotten, pass }: { forgotten: ForgottenUsers; pass: (object: string) => GateResult },
): GateResult => {
  const recorded = record.events()?.[index]
  const row = recorded?.row
  if (row === undefined) return unreadable
  if (isLeftOut(forgotten, record.reference, { json: row.json, event: '', row }))
    return { kind: 'filtered', reason: userDeleted }
  if (deliverRows === undefined) return { kind: 'failed', reason: 'This destination takes events only' }
  return pass(row.object)
}

/** Maximum number of missing fields that are listed for an event. */
const maxFieldsListed = 3

/** Lists, in words, the fields that an event is sent without or with a default; '' if there are none. */
const noteOf = (problems: readonly FieldProblem[]): string => {
  const lost = problems.filter(({ severity, isListed }) => severity === 'error' || isListed === true)
  const listed = lost.slice(0, maxFieldsListed).map(({ message }) => message)
  return lost.length > listed.length
    ? `${listed.join('; ')}; and ${lost.length - listed.length} more`
    : listed.join('; ')
}

const mapped = (
  mapper: Mapper,
  event: PipelineEvent,
  sourceId: string,
  json: string | undefined,
  given: { profile: EventProfile; note: string } = { profile: noProfile, note: '' },
): GateResult => {
  const use = noUseOfProfile()
  const mapping = mapper(event, sourceId, json, given.profile, use)
  if (mapping.kind === 'unmapped')
    return { kind: 'filtered', reason: mapping.lacks === undefined ? noMapping : `${noMapping}: ${mapping.lacks}` }
  if (mapping.kind === 'failed') return { kind: 'failed', reason: mapping.reason }
  const { action, payload, fixedLists, problems } = mapping
  /**
   * Whether the action or the payload is another one without the values of the profile. A second mapping is needed only
   * if a template or a condition read the profile, since nothing else says whether the result depends on that.
   */
  const usesProfile = (): boolean => {
    if (use.isSent || !use.isRead) return use.isSent
    const without = mapper(event, sourceId, json)
    if (without.kind !== 'mapped' || without.action !== action) return true
    return JSON.stringify(without.payload) !== JSON.stringify(payload)
  }
  const ofProfile = given.note !== '' && usesProfile() ? given.note : ''
  const note = [noteOf(problems), ofProfile].filter((text) => text !== '').join('; ')
  return {
    kind: 'pass',
    action,
    ...(payload === undefined ? {} : { payload }),
    ...(fixedLists === undefined ? {} : { fixedLists }),
    ...(note === '' ? {} : { note }),
  }
}

const behind: KeptProfile = { ...noProfile, lacks: profileLacks.behind, needs: [] }

const leftOut = { profile: { ...noProfile, lacks: profileLacks.replay }, note: '' }

/** The profile that was looked up for an event. If needed values were not looked up, profiles count as behind. */
const profileOf = (record: DeliveryRecord, index: number, needs: readonly string[]): KeptProfile => {
  const found = record.profiles?.get(index) ?? behind
  return needs.every((need) => found.needs.includes(need)) ? found : { ...found, lacks: profileLacks.behind }
}

/**
 * Returns the mapper of each signal, by signal ID. A mapper is compiled for the first conversion of its signal.
 * Undefined for a signal that no longer sends to this destination.
 */
const signalMappers = (
  definition: DestinationDefinition,
  { workspaceId, id: destinationId, signals, settings: defaults, personData }: DestinationEntry,
): ((signalId: string) => Mapper | undefined) => {
  const mappers = new Map<string, Mapper>()
  return (signalId) => {
    const known = mappers.get(signalId)
    const settings = signals?.get(signalId)
    if (known !== undefined || settings === undefined || !isPlatform(definition)) return known
    const made = compileMappings(definition, signalMappings(definition, settings), {
      workspaceId,
      destinationId,
      settings: defaults,
      personData,
    })
    mappers.set(signalId, made)
    return made
  }
}

/**
 * Creates the gate of a destination. It checks in this order: deleted users, the filter of the connection, the event's
 * own integrations, consent, age, and the mappings. The first rule that filters an event gives the reason. An event is
 * parsed only if a rule applies to its text or a mapping reads its parts. Otherwise, checking takes two searches of its
 * text. Filter and integrations do not apply to events of a replay, whose destination a user chose. Rows pass if the
 * connector accepts them.
 */
export const createGate = (
  definition: DestinationDefinition,
  entry: DestinationEntry,
  forgotten: ForgottenUsers,
): Gate => {
  const { workspaceId, id: destinationId, settings, personData } = entry
  const mappings = entry.mappings ?? presetMappings(definition, entry.presetVersion)
  const mapper = compileMappings(definition, mappings, { workspaceId, destinationId, settings, personData })
  const ofSignal = signalMappers(definition, entry)
  const ofRows = { forgotten, pass: createPassOfRows() }
  const needs = withConsent(mapper.needs, entry.consentCategories)
  const whole: GateResult | undefined = mapper.whole === undefined ? undefined : { kind: 'pass', action: mapper.whole }
  const rules = [
    forgottenRule(forgotten, workspaceId),
    filterRule(entry),
    integrationsRule(definition, entry),
    consentRule(entry),
    ageRule(definition),
  ].filter((rule) => rule !== undefined)
  const check = (record: DeliveryRecord, index: number, now: number): GateResult => {
    const { meta } = record.reference
    if (holdsRows(meta)) return checkRow(definition, record, index, ofRows)
    const text = record.events()?.[index]?.json ?? ''
    for (const rule of rules) {
      if (!rule.concerns(text, meta)) continue
      const event = record.values(index)
      if (event === undefined) return unreadable
      const reason = rule.check(event, meta, now)
      if (reason !== undefined) return { kind: 'filtered', reason }
    }
    const isConversion = meta.producer?.kind === 'signal'
    if (whole !== undefined && !isConversion) return whole
    const used = isConversion ? ofSignal(meta.sourceId) : mapper
    if (used === undefined) return noSignal
    const event = record.values(index)
    if (event === undefined) return unreadable
    const json = meta.isLossy ? text : undefined
    if (isConversion) {
      const allowed = allowedProfile(entry.consentCategories, event, conversionProfile(event))
      return mapped(used, event, meta.sourceId, json, allowed)
    }
    if (!mapper.usesProfile(event)) return mapped(used, event, meta.sourceId, json)
    if (meta.isWithoutProfile) return mapped(used, event, meta.sourceId, json, leftOut)
    const profile = profileOf(record, index, needs)
    const result = mapped(used, event, meta.sourceId, json, allowedProfile(entry.consentCategories, event, profile))
    return result.kind === 'pass' ? { ...result, profile } : result
  }
  const gate = (record: DeliveryRecord, index: number, now: number): GateResult => {
    try {
      return check(record, index, now)
    } catch (error) {
      // The mappings report their own limit.
      if (error instanceof TooMuchWork) return tooMuch
      throw error
    }
  }
  return Object.assign(gate, { needs, usesProfile: mapper.usesProfile })
}
