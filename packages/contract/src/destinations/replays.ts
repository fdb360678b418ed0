import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, line, nextPageToken, pageQuery, reference, storableText, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { eventSummary, timeBases } from '../events/events.ts'
import { eventTypes } from '../events/tracking.ts'
import { eventFilter } from '../rules/conditions.ts'

/**
 * The kinds of replays. `history` sends accepted events of the event store again, also from sources without a
 * connection. `dead` sends dead letters again. Blocked events are released by `violations.replayBlocked` instead.
 */
export const replayKinds = ['history', 'dead'] as const
export type ReplayKind = (typeof replayKinds)[number]

/**
 * The profiles that mappings use in a replay of history. With `latest`, it is the profile when each event is mapped, also
 * with changes since the replay began. With `none`, only the event's own values are left.
 */
export const replayProfiles = ['latest', 'none'] as const
export type ReplayProfile = (typeof replayProfiles)[number]

/**
 * A `running` replay sends events. A `paused` replay continues when a user resumes it. A `delivering` replay has sent
 * everything and waits for outcomes. The other states are final.
 */
export const replayStates = ['running', 'paused', 'delivering', 'cancelled', 'done', 'failed'] as const
export type ReplayState = (typeof replayStates)[number]

export const replayLimits = {
  /** Events per second that a replay appends: the minimum, the default, and the maximum. */
  minRate: 1,
  rate: 500,
  maxRate: 5000,
  /** Maximum number of events of a history replay with conditions; a larger replay is refused. */
  conditionEvents: 500_000,
  /** Maximum events of a preview. */
  samples: 5,
  /** Days after which a replay that has sent everything is done, even with missing outcomes. */
  outcomeDays: 7,
} as const

const scopeFields = {
  kind: z.enum(replayKinds),
  /**
   * Range of the time of receipt: at or after `start_time`, and before `end_time`. Dead letters use the time of the
   * first attempt. A history with `time_by` can use the events' own times.
   */
  start_time: time,
  end_time: time,
  time_by: z.enum(timeBases).optional(),
  /** Selects only events of this source. */
  source: reference.optional(),
  /** Selects only events with this name and this type that meet the conditions. */
  event: line(500).min(1, 'Required').optional(),
  event_type: z.enum(eventTypes).optional(),
  filter: eventFilter.optional(),
  /** Selects only dead letters with exactly this reason. */
  reason: storableText(2000).optional(),
}

type Scope = z.infer<z.ZodObject<typeof scopeFields>>

const issuesOf = (scope: Scope): { path: string; message: string }[] => {
  const issues: { path: string; message: string }[] = []
  if (Date.parse(scope.start_time) >= Date.parse(scope.end_time))
    issues.push({ path: 'end_time', message: 'Must be after the start' })
  if (scope.kind === 'history' && scope.reason !== undefined)
    issues.push({ path: 'reason', message: 'Only dead letters have a reason' })
  if (scope.kind === 'dead' && scope.time_by === 'event_time')
    issues.push({ path: 'time_by', message: 'Dead letters go by their first attempt' })
  return issues
}

const check = (scope: Scope, context: z.RefinementCtx): void => {
  for (const { path, message } of issuesOf(scope)) context.addIssue({ code: 'custom', path: [path], message })
}

/** The events or dead letters of a replay. */
export const replayScope = z.object(scopeFields).superRefine(check)
export type ReplayScope = z.infer<typeof replayScope>

const place = String.raw`\d{1,9}-\d{1,15}-[0-9a-z]{0,32}`
/** The position in the event store where a preview ended. Events stored later are not included. Opaque. */
const storedBefore = z.string().regex(new RegExp(`^(${place}(,${place}){0,63})?$`), "Must match the preview's count")

const newReplay = z
  .object({
    ...scopeFields,
    events_per_second: z
      .number()
      .int('Must be a whole number')
      .min(replayLimits.minRate, `At least ${replayLimits.minRate}`)
      .max(replayLimits.maxRate, `At most ${replayLimits.maxRate}`)
      .default(replayLimits.rate),
    /** Dead letters always get the latest profile. */
    profile: z.enum(replayProfiles).default('latest'),
    /** The position of the preview, so that exactly the counted events are sent. */
    stored_before: storedBefore.optional(),
    /** The count of the preview; refused with 409 when the count has changed. */
    expected_event_count: z.number().int().min(0).optional(),
  })
  .superRefine((replay, context) => {
    check(replay, context)
    if (replay.kind === 'dead' && replay.profile === 'none')
      context.addIssue({ code: 'custom', path: ['profile'], message: 'Dead letters get the latest profile' })
  })

