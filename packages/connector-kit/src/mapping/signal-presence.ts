import {
  type FieldMapping,
  type MappingSource,
  type MatchIdentifier,
  matchIdentifiers,
  type PipelineEvent,
  pathNames,
  valueAt,
} from '@tributary/contract'
import type { ActionTarget } from '../definition/definition.ts'
import { spending } from '../templates/template-work.ts'
import { isBlank } from './blank.ts'
import { conditionsOf } from './compile-field.ts'
import { sendsDefault, targetsWithDefault } from './defaults.ts'
import { allowedProfile, conversionProfile } from './event-profile.ts'
import { countryOf } from './person-country.ts'
import { isSent } from './sent-value.ts'
import type { PlatformDefinition } from './signal-mappings.ts'
import { type SignalPlatformSettings, signalMappings } from './signal-mappings.ts'
import { compileSource, type EventInHand, eventBudget, type MappingPlace, takeInHand, variableOf } from './sources.ts'

/** Returns the bit that stands for an identifier in a bit set. */
export const identifierBit = (identifier: MatchIdentifier): number => 1 << matchIdentifiers.indexOf(identifier)

/** Returns the identifiers in a bit set, in the order of `matchIdentifiers`. */
export const identifiersIn = (bits: number): MatchIdentifier[] =>
  matchIdentifiers.filter((each) => (bits & identifierBit(each)) !== 0)

/** A template that returns the first of several fields that has a value, as presets use it. */
const firstPlace = /^\{\{\s*([\w.]+)((?:\s*\|\s*default:\s*[\w.]+)*)\s*\}\}$/

type Look = (of: EventInHand) => unknown

/** Returns a function for the value of a source; a template that only names fields is not rendered. */
const look = (source: MappingSource): Look => {
  const [, first, rest = ''] = source.type === 'TEMPLATE' ? (firstPlace.exec(source.value) ?? []) : []
  if (first === undefined) {
    const give = compileSource(source)
    return (of) => {
      const given = give(of)
      return 'problem' in given ? undefined : given.value
    }
  }
  const places = [first, ...rest.split('|').flatMap((part) => part.split('default:')[1]?.trim() ?? [])]
  const looks = places.map((place): Look => {
    const variable = variableOf(place)
    if (variable !== undefined) return variable
    const names = pathNames(place)
    if (names[0] === 'profile') return (of) => valueAt(of.exactProfile(), names.slice(1))
    return ({ event }) => valueAt(event, names)
  })
  return (of) => {
    for (const each of looks) {
      const value = each(of)
      if (value !== undefined && value !== null && value !== false && value !== '') return value
    }
    return undefined
  }
}

type Has = (of: EventInHand) => boolean
type Check = { bit: number; has: Has }

/** A target that the connector does not describe. */
const unknownTarget = { type: 'any' } as const

type Known = { isSent: Has; isAbsent: Has }

/** Returns whether a field sends a value, by the function that decides what the mapping sends. */
const knownOf = (target: ActionTarget | undefined, mapping: FieldMapping, fields: readonly FieldMapping[]): Known => {
  const give = look(mapping.source)
  const { meets } = conditionsOf(mapping)
  const country = target === undefined ? undefined : countryOf(target, fields)
  return {
    isSent: (of) => meets(of) && isSent(target ?? unknownTarget, give(of), country?.(of).text),
    isAbsent: (of) => meets(of) && isBlank(give(of)),
  }
}

/** Adds the defaults of an action's targets, by the rules of the mapping. */
const withDefaults = (
  targets: readonly ActionTarget[],
  known: ReadonlyMap<string, Known>,
  mappings: readonly FieldMapping[],
): Map<string, Has> => {
  const has = new Map([...known].map(([name, each]) => [name, each.isSent]))
  const off = new Set(mappings.filter(({ enabled }) => !enabled).map(({ target }) => target.name))
  for (const target of targetsWithDefault(targets)) {
    const own = known.get(target.name)
    if (own === undefined && off.has(target.name)) continue
    has.set(target.name, (of) => {
      if (own?.isSent(of) === true) return true
      if (own?.isAbsent(of) === false) return false
      return sendsDefault(target, of.place.settings, (name) => known.get(name)?.isSent(of) === true)
    })
  }
  return has
}

/**
 * Compiles a check that returns the identifiers that a platform receives for an event of a signal, as a bit set. It
 * hashes nothing. The destination requires consent to these `categories`.
 */
export const compilePresence = (
  definition: PlatformDefinition,
  settings: SignalPlatformSettings,
  place: MappingPlace,
  categories: readonly string[] = [],
): ((event: PipelineEvent, sourceId: string) => number) => {
  const [mapping] = signalMappings(definition, settings)
  const { conversions } = definition
  const action = definition.actions.find(({ name }) => name === conversions.action)
  const mappings = mapping?.field_mappings ?? []
  const fields = mappings.filter(({ enabled }) => enabled)
  const known = new Map(
    fields.map((field) => {
      const target = action?.targets.find(({ name }) => name === field.target.name)
      return [field.target.name, knownOf(target, field, fields)]
    }),
  )
  const has = withDefaults(action?.targets ?? [], known, mappings)
  const never: Has = () => false
  const checks = matchIdentifiers.flatMap((identifier): Check[] => {
    const { targets = [], together = [] } = conversions.identifiers[identifier] ?? {}
    const bit = identifierBit(identifier)
    const needed = together.map((name) => has.get(name) ?? never)
    return targets.flatMap((name) => {
      const own = has.get(name)
      return own === undefined ? [] : [{ bit, has: (of) => own(of) && needed.every((other) => other(of)) }]
    })
  })
  return (event, sourceId) => {
    const budget = { ...eventBudget }
    const { profile } = allowedProfile(categories, event, conversionProfile(event))
    const inHand = takeInHand(event, sourceId, undefined, place, budget, profile)
    const of = { ...inHand, spend: spending(budget) }
    let bits = 0
    for (const { bit, has } of checks) {
      if ((bits & bit) !== 0) continue
      try {
        if (has(of)) bits |= bit
      } catch {
        // A template that exceeds its budget makes the event fail with that reason when it is sent.
      }
    }
    return bits
  }
}

/** Whether a platform can match a person with these identifiers. */
export const meetsNeeds = ({ needs }: Pick<PlatformDefinition['conversions'], 'needs'>, bits: number): boolean =>
  needs.length === 0 || needs.some((group) => group.every((identifier) => (bits & identifierBit(identifier)) !== 0))
