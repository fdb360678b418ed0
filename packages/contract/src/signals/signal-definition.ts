import { z } from 'zod'
import { line, reference } from '../api/fields.ts'
import { fieldMapping, mappingLimits } from '../destinations/event-mappings.ts'
import { eventTypes } from '../events/tracking.ts'
import { conditionList, conditionMatches, eventPath } from '../rules/conditions.ts'
import { type StandardConversion, standardConversions } from './standard-conversions.ts'

/** Limits of signals. */
export const signalLimits = {
  /** Maximum signals of a workspace. */
  signals: 50,
  sources: 20,
  events: 20,
  platforms: 10,
  /** Maximum conversions of a preview. */
  sample: 200,
  /** Maximum rows and characters of an uploaded file. */
  uploadRows: 10_000,
  uploadCharacters: 3 * 1024 * 1024,
  /** Maximum days that quality, attribution and overviews cover. */
  days: 92,
  /** Maximum rows of an attribution report. */
  attributionRows: 10_000,
} as const

/** An event that is a conversion: a type, and a name where that type has one; '' matches every name. */
const signalEvent = z.object({
  event_type: z.enum(eventTypes).default('track'),
  event_name: line(200).default(''),
})

const signalEvents = z
  .array(signalEvent)
  .min(1, 'Required')
  .max(signalLimits.events, `At most ${signalLimits.events} events`)

/** The cause of a conversion: events of sources that meet conditions, or a profile's entry to an audience. */
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

/** The value of a conversion. */
export const signalValue = z.discriminatedUnion('type', [
  z.object({ type: z.literal('none') }),
  z.object({ type: z.literal('fixed'), amount: z.number().min(0, 'Must not be negative').max(1e12), currency }),
  z.object({
    type: z.literal('event'),
    /** The path of the value in the event, such as `properties.revenue`. */
    amount_path: eventPath,
    /** Path of the currency in the event, such as `properties.currency`; '' for a fixed currency. */
    currency_path: z.union([z.literal(''), eventPath]).default(''),
    /** The currency of events that have none; '' for none. */
    currency: z.union([z.literal(''), currency]).default(''),
  }),
])
export type SignalValue = z.infer<typeof signalValue>

/** The key by which a platform recognizes a conversion that the pixel also sends. */
export const signalEventId = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_id') }),
  /** Path of the key in the event, such as `properties.order_id`. Events without a value there use their message ID. */
  z.object({ type: z.literal('path'), path: eventPath }),
])
export type SignalEventId = z.infer<typeof signalEventId>

/** Events that refund a conversion, wholly or in part; null for none. Only for a trigger of events. */
export const signalRefunds = z
  .object({
    events: signalEvents,
    /** The path of the conversion's event ID in a refund. */
    order_path: eventPath,
    /** The path of the refunded value, such as `properties.total`; '' for all of it. */
    amount_path: z.union([z.literal(''), eventPath]).default(''),
  })
  .nullable()
export type SignalRefunds = z.infer<typeof signalRefunds>

const platformFields = {
  /**
   * The destination, by resource name: a destination of Meta, Google Ads, Google Analytics or TikTok. Each destination
   * can be used once..
   */
  destination: reference,
  /**
   * The platform's name of the conversion; '' for its standard name. For Google Ads, the conversion action; '' for that
   * of the destination.
   */
  event_name: line(100).default(''),
  /** The code of the platform's test screen; '' sends real conversions. Only for platforms with `has_test_code`. */
  test_event_code: line(100).default(''),
  /** The mapping to the platform's fields; null for the default mapping. */
  field_mappings: z
    .array(fieldMapping)
    .max(mappingLimits.fieldMappings, `At most ${mappingLimits.fieldMappings} fields`)
    .nullable()
    .default(null),
}

/** A platform of a signal, as it is saved. */
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

/** The definition of a signal; previews accept a definition that is not saved. */
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
