import type { EventMapping, FieldMapping, PersonDataPaths, SignalConversion, SignalPlatform } from '@tributary/contract'
import { conversionNames } from '@tributary/contract'
import type { ConversionPlatform, DestinationDefinition, MappingPreset } from '../definition/definition.ts'
import { mappingsNeeds, withProfileLast } from './event-profile.ts'
import { createMappingIds, fieldMappingsOf } from './presets.ts'

/** A destination that accepts conversions. */
export type PlatformDefinition = DestinationDefinition & { conversions: ConversionPlatform }

/** Whether destinations of an app accept conversions. */
export const isPlatform = (definition: DestinationDefinition | undefined): definition is PlatformDefinition =>
  definition?.conversions !== undefined

type Mapped = Pick<PlatformDefinition, 'slug' | 'actions' | 'conversions'>

/** Returns a platform's event name of a conversion; '' if the destination derives the name, as for Google Ads. */
export const standardEventName = (platform: SignalPlatform, { type, custom_name }: SignalConversion): string => {
  if (platform === 'google_ads') return ''
  return type === 'custom' ? custom_name : conversionNames[type][platform]
}

/** Returns the targets that the signal sets itself: the event name and the test code. */
const ownTargets = ({ conversions: { eventName, testCode } }: Pick<Mapped, 'conversions'>): ReadonlySet<string> =>
  new Set([eventName, testCode].filter((name) => name !== undefined))

/**
 * Returns the default fields of a conversion for a platform, without the name of the conversion and a test code. The
 * profile is the last source of a person's data.
 */
export const signalFieldMappings = (definition: Mapped): FieldMapping[] => {
  const { action, fields } = definition.conversions
  return fieldMappingsOf(definition, { action, fields }, `signal/${definition.slug}`).map((field) => ({
    ...field,
    source: withProfileLast(field.source),
  }))
}

/** The settings of a signal's platform. */
export type SignalPlatformSettings = {
  /** The platform's event name of the conversion; '' if the destination derives the name. */
  eventName: string
  testCode: string
  fields: readonly FieldMapping[] | undefined
}

const constant = (value: string) => ({ type: 'CONSTANT', value }) as const

/** Returns filters that match events of one kind: conversions or refunds. */
const kindIs = (value: string): EventMapping['filters'] => [
  { id: 'kind', field: 'context.signal.kind', operator: 'equals', value },
]

const mappingOf = (action: string, kind: string, fields: readonly FieldMapping[], id: string): EventMapping => ({
  id,
  enabled: true,
  event_name: '',
  event_type: '',
  filters: kindIs(kind),
  filter_match: 'all',
  destination: action,
  field_mappings: [...fields],
})

/** Returns the mappings for a signal's conversions to a platform, and for refunds if the platform accepts them. */
export const signalMappings = (
  definition: Mapped,
  { eventName, testCode, fields }: SignalPlatformSettings,
): EventMapping[] => {
  const { conversions, slug } = definition
  const own = ownTargets(definition)
  const given = (fields ?? signalFieldMappings(definition)).filter(({ target }) => !own.has(target.name))
  const fixed = (action: string, name: string): FieldMapping[] => {
    const constants: Record<string, MappingPreset['fields'][string]> = {}
    if (conversions.eventName !== undefined && name !== '') constants[conversions.eventName] = constant(name)
    if (conversions.testCode !== undefined && testCode !== '') constants[conversions.testCode] = constant(testCode)
    return fieldMappingsOf(definition, { action, fields: constants }, `signal/${slug}/fixed`)
  }
  const ids = createMappingIds()
  const { refund, action } = conversions
  const sent = mappingOf(action, 'conversion', [...fixed(action, eventName), ...given], ids('conversion'))
  if (refund === undefined) return [sent]
  const takes = new Set(definition.actions.find(({ name }) => name === refund.action)?.targets.map(({ name }) => name))
  const replaced = fieldMappingsOf(definition, refund, `signal/${slug}/refund`)
  const taken = given.filter(({ target }) => takes.has(target.name) && !Object.hasOwn(refund.fields, target.name))
  const refunded = [...fixed(refund.action, refund.eventName ?? eventName), ...replaced, ...taken]
  return [sent, mappingOf(refund.action, 'refund', refunded, ids('refund'))]
}

/** Returns the values of the profile that the mappings of a signal's platform use. */
export const signalNeeds = (
  definition: Mapped,
  settings: SignalPlatformSettings,
  personData?: PersonDataPaths,
): string[] => mappingsNeeds(signalMappings(definition, settings), personData)
