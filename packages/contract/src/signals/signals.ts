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
  title,
} from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { epochSeconds } from '../events/metrics.ts'
import { signalDefinition, signalLimits, signalRefunds } from './signal-definition.ts'
import {
  attributionRow,
  conversion,
  conversionStatuses,
  offlineUpload,
  signalOverview,
  signalPreview,
  signalQuality,
} from './signal-results.ts'
import { platformOption, signal, signalSummary } from './signal-shown.ts'
import { standardConversions } from './standard-conversions.ts'

const { trigger, conversion: conversionType, value, event_id, platforms } = signalDefinition.shape

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

/** A period from `start_date.seconds` to before `end_date.seconds`, at most 92 days. */
const period = { 'start_date.seconds': epochSeconds, 'end_date.seconds': epochSeconds }

const attributionQuery = z.object({
  ...period,
  /** Counts only the conversions of this signal, by resource name. */
  signal: reference.optional(),
  /** The click that counts: the first or the last stored click of the person. */
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
      trigger: trigger.optional(),
      conversion: conversionType.optional(),
      value: value.optional(),
      event_id: event_id.optional(),
      refunds: signalRefunds.optional(),
      platforms: platforms.optional(),
      /** The revision that the change is based on; without it, the last save wins. */
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
      /** Lists only conversions with this event ID. */
      event_id: line(300).default(''),
      /** Lists only conversions with this status at any platform, or at the platform `destination` if it is given. */
      status: z.enum(['', ...conversionStatuses]).default(''),
      /** Lists only conversions of this platform, a destination by resource name. */
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
      /** Whether there are more rows than can be shown. */
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
