import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from './api/access.ts'
import { errors, line, nextPageToken, pageQuery, storableText, time } from './api/fields.ts'
import { defineMethod } from './api/method.ts'
import { eventSummary, timeBases } from './events/events.ts'

/** Maximum bytes of an identifier's value. */
const identifierBytes = 512

/** An identifier in an event. */
export const profileIdentifier = z.object({
  /** `user_id`, `anonymous_id`, a kind of external ID, or `previous_id`: an ID that an alias call replaced. */
  type: z.string(),
  value: z.string(),
  /** The time of the first event with the identifier. */
  create_time: time,
})
export type ProfileIdentifier = z.infer<typeof profileIdentifier>

/** A trait of a profile, from the latest event with that trait. */
export const profileTrait = z.object({
  name: z.string(),
  /** The value as JSON text; null if it was too large to be stored. */
  value: z.string().nullable(),
  /** The event's time, or its receipt if that is earlier; for a computed trait, the time of the last change. */
  time,
  /** Resource name of the source that sent the trait, or of the computed trait. */
  source: z.string(),
  /** Resource name of the event with the trait; '' for a computed trait. */
  event: z.string(),
  /** Whether the trait had an earlier value, or has one under another identifier. */
  changed: z.boolean(),
})
export type ProfileTrait = z.infer<typeof profileTrait>

/** A present or earlier value of a trait. */
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
   * `merged`: the identifier that joined the two profiles. `refused`: the identifier that was not linked. `split`: the
   * identifiers that left, or that this profile was created from.
   */
  identifiers: z.array(plainIdentifier),
  /** The identifiers in the same event, for `merged` and `refused`. */
  by: plainIdentifier.nullable(),
  /** Whether an alias call caused the entry. */
  alias: z.boolean(),
  /** Why the identifier was refused: `limit` or `split`; '' otherwise. */
  reason: z.string(),
  /** The other profile of `merged` and `split`; '' otherwise. */
  profile: z.string(),
  /** The event that caused the entry; '' for a split. */
  event: z.string(),
})
export type ProfileHistoryEntry = z.infer<typeof profileHistoryEntry>

/** A row of the list of profiles. */
export const profileSummary = z.object({
  /** `workspaces/{id}/profiles/{id}`. */
  name: z.string(),
  /** The title in a list: the trait name, or email, or the first identifier. */
  title: z.string(),
  /** The trait `email`, or ''. */
  email: z.string(),
  /** The first identifiers, at most ten. */
  identifiers: z.array(profileIdentifier),
  identifier_count: z.number().int(),
  /** The time of the profile's first event. */
  create_time: time,
})
export type ProfileSummary = z.infer<typeof profileSummary>

/** A profile with all its details. */
export const profile = profileSummary.extend({
  traits: z.array(profileTrait),
  /** True if the profile had more traits, or more names of traits, than are stored. */
  traits_left_out: z.boolean(),
  /** History of the profile, newest first, at most 200 entries. */
  history: z.array(profileHistoryEntry),
  /** True for guests, who do not see values. */
  masked: z.boolean(),
})
export type Profile = z.infer<typeof profile>

/** An event of a profile, and the last outcome at each destination. */
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

/**
 * Why an event has no profile: it has no ID, or its ID is blocked, too long, not text, or an ID of a suppressed user.
 */
export const noProfileReasons = ['missing', 'blocked', 'too_long', 'not_text', 'suppressed'] as const
export type NoProfileReason = (typeof noProfileReasons)[number]

/** Number of days of events that are searched for events without a profile. */
export const profileCoverageDays = 30

/** An audience, and the time since which a profile is a member. */
export const profileAudience = z.object({
  name: z.string(),
  title: z.string(),
  /** The time of its last computation; null for never. */
  as_of: time.nullable(),
  /** The time since which the profile is a member; null if it was not a member as of `as_of`. */
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
      /** Start of the counted period: accepted events since then, test events included. */
      start_time: time,
      event_count: z.number().int(),
      /** Number of these events without a profile, by reason. An event without a profile counts once. */
      without_profile: z.array(z.object({ reason: z.enum(noProfileReasons), event_count: z.number().int() })),
      /**
       * Progress of reading stored events into profiles: events that were read, and all events. Null when all were
       * read.
       */
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
    query: pageQuery.extend({ time_by: z.enum(timeBases).optional() }),
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
