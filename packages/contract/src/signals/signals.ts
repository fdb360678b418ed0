import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import {
  empty,
  errors,
  line,
  maskQuery,
  nextPageToken,
  pageQuery,
  reference,
  requestId,
  storableText,
  time,
  title,
} from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { destinationAction, fieldMapping, mappingLimits } from '../destinations/mappings.ts'
import { epochSeconds } from '../events/metrics.ts'
import { eventTypes } from '../events/tracking.ts'
import { conditionList, conditionMatches, eventPath } from '../rules/conditions.ts'
import {
  attributionRow,
  conversion,
  conversionStatuses,
  offlineUpload,
  signalOverview,
  signalPreview,
  signalQuality,
} from './signal-results.ts'
import { type StandardConversion, signalPlatforms, standardConversions } from './standard-conversions.ts'

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

/** A platform of a signal as it is shown. */
export const signalPlatform = z.object({
  destination: z.string(),
  title: z.string(),
  app: z.object({ display_name: z.string(), extra: z.object({ app_icon: z.string() }) }),
  platform: z.enum(signalPlatforms),
  event_name: z.string(),
  /** What it is called there: `event_name`, or the standard name. */
  shown_event_name: z.string(),
  test_event_code: z.string(),
  has_test_code: z.boolean(),
  field_mappings: z.array(fieldMapping),
  /** True while `field_mappings` are what suits the platform. */
  is_preset: z.boolean(),
  /** False while the destination is paused: its conversions are held. */
  enabled: z.boolean(),
  /** What is wrong with it, in words; '' for nothing. Without it being repaired its conversions are not sent. */
  problem: z.string(),
})
export type SignalPlatformShown = z.infer<typeof signalPlatform>

/** `problem`: enabled, and one of its platforms cannot be sent to. */
export const signalStates = ['disabled', 'enabled', 'problem'] as const

/** A row of the list of signals. */
export const signalSummary = z.object({
  /** `workspaces/{id}/signals/{id}`. */
  name: z.string(),
  title: z.string(),
  enabled: z.boolean(),
  state: z.enum(signalStates),
  conversion: z.object({ type: z.enum(standardConversions), custom_name: z.string() }),
  /** What it is fed from: titles of its sources, or of its audience. */
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
  /** Conversions of the last 7 UTC days, the oldest first, today included. */
  recent_counts: z.array(z.number().int()),
  /** How well its platforms can match those days' conversions, 0 to 10: the mean of the platforms that were sent some; null without any. */
  score: z.number().nullable(),
  last_conversion_time: time.nullable(),
  create_time: time,
  update_time: time,
})
export type SignalSummary = z.infer<typeof signalSummary>

export const signal = signalSummary.omit({ trigger: true, platforms: true }).extend({
  trigger: signalTrigger,
  /** Sources or audience of the trigger with their titles; `missing` where one was deleted. */
  trigger_titles: z.array(
    z.object({ name: z.string(), title: z.string(), target_product: z.string(), missing: z.boolean() }),
  ),
  value: signalValue,
  event_id: signalEventId,
  refunds: signalRefunds,
  platforms: z.array(signalPlatform),
  /** Rises with each change. */
  revision: z.number().int(),
  /** Who changed it last; '' for a member who is gone. */
  author: z.string(),
})
export type Signal = z.infer<typeof signal>

/** A destination that can be a platform of a signal, and what it would be sent. */
export const platformOption = z.object({
  destination: z.string(),
  title: z.string(),
  app_icon: z.string(),
  platform: z.enum(signalPlatforms),
  enabled: z.boolean(),
  /** What the platform calls the standard conversion; '' where it calls it as the conversion action of the destination. */
  event_name: z.string(),
  has_test_code: z.boolean(),
  takes_refunds: z.boolean(),
  /** What keys a conversion there, and what the pixel or tag calls it. */
  event_id_target: z.string(),
  pixel_parameter: z.string(),
  /** The oldest conversion that it takes, days. */
  max_age_days: z.number(),
  /** The version of its API that is spoken, and when that ends; '' and null where it has none. */
  api_version: z.string(),
  api_version_end: z.iso.date().nullable(),
  /** A notice while the version ends soon; '' otherwise. */
  api_notice: z.string(),
  action: destinationAction,
  field_mappings: z.array(fieldMapping),
})
export type PlatformOption = z.infer<typeof platformOption>

