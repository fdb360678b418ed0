import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from './api/access.ts'
import { errors, line, nextPageToken, pageQuery, storableText, time } from './api/fields.ts'
import { defineMethod } from './api/method.ts'
import { eventSummary } from './events/events.ts'

/** Bytes of an identifier's value at most. */
const identifierBytes = 512

/** What an event named somebody by. */
export const profileIdentifier = z.object({
  /** `user_id`, `anonymous_id`, a kind of external id, or `previous_id`: an id that an alias call gave up. */
  type: z.string(),
  value: z.string(),
  /** When it was seen first. */
  create_time: time,
})
export type ProfileIdentifier = z.infer<typeof profileIdentifier>

/** What events said of a person, by the latest of them. */
export const profileTrait = z.object({
  name: z.string(),
  /** JSON text; null when it was too large to be kept. */
  value: z.string().nullable(),
  /** The lesser of the event's time and its receipt; of a computed trait when its value changed. */
  time,
  /** Resource name of the source that it comes from, or of the computed trait that it is a value of. */
  source: z.string(),
  /** Resource name of the event that it comes from; '' of a computed trait. */
  event: z.string(),
  /** Whether there was another value before, or another identifier has one. */
  changed: z.boolean(),
})
export type ProfileTrait = z.infer<typeof profileTrait>

/** A value that a trait has or had. */
export const profileTraitValue = profileTrait.omit({ name: true, changed: true })
export type ProfileTraitValue = z.infer<typeof profileTraitValue>

export const profileChanges = ['created', 'merged', 'split', 'refused'] as const
export type ProfileChange = (typeof profileChanges)[number]

const plainIdentifier = profileIdentifier.pick({ type: true, value: true })

/** An entry of the history of a profile. */
export const profileHistoryEntry = z.object({
  change: z.enum(profileChanges),
  time,
  /**
   * `merged`: what joined the two profiles. `refused`: what was not linked. `split`: what was taken away, or what this
   * profile was made of.
   */
  identifiers: z.array(plainIdentifier),
  /** With what it came, for `merged` and `refused`. */
  by: plainIdentifier.nullable(),
  /** Whether an alias call asked for it. */
  alias: z.boolean(),
  /** Why it was refused: `limit` or `split`; '' otherwise. */
  reason: z.string(),
  /** The other profile of `merged` and `split`; '' otherwise. */
  profile: z.string(),
  /** The event that it comes from; '' for a split. */
  event: z.string(),
})
export type ProfileHistoryEntry = z.infer<typeof profileHistoryEntry>

/** A row of the list of profiles. */
export const profileSummary = z.object({
  /** `workspaces/{id}/profiles/{id}`. */
  name: z.string(),
  /** What a list shows: the trait name, or email, or the first identifier. */
  title: z.string(),
  /** The trait `email`, or ''. */
  email: z.string(),
  /** The first of them, at most ten. */
  identifiers: z.array(profileIdentifier),
  identifier_count: z.number().int(),
  /** When it was seen first. */
  create_time: time,
})
export type ProfileSummary = z.infer<typeof profileSummary>

/** A profile with everything known of it. */
export const profile = profileSummary.extend({
  traits: z.array(profileTrait),
  /** True when there were more traits, or names of them, than are kept. */
  traits_left_out: z.boolean(),
  /** Newest first, at most 200. */
  history: z.array(profileHistoryEntry),
  /** True for guests: values are hidden. */
  masked: z.boolean(),
})
export type Profile = z.infer<typeof profile>

/** An event of a profile, and what became of it at each destination by the last attempt. */
export const profileEvent = eventSummary.extend({
  outcomes: z.array(
    z.object({
      /** Resource name. */
      destination: z.string(),
      /** One of `deliveryStatuses`. */
      status: z.string(),
      time,
      /** The number of the last attempt. */
      attempt: z.number().int(),
    }),
  ),
})
export type ProfileEvent = z.infer<typeof profileEvent>

/** Why an event has no profile: it has no ID, or one that is of no user, too long, no text, or of a suppressed user. */
export const noProfileReasons = ['missing', 'blocked', 'too_long', 'not_text', 'suppressed'] as const
export type NoProfileReason = (typeof noProfileReasons)[number]

