import { z } from 'zod'
import { line, reference } from '../api/fields.ts'
import { fieldMapping, mappingLimits } from '../destinations/mappings.ts'
import { eventTypes } from '../events/tracking.ts'
import { conditionList, conditionMatches, eventPath } from '../rules/conditions.ts'
import { type StandardConversion, standardConversions } from './standard-conversions.ts'

/** What signals are bounded by. */
export const signalLimits = {
  /** Signals of a workspace. */
  signals: 50,
  sources: 20,
  events: 20,
  platforms: 10,
  /** Conversions that a preview looks at. */
  sample: 200,
  /** Rows of an uploaded file, and its characters. */
  uploadRows: 10_000,
  uploadCharacters: 3 * 1024 * 1024,
  /** Days that quality, attribution and overviews cover. */
  days: 92,
  /** Rows of an attribution report. */
  attributionRows: 10_000,
} as const

/** An event that is a conversion: a type, and a name where that type has one; '' is every name. */
const signalEvent = z.object({
  event_type: z.enum(eventTypes).default('track'),
  event_name: line(200).default(''),
})

const signalEvents = z
  .array(signalEvent)
  .min(1, 'Required')
  .max(signalLimits.events, `At most ${signalLimits.events} events`)

/** What makes a conversion: events of sources that meet conditions, or that a profile enters an audience. */
export const signalTrigger = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('events'),
    /** Sources by resource name. */
    sources: z.array(reference).min(1, 'Required').max(signalLimits.sources, `At most ${signalLimits.sources} sources`),
    events: signalEvents,
    filters: conditionList.default([]),
    filter_match: z.enum(conditionMatches).default('all'),
  }),
  z.object({
    type: z.literal('audience'),
    /** An audience by resource name. */
    audience: reference,
  }),
])
export type SignalTrigger = z.infer<typeof signalTrigger>

/** A currency code of three letters. */
const currency = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{3}$/, 'Must be a code such as USD')

/** What a conversion is worth. */
export const signalValue = z.discriminatedUnion('type', [
  z.object({ type: z.literal('none') }),
  z.object({ type: z.literal('fixed'), amount: z.number().min(0, 'Must not be negative').max(1e12), currency }),
  z.object({
    type: z.literal('event'),
    /** Where the event has it, such as `properties.revenue`. */
    amount_path: eventPath,
    /** Such as `properties.currency`; '' for a fixed one. */
    currency_path: z.union([z.literal(''), eventPath]).default(''),
    /** Of events that have none; '' for none. */
    currency: z.union([z.literal(''), currency]).default(''),
  }),
])
export type SignalValue = z.infer<typeof signalValue>

/** By what a platform recognizes the conversion when the pixel sends it, too. */
export const signalEventId = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_id') }),
  /** Such as `properties.order_id`. Events that have nothing there get their message ID. */
  z.object({ type: z.literal('path'), path: eventPath }),
])
export type SignalEventId = z.infer<typeof signalEventId>

/** Events that take back a conversion, wholly or in part; null where there are none. Only for a trigger of events. */
export const signalRefunds = z
  .object({
    events: signalEvents,
    /** Where a refund has the event ID of its conversion. */
    order_path: eventPath,
    /** Where it has what was refunded, such as `properties.total`; '' for all of it. */
    amount_path: z.union([z.literal(''), eventPath]).default(''),
  })
  .nullable()
export type SignalRefunds = z.infer<typeof signalRefunds>

const platformFields = {
  /** The destination, by resource name: one of Meta, Google Ads, Google Analytics or TikTok, each once. */
  destination: reference,
  /** What the platform calls the conversion; '' for its standard name. Of Google Ads the conversion action; '' for that of the destination. */
  event_name: line(100).default(''),
  /** For the platform's test screen; '' sends conversions that count. Only where `has_test_code`. */
  test_event_code: line(100).default(''),
  /** What the platform is sent; null for what suits it. */
  field_mappings: z
    .array(fieldMapping)
    .max(mappingLimits.fieldMappings, `At most ${mappingLimits.fieldMappings} fields`)
    .nullable()
    .default(null),
}

/** A platform that a signal is sent to, as it is saved. */
export const signalPlatformInput = z.object(platformFields)
export type SignalPlatformInput = z.infer<typeof signalPlatformInput>

const platforms = z
  .array(signalPlatformInput)
  .max(signalLimits.platforms, `At most ${signalLimits.platforms} platforms`)

const conversionType = z
  .object({ type: z.enum(standardConversions), custom_name: line(40).default('') })
  .superRefine(({ type, custom_name }, context) => {
    if (type === 'custom' && !/^[A-Za-z]\w*$/.test(custom_name))
      context.addIssue({
        code: 'custom',
        path: ['custom_name'],
        message: custom_name === '' ? 'Required' : 'Letters, digits, and underscores, beginning with a letter',
      })
    if (type !== 'custom' && custom_name !== '')
      context.addIssue({ code: 'custom', path: ['custom_name'], message: 'Only a custom conversion has a name' })
  })
export type SignalConversion = { type: StandardConversion; custom_name: string }

/** What people say of a signal; a preview takes it before it is saved. */
const definition = {
  trigger: signalTrigger,
  conversion: conversionType,
  value: signalValue,
  event_id: signalEventId,
  refunds: signalRefunds.default(null),
  platforms,
}
export const signalDefinition = z.object(definition)
export type SignalDefinition = z.infer<typeof signalDefinition>