const changed = {
  code: 409,
  reason: 'SIGNAL_CHANGED',
  when: 'Someone else changed the signal since `revision`.',
} as const
const incomplete = {
  code: 400,
  reason: 'SIGNAL_INCOMPLETE',
  when: 'It has no platform, or one that cannot be sent to; the message says which.',
} as const
const tooLarge = {
  code: 400,
  reason: 'QUERY_TOO_LARGE',
  when: 'It takes too much time or memory; the message says what to narrow.',
} as const

/** From `start_date.seconds` to before `end_date.seconds`, at most 92 days. */
const period = { 'start_date.seconds': epochSeconds, 'end_date.seconds': epochSeconds }

const attributionQuery = z.object({
  ...period,
  /** Only the conversions of this signal, by resource name. */
  signal: reference.optional(),
  /** The click that counts: the first or the last that was kept of the person. */
  touch: z.enum(['first', 'last']).default('last'),
})

export const signals = {
  list: defineMethod({
    name: 'signals.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/signals',
    access: workspaceMembers,
    summary: 'Lists the signals of a workspace, newest first.',
    query: pageQuery,
    response: z.object({ signals: z.array(signalSummary), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'signals.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/signals/{signal}',
    access: workspaceMembers,
    summary: 'Gets a signal with its platforms and what each is sent.',
    response: signal,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'signals.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/signals',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery', 'signals'],
    summary: 'Creates a signal, disabled unless `enabled`.',
    request: signalDefinition.extend({ title, enabled: z.boolean().default(false), request_id: requestId }),
    response: signal,
    errors: [errors.invalid, incomplete, errors.forbidden, errors.notFound],
    bodyLimit: 2 * 1024 * 1024,
  }),
  update: defineMethod({
    name: 'signals.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/signals/{signal}',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery', 'signals'],
    summary: 'Changes a signal. Applies from the next event.',
    query: maskQuery,
    maskCompanions: {
      trigger: ['revision'],
      conversion: ['revision'],
      value: ['revision'],
      event_id: ['revision'],
      refunds: ['revision'],
      platforms: ['revision'],
    },
    request: z.object({
      title: title.optional(),
      trigger: signalTrigger.optional(),
      conversion: conversionType.optional(),
      value: signalValue.optional(),
      event_id: signalEventId.optional(),
      refunds: signalRefunds.optional(),
      platforms: platforms.optional(),
      /** The revision that the change was made on; without it the last saver wins. */
      revision: z.number().int().optional(),
    }),
    response: signal,
    errors: [errors.invalid, incomplete, errors.forbidden, errors.notFound, changed],
    bodyLimit: 2 * 1024 * 1024,
  }),
  delete: defineMethod({
    name: 'signals.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/signals/{signal}',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery', 'signals'],
    summary: 'Deletes a signal with its conversions and figures. What platforms have received stays there.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  enable: defineMethod({
    name: 'signals.enable',
    verb: 'POST',
    path: '/workspaces/{workspace}/signals/{signal}:enable',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery', 'signals'],
    summary: 'Enables a signal: events that are received from now on are sent as conversions.',
    request: empty,
    response: signal,
    errors: [incomplete, errors.forbidden, errors.notFound],
  }),
  disable: defineMethod({
    name: 'signals.disable',
    verb: 'POST',
    path: '/workspaces/{workspace}/signals/{signal}:disable',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery', 'signals'],
    summary: 'Disables a signal. What was made a conversion before is still sent.',
    request: empty,
    response: signal,
    errors: [errors.forbidden, errors.notFound],
  }),
  listPlatforms: defineMethod({
    name: 'signals.listPlatforms',
    verb: 'GET',
    path: '/workspaces/{workspace}/signals:listPlatforms',
    access: workspaceMembers,
    summary: 'Lists the destinations that can be platforms of a signal, with what each would be sent of a conversion.',
    query: pageQuery.extend({
      conversion: z.enum(standardConversions).default('purchase'),
      custom_name: line(40).default(''),
    }),
    response: z.object({ platforms: z.array(platformOption), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  preview: defineMethod({
    name: 'signals.preview',
    verb: 'POST',
    path: '/workspaces/{workspace}/signals:preview',
    access: workspaceEditors,
    reads: true,
    summary:
      'Scores the latest stored events that a signal would make conversions of. Nothing is saved or sent; personal data is not shown.',
    request: signalDefinition.extend({ sample_size: z.number().int().min(1).max(signalLimits.sample).default(100) }),
    response: signalPreview,
    errors: [errors.invalid, errors.forbidden, errors.notFound, tooLarge, errors.unavailable],
    bodyLimit: 2 * 1024 * 1024,
  }),
  getQuality: defineMethod({
    name: 'signals.getQuality',
    verb: 'GET',
    path: '/workspaces/{workspace}/signals/{signal}:getQuality',
    access: workspaceMembers,
    summary:
      'Gets the match quality of a signal by platform: identifiers, score, advice, trend by UTC day, and freshness.',
    query: z.object(period),
    response: signalQuality,
    errors: [errors.invalid, errors.notFound],
  }),
  getOverview: defineMethod({
    name: 'signals.getOverview',
    verb: 'GET',
    path: '/workspaces/{workspace}/signals/{signal}:getOverview',
    access: workspaceMembers,
    summary: 'Gets conversions and values of a signal by UTC day, and what became of them by platform.',
    query: z.object(period),
    response: signalOverview,
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
  listConversions: defineMethod({
    name: 'signals.listConversions',
    verb: 'GET',
    path: '/workspaces/{workspace}/signals/{signal}/conversions',
    access: workspaceMembers,
    summary: 'Lists the conversions of a signal, newest first, with their outcome at each platform.',
    query: pageQuery.extend({
      /** Only those of this event ID. */
      event_id: line(300).default(''),
      /** Only those with this status at one platform at least; with `destination` there. */
      status: z.enum(['', ...conversionStatuses]).default(''),
      /** Only those of this platform, a destination by resource name. */
      destination: z.union([z.literal(''), reference]).default(''),
    }),
    response: z.object({ conversions: z.array(conversion), next_page_token: nextPageToken }),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
  uploadConversions: defineMethod({
    name: 'signals.uploadConversions',
    verb: 'POST',
    path: '/workspaces/{workspace}/signals/{signal}:uploadConversions',
    access: workspaceEditors,
    summary:
      'Reads offline conversions from a CSV file and sends them like those of events. `validate_only` changes nothing and says what would be refused.',
    request: z.object({
      file_name: line(255).min(1, 'Required'),
      /** CSV with a header; see the documentation for its columns. */
      content: storableText(signalLimits.uploadCharacters).min(1, 'Required'),
      validate_only: z.boolean().default(false),
    }),
    response: offlineUpload,
    errors: [
      errors.invalid,
      errors.forbidden,
      errors.notFound,
      {
        code: 400,
        reason: 'FILE_REFUSED',
        when: 'It is no CSV, has no rows, or lacks a column; metadata.file says why.',
      },
      errors.unavailable,
    ],
    bodyLimit: 2 * signalLimits.uploadCharacters,
  }),
  getAttribution: defineMethod({
    name: 'signals.getAttribution',
    verb: 'GET',
    path: '/workspaces/{workspace}/signals:getAttribution',
    access: workspaceMembers,
    summary: 'Gets conversions by UTC day, clicked platform and campaign parameters of the first or last click.',
    query: attributionQuery,
    response: z.object({
      rows: z.array(attributionRow),
      /** There are more rows than can be shown. */
      truncated: z.boolean(),
    }),
    errors: [errors.invalid, errors.notFound],
  }),
  exportAttribution: defineMethod({
    name: 'signals.exportAttribution',
    verb: 'GET',
    path: '/workspaces/{workspace}/signals:exportAttribution',
    access: workspaceMembers,
    summary: 'Gets the rows of `getAttribution` as CSV text.',
    query: attributionQuery,
    response: z.object({ file_name: z.string(), content: z.string() }),
    errors: [errors.invalid, errors.notFound],
  }),
}
