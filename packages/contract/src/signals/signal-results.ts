import { z } from 'zod'
import { time } from '../api/fields.ts'
import { nameWarnings } from '../audiences/query.ts'
import { matchIdentifiers, notSentReasons, signalPlatforms } from './standard-conversions.ts'

/** Sums of money by currency. */
const amounts = z.array(z.object({ currency: z.string(), amount: z.number() }))

const identifierShare = z.object({
  identifier: z.enum(matchIdentifiers),
  /** Number of conversions with this identifier, and their share of all conversions, 0 to 1. */
  count: z.number().int(),
  share: z.number(),
})

/** Changes for a better score, the most useful first. */
const advice = z.object({
  identifier: z.enum(matchIdentifiers),
  /** A sentence, such as `Add phone: +18% of conversions`. */
  text: z.string(),
  /** The maximum rise of the score, if all conversions had the identifier. */
  gain: z.number(),
})

/** How well a platform can match conversions with users. */
export const platformQuality = z.object({
  destination: z.string(),
  title: z.string(),
  platform: z.enum(signalPlatforms),
  /** The score from 0 to 10; null without conversions. */
  score: z.number().nullable(),
  conversion_count: z.number().int(),
  identifiers: z.array(identifierShare),
  advice: z.array(advice),
})
export type PlatformQuality = z.infer<typeof platformQuality>

export const signalQuality = z.object({
  platforms: z.array(
    platformQuality.extend({
      /** The score of the previous period of the same length; null without conversions. */
      previous_score: z.number().nullable(),
      /** The score by UTC day (`YYYYMMDD`); days without conversions are omitted. */
      trend: z.array(z.object({ day: z.string(), score: z.number(), conversion_count: z.number().int() })),
      /** Time from the event to its conversion: median and 95th percentile in ms; null without conversions. */
      freshness: z.object({ median_ms: z.number().int(), p95_ms: z.number().int() }).nullable(),
      last_conversion_time: time.nullable(),
    }),
  ),
})
export type SignalQuality = z.infer<typeof signalQuality>

const reasonCount = z.object({ reason: z.enum(notSentReasons), text: z.string(), count: z.number().int() })

export const signalPreview = z.object({
  /** Number of stored events that were checked, and number of events that would be conversions. */
  looked_at_count: z.number().int(),
  conversion_count: z.number().int(),
  /**
   * Number of conversions with the same event ID as another conversion of the sample. Such conversions are sent once.
   */
  repeated_count: z.number().int(),
  platforms: z.array(
    platformQuality.extend({
      sent_count: z.number().int(),
      not_sent: z.array(reasonCount),
    }),
  ),
  /** The latest conversions, without personal data. */
  sample: z.array(
    z.object({
      event_time: time,
      event_name: z.string(),
      event_id: z.string(),
      value: z.number().nullable(),
      currency: z.string(),
      platforms: z.array(
        z.object({
          destination: z.string(),
          identifiers: z.array(z.enum(matchIdentifiers)),
          /** Why the conversion would not be sent; '' if it would be sent. */
          reason: z.union([z.literal(''), z.enum(notSentReasons)]),
          reason_text: z.string(),
          /** The payload for the platform, as JSON text, with personal data hashed or hidden. */
          payload: z.string(),
        }),
      ),
    }),
  ),
  /** Names in the definition that were never received. */
  warnings: nameWarnings,
})
export type SignalPreview = z.infer<typeof signalPreview>

/** The outcome of a conversion at a platform. `not_sent`: it was not passed to delivery. */
export const conversionStatuses = ['pending', 'delivered', 'failed', 'filtered', 'not_sent'] as const
export type ConversionStatus = (typeof conversionStatuses)[number]

/** The origin of a conversion. */
export const conversionOrigins = ['event', 'audience', 'upload', 'refund'] as const

