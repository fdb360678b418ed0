import { z } from 'zod'
import { time } from '../api/fields.ts'
import { nameWarnings } from '../audiences/query.ts'
import { fieldMapping } from '../destinations/event-mappings.ts'
import { destinationAction } from '../destinations/mappings.ts'
import { signalEventId, signalRefunds, signalTrigger, signalValue } from './signal-definition.ts'
import { signalPlatforms, standardConversions } from './standard-conversions.ts'

/** A platform of a signal as it is shown. */
export const signalPlatform = z.object({
  destination: z.string(),
  title: z.string(),
  app: z.object({ display_name: z.string(), extra: z.object({ app_icon: z.string() }) }),
  platform: z.enum(signalPlatforms),
  event_name: z.string(),
  /** Name of the conversion at the platform: `event_name`, or the standard name. */
  shown_event_name: z.string(),
  test_event_code: z.string(),
  has_test_code: z.boolean(),
  field_mappings: z.array(fieldMapping),
  /** True while `field_mappings` are the defaults of the platform. */
  is_preset: z.boolean(),
  /** False while the destination is paused and its conversions are held. */
  enabled: z.boolean(),
  /** Why conversions are not sent to the platform, as a sentence; '' if they are sent. */
  problem: z.string(),
})
export type SignalPlatformShown = z.infer<typeof signalPlatform>

/** `problem`: the signal is enabled, but conversions cannot be sent to one of its platforms. */
export const signalStates = ['disabled', 'enabled', 'problem'] as const

/** A row of the list of signals. */
export const signalSummary = z.object({
  /** `workspaces/{id}/signals/{id}`. */
  name: z.string(),
  title: z.string(),
  enabled: z.boolean(),
  state: z.enum(signalStates),
  conversion: z.object({ type: z.enum(standardConversions), custom_name: z.string() }),
  /** The origin of the conversions: titles of the sources, or of the audience. */
  trigger: z.object({
    type: z.enum(['events', 'audience']),
    sources: z.array(z.object({ name: z.string(), title: z.string() })),
    event_names: z.array(z.string()),
  }),
  platforms: z.array(
    z.object({
      destination: z.string(),
      title: z.string(),
      platform: z.enum(signalPlatforms),
      app_icon: z.string(),
    }),
  ),
  /** Number of conversions on each of the last 7 UTC days, oldest first, today included. */
  recent_counts: z.array(z.number().int()),
  /**
   * How well platforms can match the conversions of the last 7 days, 0 to 10: the mean of the platforms that got
   * conversions. Null without conversions.
   */
  score: z.number().nullable(),
  last_conversion_time: time.nullable(),
  create_time: time,
  update_time: time,
})
export type SignalSummary = z.infer<typeof signalSummary>

export const signal = signalSummary.omit({ trigger: true, platforms: true }).extend({
  trigger: signalTrigger,
  /** Sources or audience of the trigger with their titles; `missing` is true if the source or audience was deleted. */
  trigger_titles: z.array(
    z.object({ name: z.string(), title: z.string(), target_product: z.string(), missing: z.boolean() }),
  ),
  value: signalValue,
  event_id: signalEventId,
  refunds: signalRefunds,
  platforms: z.array(signalPlatform),
  /** Increases with each change. */
  revision: z.number().int(),
  /** The user who last changed the signal; '' for a deleted member. */
  author: z.string(),
  /** Names in the signal that were never received. Present in responses to a creation or change. */
  warnings: nameWarnings,
})
export type Signal = z.infer<typeof signal>

/** A destination that a signal can use as a platform, and its payload. */
export const platformOption = z.object({
  destination: z.string(),
  title: z.string(),
  app_icon: z.string(),
  platform: z.enum(signalPlatforms),
  enabled: z.boolean(),
  /**
   * The platform's name of the standard conversion; '' when it uses the name of the destination's conversion action.
   */
  event_name: z.string(),
  has_test_code: z.boolean(),
  takes_refunds: z.boolean(),
  /** Name of the field with the conversion's key at the platform, and its name in the pixel or tag. */
  event_id_target: z.string(),
  pixel_parameter: z.string(),
  /** Maximum age of a conversion at the platform, in days. */
  max_age_days: z.number(),
  /** The version of the platform's API, and the end of that version; '' and null if the API has no versions. */
  api_version: z.string(),
  api_version_end: z.iso.date().nullable(),
  /** A notice if the API version ends soon; '' otherwise. */
  api_notice: z.string(),
  action: destinationAction,
  field_mappings: z.array(fieldMapping),
})
export type PlatformOption = z.infer<typeof platformOption>
