import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, line, nextPageToken, pageQuery, reference, storableText, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { eventSummary } from '../events/events.ts'
import { eventTypes } from '../events/tracking.ts'
import { eventFilter } from '../rules/conditions.ts'

/**
 * What is sent to a destination again: `history` are accepted events of the event store, also of sources that are not
 * connected with it; `dead` are its dead letters. (Events that a schema has blocked are another matter:
 * `violations.replayBlocked` lets those pass for the first time, to every destination.)
 */
export const replayKinds = ['history', 'dead'] as const
export type ReplayKind = (typeof replayKinds)[number]

/** Running ones send; paused ones go on when they are told to; the others are over. */
export const replayStates = ['running', 'paused', 'cancelled', 'done', 'failed'] as const
export type ReplayState = (typeof replayStates)[number]

export const replayLimits = {
  /** Events that go to the deliveries in a second: at least, unless given, and at most. */
  minRate: 1,
  rate: 500,
  maxRate: 5000,
  /** Events of a history that conditions are asked of at most: more are not counted but refused. */
  conditionEvents: 500_000,
  /** Events that a preview shows. */
  samples: 5,
} as const

const scopeFields = {
  kind: z.enum(replayKinds),
  /** Received at or after, and before; of dead letters, first tried. */
  start_time: time,
  end_time: time,
  /** Only what came from this source. */
  source: reference.optional(),
  /** Only events of this name, of this type, and that meet the conditions. */
  event: line(500).min(1, 'Required').optional(),
  event_type: z.enum(eventTypes).optional(),
  filter: eventFilter.optional(),
  /** Of dead letters: only those that were given up for exactly this reason. */
  reason: storableText(2000).optional(),
}

type Scope = z.infer<z.ZodObject<typeof scopeFields>>

const issuesOf = (scope: Scope): { path: string; message: string }[] => {
  const issues: { path: string; message: string }[] = []
  if (Date.parse(scope.start_time) >= Date.parse(scope.end_time))
    issues.push({ path: 'end_time', message: 'Must be after the start' })
  if (scope.kind === 'history' && scope.reason !== undefined)
    issues.push({ path: 'reason', message: 'Only dead letters have a reason' })
  return issues
}

const check = (scope: Scope, context: z.RefinementCtx): void => {
  for (const { path, message } of issuesOf(scope)) context.addIssue({ code: 'custom', path: [path], message })
}

/** Which events or dead letters a replay is about. */
export const replayScope = z.object(scopeFields).superRefine(check)
export type ReplayScope = z.infer<typeof replayScope>

const place = String.raw`\d{1,9}-\d{1,15}-[0-9a-z]{0,32}`
/** Where in the stored events a preview ended: events stored later are no part of it. Opaque. */
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
    /** As the preview has told, so that exactly what it counted is sent. */
    stored_before: storedBefore.optional(),
    /** As the preview has told: refused with 409 when it is another number by now. */
    expected_event_count: z.number().int().min(0).optional(),
  })
  .superRefine(check)

export const replay = z.object({
  /** `workspaces/{id}/destinations/{id}/replays/{id}`. */
  name: z.string(),
  kind: z.enum(replayKinds),
  start_time: time,
  end_time: time,
  /** Resource name and title of the one source; null for all. */
  source: z.object({ name: z.string(), title: z.string() }).nullable(),
  /** '' for every name, type or reason. */
  event: z.string(),
  event_type: z.string(),
  filter: eventFilter,
  reason: z.string(),
  events_per_second: z.number().int(),
  state: z.enum(replayStates),
  /** Why it failed; '' otherwise. */
  failure: z.string(),
  /** Events that it is about, counted when it was made, and how many of them have gone to the deliveries. */
  event_count: z.number().int(),
  sent_count: z.number().int(),
  /** Of those, by the delivery log: taken by the destination; left out, for reasons that stand there; given up. */
  delivered_count: z.number().int(),
  filtered_count: z.number().int(),
  failed_count: z.number().int(),
  /** Who started it; null for a deleted user. */
  creator: z.object({ name: z.string(), display_name: z.string() }).nullable(),
  create_time: time,
  /** When it was done, cancelled or failed. */
  finish_time: time.nullable(),
})
export type Replay = z.infer<typeof replay>

const ended = { code: 409, reason: 'REPLAY_ENDED', when: 'It has already ended.' }
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
       * Of dead letters that are chosen by name, type or conditions: how many of that time, source and reason nobody can
       * look at, and so stay where they are. Those are held without a try, or no longer in the log.
       */
      unreadable_count: z.number().int(),
      /** Of the first and last of them; null when there is none. */
      first_time: time.nullable(),
      last_time: time.nullable(),
      /** A few of the newest events of a history. */
      samples: z.array(eventSummary),
      /** To be handed to `create`. */
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