export const conversion = z.object({
  /** The permanent ID of the conversion, which is also the `event_id` of its deliveries. */
  id: z.string(),
  event_id: z.string(),
  origin: z.enum(conversionOrigins),
  /** Resource name of the event; '' if the conversion has no stored event. */
  event: z.string(),
  event_time: time,
  create_time: time,
  value: z.number().nullable(),
  currency: z.string(),
  /** Whether the conversion is from a test event. */
  test: z.boolean(),
  platforms: z.array(
    z.object({
      destination: z.string(),
      title: z.string(),
      platform: z.enum(signalPlatforms),
      status: z.enum(conversionStatuses),
      /** Why the conversion was not sent, was filtered, or failed; '' otherwise. */
      reason: z.string(),
      identifiers: z.array(z.enum(matchIdentifiers)),
    }),
  ),
})
export type Conversion = z.infer<typeof conversion>

const statusCounts = {
  delivered: z.number().int(),
  failed: z.number().int(),
  filtered: z.number().int(),
  pending: z.number().int(),
  not_sent: z.number().int(),
} satisfies Record<ConversionStatus, z.ZodType>

export const signalOverview = z.object({
  conversion_count: z.number().int(),
  /** Number of conversions in the previous period of the same length. */
  previous_conversion_count: z.number().int(),
  refund_count: z.number().int(),
  amounts,
  /** Number of events whose event ID already had a conversion: from another server, a retry, or a replay. */
  repeated_count: z.number().int(),
  /** Conversions by UTC day (`YYYYMMDD`); days without any are omitted. */
  days: z.array(
    z.object({
      day: z.string(),
      conversion_count: z.number().int(),
      amounts,
      /**
       * Outcomes of conversions and refunds, each counted at each platform. Conversions that are not sent count on the
       * day of their creation, others on the day of their first attempt. `pending` counts sent conversions without an
       * outcome.
       */
      status_counts: z.object(statusCounts),
    }),
  ),
  platforms: z.array(
    z.object({
      destination: z.string(),
      title: z.string(),
      platform: z.enum(signalPlatforms),
      /** Number of conversions that were appended for delivery. */
      sent_count: z.number().int(),
      not_sent: z.array(reasonCount),
      /** Numbers of sent conversions by their present outcome. */
      delivered_count: z.number().int(),
      failed_count: z.number().int(),
      filtered_count: z.number().int(),
      pending_count: z.number().int(),
      /** Why conversions failed or were filtered, the most frequent reason first. */
      reasons: z.array(
        z.object({ status: z.enum(['filtered', 'failed']), reason: z.string(), count: z.number().int() }),
      ),
    }),
  ),
})
export type SignalOverview = z.infer<typeof signalOverview>

/** Platforms whose clicks are recognized; `none` for conversions without a click. */
export const clickedPlatforms = ['google', 'meta', 'tiktok', 'none'] as const

export const attributionRow = z.object({
  /** `YYYYMMDD`, UTC. */
  day: z.string(),
  signal: z.string(),
  signal_title: z.string(),
  clicked_platform: z.enum(clickedPlatforms),
  /** Campaign parameters (`utm_…`) of the page that the click opened; '' for none. */
  utm_source: z.string(),
  utm_medium: z.string(),
  utm_campaign: z.string(),
  conversion_count: z.number().int(),
  amounts,
})
export type AttributionRow = z.infer<typeof attributionRow>

export const offlineUpload = z.object({
  row_count: z.number().int(),
  /** Number of rows that became conversions, or would become conversions. */
  accepted_count: z.number().int(),
  /** Number of rows whose event ID already had a conversion. */
  repeated_count: z.number().int(),
  refused_count: z.number().int(),
  /** The first 100 refused rows, sorted by the line of the file. The rejected values are not included. */
  refused: z.array(z.object({ line: z.number().int(), column: z.string(), reason: z.string() })),
})
export type OfflineUpload = z.infer<typeof offlineUpload>