export const replay = z.object({
  /** `workspaces/{id}/destinations/{id}/replays/{id}`. */
  name: z.string(),
  kind: z.enum(replayKinds),
  start_time: time,
  end_time: time,
  time_by: z.enum(timeBases),
  /** Resource name and title of the only source; null for all sources. */
  source: z.object({ name: z.string(), title: z.string() }).nullable(),
  /** The name, the type, or the reason that the replay selects; '' for all. */
  event: z.string(),
  event_type: z.string(),
  filter: eventFilter,
  reason: z.string(),
  events_per_second: z.number().int(),
  profile: z.enum(replayProfiles),
  state: z.enum(replayStates),
  /** Why the replay failed; '' otherwise. */
  failure: z.string(),
  /** Number of events, counted when the replay was created, and number of events that were appended for delivery. */
  event_count: z.number().int(),
  sent_count: z.number().int(),
  /** The outcomes of the appended events, from the delivery log: delivered, filtered, dead. */
  delivered_count: z.number().int(),
  filtered_count: z.number().int(),
  failed_count: z.number().int(),
  /** The user who started the replay; null for a deleted user. */
  creator: z.object({ name: z.string(), display_name: z.string() }).nullable(),
  create_time: time,
  /** The time when the last event was sent, or the replay was canceled or failed; null before that. */
  finish_time: time.nullable(),
})
export type Replay = z.infer<typeof replay>

const ended = { code: 409, reason: 'REPLAY_ENDED', when: 'It has already sent everything or ended.' }
const changes = [errors.forbidden, errors.notFound, ended]

export const replays = {
  preview: defineMethod({
    name: 'replays.preview',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/replays:preview',
    access: workspaceEditors,
    reads: true,
    summary: 'Counts the events a replay would send, without sending any.',
    request: replayScope,
    response: z.object({
      event_count: z.number().int(),
      /**
       * Number of dead letters in the range whose events cannot be read, so they stay. They are held without an
       * attempt, or are no longer in the log. Only counted if a name, type or conditions are given.
       */
      unreadable_count: z.number().int(),
      /** The times of the first and the last event; null when there is none. */
      first_time: time.nullable(),
      last_time: time.nullable(),
      /** A few of the newest events of a history. */
      samples: z.array(eventSummary),
      /** Pass this position to `create`. */
      stored_before: z.string(),
    }),
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: 'A field is invalid, or too many events would need checking against the conditions.',
      },
      errors.forbidden,
      errors.notFound,
      errors.unavailable,
    ],
  }),
  create: defineMethod({
    name: 'replays.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/replays',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary:
      "Sends stored events or dead letters to this destination again, and to no other. Its mappings, consent, and age limit apply; deduplication and the events' integrations do not.",
    request: newReplay,
    response: replay,
    errors: [
      { code: 400, reason: 'VALIDATION', when: 'A field is invalid, or there are no events to send.' },
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'REPLAY_OPEN', when: 'Another replay of the destination is running or paused.' },
      { code: 409, reason: 'REPLAY_CHANGED', when: 'The number of events differs from the expected one.' },
      errors.unavailable,
    ],
  }),
  list: defineMethod({
    name: 'replays.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/replays',
    access: workspaceMembers,
    summary: 'Lists the replays of a destination, newest first.',
    query: pageQuery,
    response: z.object({ replays: z.array(replay), next_page_token: nextPageToken }),
    errors: [errors.notFound, errors.unavailable],
  }),
  get: defineMethod({
    name: 'replays.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/replays/{replay}',
    access: workspaceMembers,
    summary: 'Gets a replay with its progress.',
    response: replay,
    errors: [errors.notFound, errors.unavailable],
  }),
  pause: defineMethod({
    name: 'replays.pause',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/replays/{replay}:pause',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: 'Pauses a replay. Events already sent are delivered.',
    request: empty,
    response: replay,
    errors: changes,
  }),
  resume: defineMethod({
    name: 'replays.resume',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/replays/{replay}:resume',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: 'Resumes a paused replay where it stopped.',
    request: empty,
    response: replay,
    errors: changes,
  }),
  cancel: defineMethod({
    name: 'replays.cancel',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/replays/{replay}:cancel',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: 'Cancels a replay. Events already sent are delivered.',
    request: empty,
    response: replay,
    errors: changes,
  }),
}
