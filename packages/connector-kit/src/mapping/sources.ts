import {
  type MappingSource,
  type MappingVariable,
  type PersonDataKind,
  type PersonDataPaths,
  type PipelineEvent,
  pathNames,
  personKindOf,
  type SpendWork,
  valueAt,
} from '@tributary/contract'
import { computableJson, parseExactJson } from '@tributary/kernel'
import type { TargetField } from '../definition/definition.ts'
import { fallbackPaths, renderFallback } from '../templates/fallback-template.ts'
import { renderText, type TemplateBudget, templateLimits } from '../templates/json-template.ts'
import { spending } from '../templates/template-work.ts'
import { isBlank } from './blank.ts'
import { type EventProfile, noProfile, noUseOfProfile, type UseOfProfile } from './event-profile.ts'
import { compileList } from './list-source.ts'
import { personVariable, personVariablesIn, personWords } from './person-data.ts'

/** The IDs of the workspace and the destination of a mapping, and the destination's settings, which have defaults. */
export type MappingPlace = {
  workspaceId: string
  destinationId: string
  settings?: Readonly<Record<string, unknown>>
  /** The paths at which the workspace has a person's data; the defaults if absent. */
  personData?: PersonDataPaths | undefined
}

/** An event during its mapping. Its variables are created once, and its templates share one budget. */
export type EventInHand = {
  readonly event: PipelineEvent
  /** Returns the event with its exact numbers, for copying. */
  exact(): unknown
  readonly sourceId: string
  readonly place: MappingPlace
  readonly budget: TemplateBudget
  /** Takes work from the remaining budget of the event; throws TooMuchWork if it is used up. */
  readonly spend: SpendWork
  /** The values of the profile that the mapping uses, as exact JSON text. */
  readonly profile: EventProfile
  /** Records what the mapping does with the profile. */
  readonly profileUse: UseOfProfile
  /** Returns the values of the profile with their exact numbers. */
  exactProfile(): unknown
  /** Returns the event with the values of the profile as its `profile`, for conditions. */
  withProfile(): unknown
  /** Returns the event's own keys, as templates read them. */
  ownKeys(): Readonly<Record<string, unknown>>
  /** Returns the variables of templates: the event's own keys, the named variables, and `profile`. */
  scope(): Readonly<Record<string, unknown>>
}

type Variable = (of: EventInHand) => unknown

const variables: Readonly<Record<Exclude<MappingVariable, `user_${PersonDataKind}`>, Variable>> = {
  event_id: ({ event }) => event.eventId,
  message_id: ({ event }) => event.messageId,
  event_name: ({ event }) => event.event,
  event_type: ({ event }) => event.type,
  user_key: ({ event }) => event.userId ?? event.anonymousId,
  timestamp: ({ event }) => event.timestamp,
  timestamp_seconds: ({ event }) => Math.floor(Date.parse(event.timestamp) / 1000),
  timestamp_milliseconds: ({ event }) => Date.parse(event.timestamp),
  received_at: ({ event }) => event.receivedAt,
  workspace_id: ({ place }) => place.workspaceId,
  source_id: ({ sourceId }) => sourceId,
  destination_id: ({ place }) => place.destinationId,
}

const isEventVariable = (name: string): name is keyof typeof variables => Object.hasOwn(variables, name)

/** Returns a function for the value of a named variable; undefined if there is no such variable. */
export const variableOf = (name: string): Variable | undefined => {
  const kind = personKindOf(name)
  return kind === undefined ? (isEventVariable(name) ? variables[name] : undefined) : personVariable(kind)
}

/**
 * Maximum work of a destination's mappings for one event: conditions, templates, fields and hashes together. The budget
 * allows about 20 ms, because the mapping thread serves every workspace.
 */
export const eventBudget = { ...templateLimits, memory: 1_000_000 } as const

