import { z } from 'zod'
import { workspaceAdministrators } from './api/access.ts'
import { empty, errors, line, nextPageToken, pageQuery, requestId, storableText, time } from './api/fields.ts'
import { defineMethod } from './api/method.ts'
import { delivery } from './destinations/deliveries.ts'
import { eventPayload } from './events/events.ts'
import { profile, profileAudience, profileTraitValue } from './profiles.ts'

/** Maximum bytes of an identifier's value. */
const identifierBytes = 512

/** Maximum identifiers of one request. */
export const privacyLimit = 1000

/**
 * `delete` removes all data of users, `suppress` keeps their later events out of profiles, `delete_and_suppress` does
 * both.
 */
export const privacyKinds = ['delete', 'suppress', 'delete_and_suppress'] as const
export type PrivacyKind = (typeof privacyKinds)[number]

/**
 * The places that a user is deleted from.
 * - `profiles`: with identifiers, traits and history.
 * - `events`: stored events.
 * - `deliveries`: the delivery log with its samples, waiting deliveries and dead letters.
 * - `logs`: received and outgoing records, which are removed by age.
 */
export const privacyPlaces = ['profiles', 'events', 'deliveries', 'logs'] as const
export type PrivacyPlaceName = (typeof privacyPlaces)[number]

export const privacyPlace = z.object({
  place: z.enum(privacyPlaces),
  state: z.enum(['waiting', 'running', 'done']),
  /** Only for `logs`: the time when the last record is removed by age; null otherwise. */
  until_time: time.nullable(),
  /** Why the deletion must be retried; '' otherwise. */
  last_error: z.string(),
  update_time: time,
})
export type PrivacyPlace = z.infer<typeof privacyPlace>

/** A destination that deletes users on request. */
export const privacyDestination = z.object({
  /** Resource name of the destination. */
  destination: z.string(),
  title: z.string(),
  /**
   * `failed`: a user can retry the dead letters on the page of the destination. `not_told`: settings were missing at
   * the time, and the request is not sent later.
   */
  state: z.enum(['waiting', 'done', 'failed', 'not_told']),
  /** The number of users whose deletion was sent, and the number of all users of the request. */
  told: z.number().int(),
  total: z.number().int(),
  /** Why the request failed or was not sent; '' otherwise. */
  reason: z.string(),
})
export type PrivacyDestination = z.infer<typeof privacyDestination>

export const privacyRequest = z.object({
  /** `workspaces/{id}/privacyRequests/{id}`. */
  name: z.string(),
  kind: z.enum(privacyKinds),
  state: z.enum(['running', 'finished']),
  /** The number of identifiers, and of profiles with one of the identifiers. The values are not stored. */
  identifier_count: z.number().int(),
  profile_count: z.number().int(),
  /** Empty for `suppress`. */
  places: z.array(privacyPlace),
  /**
   * The rewrite of the database files, which follows the deletion from all places except the logs. Null for `suppress`,
   * and without the embedded database. Servers of an earlier version do not send it. `start_time` is the earliest
   * start, for a request that waits to share the rewrite with other requests.
   */
  files: z
    .object({
      state: z.enum(['waiting', 'removing', 'done']),
      start_time: time.nullable().default(null),
      finish_time: time.nullable(),
      last_error: z.string(),
    })
    .nullable()
    .default(null),
  /** The destinations that must delete the users, too. Empty for `suppress`. */
  destinations: z.array(privacyDestination),
  /** Email address of the requesting user; '' for a deleted user. */
  creator: z.string(),
  create_time: time,
  finish_time: time.nullable(),
})
export type PrivacyRequest = z.infer<typeof privacyRequest>

/** A user whose events get no profile. A keyed hash of the identifier is stored, not its value. */
export const suppression = z.object({
  /** `workspaces/{id}/suppressions/{hash}`. */
  name: z.string(),
  /** The kind of the identifier. */
  type: z.string(),
  create_time: time,
  /** Number of events that got no profile since then. */
  refused_events: z.number().int(),
})
export type Suppression = z.infer<typeof suppression>

const identifier = z.object({
  type: line(50).min(1, 'Required'),
  value: storableText(identifierBytes).min(1, 'Required'),
})

export const privacyRequests = {
  create: defineMethod({
    name: 'privacyRequests.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/privacyRequests',
    access: workspaceAdministrators,
    summary:
      'Deletes or suppresses users, or both, by any of their identifiers. What is deleted is no longer shown when the call answers, and is then removed from each place.',
    request: z.object({
      kind: z.enum(privacyKinds),
      identifiers: z
        .array(identifier)
        .min(1, 'Enter at least one identifier')
        .max(privacyLimit, `At most ${privacyLimit} identifiers`),
      request_id: requestId,
    }),
    bodyLimit: 2 * 1024 * 1024,
    response: privacyRequest,
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.unavailable],
  }),
  list: defineMethod({
    name: 'privacyRequests.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/privacyRequests',
    access: workspaceAdministrators,
    summary: 'Lists the privacy requests of a workspace, newest first.',
    query: pageQuery,
    response: z.object({ privacy_requests: z.array(privacyRequest), next_page_token: nextPageToken }),
    errors: [errors.forbidden, errors.notFound],
  }),
  get: defineMethod({
    name: 'privacyRequests.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/privacyRequests/{privacy_request}',
    access: workspaceAdministrators,
    summary: 'Gets a privacy request with how far each place is.',
    response: privacyRequest,
    errors: [errors.forbidden, errors.notFound],
  }),
}

/** Maximum events of one page of an export. */
export const exportPage = 200

export const profileExports = {
  get: defineMethod({
    name: 'profileExports.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/profiles/{profile}:export',
    access: workspaceAdministrators,
    summary: `Gets everything that is stored about a user, by pages of up to ${exportPage} events, newest first: the profile, earlier values of its traits, its audiences, and its consent with the first page, and events with their payloads and deliveries.`,
    query: pageQuery,
    response: z.object({
      /** The profile; null after the first page. */
      profile: profile.nullable(),
      /** Earlier values of traits, latest first. This list and the lists below are empty after the first page. */
      earlier_traits: z.array(z.object({ name: z.string(), values: z.array(profileTraitValue) })),
      audiences: z.array(profileAudience.omit({ as_of: true }).extend({ enter_time: time })),
      /** The categories of the latest consent preferences of each identifier. Every other category has no consent. */
      consents: z.array(z.object({ identifier, granted_categories: z.array(z.string()), time })),
      /** The entries and exits of the user that destinations received. */
      audience_deliveries: z.array(delivery),
      /**
       * Events of the user. If a delivery request has events of several users, the delivery has no sample of the
       * request.
       */
      events: z.array(eventPayload.extend({ receive_time: time, deliveries: z.array(delivery) })),
      next_page_token: nextPageToken,
    }),
    errors: [errors.forbidden, errors.notFound, errors.unavailable],
  }),
}

export const suppressions = {
  list: defineMethod({
    name: 'suppressions.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/suppressions',
    access: workspaceAdministrators,
    summary: 'Lists the suppressed identifiers of a workspace, newest first; with a search that of exactly this value.',
    query: pageQuery.extend({ search: storableText(identifierBytes).optional() }),
    response: z.object({ suppressions: z.array(suppression), next_page_token: nextPageToken }),
    errors: [errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'suppressions.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/suppressions/{suppression}',
    access: workspaceAdministrators,
    summary: 'Lifts a suppression: later events with the identifier have a profile again.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