/** Days of events that are looked at for those that have no profile. */
export const profileCoverageDays = 30

/** An audience, and whether a profile is in it. */
export const profileAudience = z.object({
  name: z.string(),
  title: z.string(),
  /** When it was computed last; null for never. */
  as_of: time.nullable(),
  /** Since when the profile is in it; null when it was not in as of then. */
  enter_time: time.nullable(),
})
export type ProfileAudience = z.infer<typeof profileAudience>

export const profiles = {
  getCoverage: defineMethod({
    name: 'profiles.getCoverage',
    verb: 'GET',
    path: '/workspaces/{workspace}/profileCoverage',
    access: workspaceMembers,
    summary: `Counts the accepted events of the last ${profileCoverageDays} days that have no profile, by reason, and tells how many of the events stored before profiles were there are read.`,
    response: z.object({
      /** Accepted events since, test events included. */
      start_time: time,
      event_count: z.number().int(),
      /** Those of them that belong to nobody; an event belongs to one profile at most. */
      without_profile: z.array(z.object({ reason: z.enum(noProfileReasons), event_count: z.number().int() })),
      /** Stored events that are being read, and those of them that were; null when nothing is left to be read. */
      reading: z.object({ read_count: z.number().int(), event_count: z.number().int() }).nullable(),
    }),
    errors: [errors.notFound, errors.unavailable],
  }),
  list: defineMethod({
    name: 'profiles.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/profiles',
    access: workspaceMembers,
    summary:
      'Lists the profiles of a workspace, those seen first last; with a search those that have exactly this identifier or trait.',
    query: pageQuery.extend({ search: line(identifierBytes).optional() }),
    response: z.object({ profiles: z.array(profileSummary), next_page_token: nextPageToken }),
    errors: [errors.notFound, errors.unavailable],
  }),
  get: defineMethod({
    name: 'profiles.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/profiles/{profile}',
    access: workspaceMembers,
    summary:
      'Gets a profile with its traits, identifiers, and history. A profile that was merged is answered by the one it is part of.',
    response: profile,
    errors: [errors.notFound, errors.unavailable],
  }),
  getTraitHistory: defineMethod({
    name: 'profiles.getTraitHistory',
    verb: 'GET',
    path: '/workspaces/{workspace}/profiles/{profile}/traitHistory',
    access: workspaceMembers,
    summary: 'Gets the values of a trait of a profile, the latest first: the current one, and up to ten earlier ones.',
    query: z.object({ trait: line(200).min(1, 'Required') }),
    response: z.object({ values: z.array(profileTraitValue) }),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
  listEvents: defineMethod({
    name: 'profiles.listEvents',
    verb: 'GET',
    path: '/workspaces/{workspace}/profiles/{profile}/events',
    access: workspaceMembers,
    summary: 'Lists the accepted events of a profile with their outcomes at each destination, newest first.',
    query: pageQuery,
    response: z.object({ events: z.array(profileEvent), next_page_token: nextPageToken }),
    errors: [errors.notFound, errors.unavailable],
  }),
  listAudiences: defineMethod({
    name: 'profiles.listAudiences',
    verb: 'GET',
    path: '/workspaces/{workspace}/profiles/{profile}/audiences',
    access: workspaceMembers,
    summary: 'Lists the audiences of a workspace with since when a profile is in them, those that it is in first.',
    query: pageQuery,
    response: z.object({ audiences: z.array(profileAudience), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  split: defineMethod({
    name: 'profiles.split',
    verb: 'POST',
    path: '/workspaces/{workspace}/profiles/{profile}:split',
    access: workspaceEditors,
    summary:
      'Takes identifiers of a profile apart from its others. They become a profile of their own, and are never joined with the others again.',
    request: z.object({
      identifiers: z
        .array(z.object({ type: line(50).min(1, 'Required'), value: storableText(identifierBytes).min(1, 'Required') }))
        .min(1, 'Choose at least one identifier')
        .max(100, 'At most 100 identifiers'),
    }),
    response: profile,
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
}