/** Prepares an event for the sources of a mapping; `json` is its text, `budget` its remaining work. */
export const takeInHand = (
  event: PipelineEvent,
  sourceId: string,
  json: string | undefined,
  place: MappingPlace,
  budget: TemplateBudget,
  profile: EventProfile = noProfile,
  profileUse: UseOfProfile = noUseOfProfile(),
): EventInHand => {
  let exact: unknown
  let exactProfile: unknown
  let withProfile: unknown
  let ownKeys: PipelineEvent | undefined
  let scope: Record<string, unknown> | undefined
  let computableProfile: unknown
  const jsonOfProfile = (): string => {
    profileUse.isRead = true
    return profile.json
  }
  const inHand: EventInHand = {
    event,
    exact: () => (exact ??= json === undefined ? event : parseExactJson(json)),
    sourceId,
    place,
    budget,
    spend: spending(budget),
    profile,
    profileUse,
    exactProfile: () => (exactProfile ??= parseExactJson(jsonOfProfile())),
    withProfile: () => (withProfile ??= { ...event, profile: JSON.parse(jsonOfProfile()) as unknown }),
    ownKeys: () =>
      (ownKeys ??= json === undefined ? event : ((computableJson(json) as PipelineEvent | undefined) ?? event)),
    scope: () =>
      (scope ??= {
        get profile() {
          return (computableProfile ??= computableJson(jsonOfProfile()) ?? JSON.parse(profile.json))
        },
        ...Object.fromEntries(Object.entries(variables).map(([name, variable]) => [name, variable(inHand)])),
        ...inHand.ownKeys(),
      }),
  }
  return inHand
}

/**
 * The value of a source, whether it is a value of the profile, and the parts that were left out of it; a problem fails
 * the event, whatever the target.
 */
export type SourceValue = { value: unknown; isOfProfile?: boolean; leftOut?: readonly string[] } | { problem: string }

const nothing: SourceValue = { value: undefined }

/** Cost of reading one source of a FIRST source. */
const perSource = 100

/**
 * Compiles a source to a function that is called for each event. `fields` describe the items of a list that it makes.
 */
export const compileSource = (
  source: MappingSource,
  fields: readonly TargetField[] = [],
): ((of: EventInHand) => SourceValue) => {
  switch (source.type) {
    case 'FIELD': {
      const names = pathNames(source.name)
      return (of) => {
        const value = valueAt(of.event, names)
        // Only numbers, and lists and objects with numbers, can differ from the original text.
        return { value: typeof value === 'number' || typeof value === 'object' ? valueAt(of.exact(), names) : value }
      }
    }
    case 'VARIABLE': {
      const { name } = source
      const variable = variableOf(name)
      if (variable === undefined) return () => ({ problem: `there is no variable "${name}"` })
      return (of) => ({ value: variable(of) })
    }
    case 'PROFILE': {
      const names = pathNames(source.name)
      return (of) => ({ value: valueAt(of.exactProfile(), names), isOfProfile: true })
    }
    case 'FIRST': {
      const sources = source.sources.map((each) => compileSource(each))
      return (of) => {
        for (const give of sources) {
          of.spend(perSource)
          const given = give(of)
          if ('problem' in given || !isBlank(given.value)) return given
        }
        return nothing
      }
    }
    case 'LIST':
      return compileList(source, fields, compileSource)
    case 'CONSTANT': {
      const given = { value: source.value }
      return () => given
    }
    case 'TEMPLATE': {
      const text = source.value
      const paths = fallbackPaths(text)
      const personal = personVariablesIn(text)
      const usesProfile = paths?.some(([first]) => first === 'profile') === true
      const scopeOf = (of: EventInHand) =>
        personal.length === 0
          ? of.scope()
          : { ...of.scope(), ...Object.fromEntries(personal.map((name) => [name, variableOf(name)?.(of)])) }
      return (of) => {
        const plain =
          paths && renderFallback(paths, usesProfile ? of.scope() : of.ownKeys(), templateLimits.output, of.spend)
        if (plain !== undefined) return plain.trim() === '' ? nothing : { value: plain }
        const rendered = renderText(text, scopeOf(of), { budget: of.budget, owner: of.place.workspaceId })
        if ('problem' in rendered) return { problem: `its template fails: ${rendered.problem.message}` }
        return rendered.text.trim() === '' ? nothing : { value: rendered.text }
      }
    }
  }
}

/** Returns a phrase that describes a source, for messages. */
export const sourceWords = (source: MappingSource): string => {
  switch (source.type) {
    case 'FIELD':
      return source.name
    case 'VARIABLE':
      return personWords(source.name) ?? `the variable ${source.name}`
    case 'PROFILE':
      return `${source.name} of the profile`
    case 'FIRST':
      return 'the first value of its sources'
    case 'LIST':
      return `the list ${source.list}`
    case 'CONSTANT':
      return 'the constant'
    case 'TEMPLATE':
      return 'its template'
  }
}

/** Returns a phrase that says that a source has no value, for messages. */
export const emptyWords = (source: MappingSource): string => {
  if (source.type === 'LIST') return `${sourceWords(source)} has no items`
  return source.type === 'FIRST' ? 'none of its sources has a value' : `${sourceWords(source)} is empty`
}
