import { z } from 'zod'
import { workspaceAdministrators } from './api/access.ts'
import { empty, errors, line, nextPageToken, pageQuery, requestId, storableText, time } from './api/fields.ts'
import { defineMethod } from './api/method.ts'
import { delivery } from './destinations/deliveries.ts'
import { eventPayload } from './events/events.ts'
import { profile, profileAudience, profileTraitValue } from './profiles.ts'

/** Bytes of an identifier's value at most. */
const identifierBytes = 512

/** Identifiers that one request names at most. */
export const privacyLimit = 1000

/**
 * `delete` removes what is known of people, `suppress` refuses their later events a profile, `delete_and_suppress` does
 * both.
 */
export const privacyKinds = ['delete', 'suppress', 'delete_and_suppress'] as const
export type PrivacyKind = (typeof privacyKinds)[number]

/**
 * Where a person is removed from. `profiles`: with identifiers, traits and history. `events`: stored events. `deliveries`: the
 * delivery log, with its samples, and what waits or died. `logs`: what was received and what is to be sent, which go by age.
 */
export const privacyPlaces = ['profiles', 'events', 'deliveries', 'logs'] as const
export type PrivacyPlaceName = (typeof privacyPlaces)[number]

export const privacyPlace = z.object({
  place: z.enum(privacyPlaces),
  state: z.enum(['waiting', 'running', 'done']),
  /** For `logs`: when the last of it is gone by its age; null otherwise. */
  until_time: time.nullable(),
  /** Why it has to be tried again; '' when it has not. */
  last_error: z.string(),
  update_time: time,
})
export type PrivacyPlace = z.infer<typeof privacyPlace>

/** A destination that deletes users when it is told to. */
export const toldDestination = z.object({
  /** Resource name of the destination. */
  destination: z.string(),
  title: z.string(),
  /**
   * `failed`: retry it on the page of the destination, where its dead letters are. `not_told`: its settings lacked something
   * for it when the request was made; it is not told later.
   */
  state: z.enum(['waiting', 'done', 'failed', 'not_told']),
  /** Of how many users it was told, and of how many it has to be. */
  told: z.number().int(),
  total: z.number().int(),
  /** Why it failed or was not told; '' otherwise. */
  reason: z.string(),
})
export type ToldDestination = z.infer<typeof toldDestination>

export const privacyRequest = z.object({
  /** `workspaces/{id}/privacyRequests/{id}`. */
  name: z.string(),
  kind: z.enum(privacyKinds),
  state: z.enum(['running', 'finished']),
  /** How many identifiers were named, and how many profiles had one of them. Their values are not kept. */
  identifier_count: z.number().int(),
  profile_count: z.number().int(),
  /** None for `suppress`. */
  places: z.array(privacyPlace),
  /** Those that are told to delete the users, too. None for `suppress`. */
  destinations: z.array(toldDestination),
  /** Email address of who asked for it; '' for somebody who is gone. */
  creator: z.string(),
  create_time: time,
  finish_time: time.nullable(),
})
export type PrivacyRequest = z.infer<typeof privacyRequest>

/** Somebody whose events are refused a profile. Of the identifier a keyed hash is kept, and no value. */
export const suppression = z.object({
  /** `workspaces/{id}/suppressions/{hash}`. */
  name: z.string(),
  /** The kind of the identifier. */
  type: z.string(),
  create_time: time,
  /** Events that were refused since. */
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

/** Events of one page of an export at most. */
export const exportPage = 200

export const profileExports = {
  get: defineMethod({
    name: 'profileExports.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/profiles/{profile}:export',
    access: workspaceAdministrators,
    summary: `Gets everything that is stored about a user, by pages of up to ${exportPage} events, newest first: the profile, earlier values of its traits, and its audiences with the first page, and events with their payloads and deliveries.`,
    query: pageQuery,
    response: z.object({
      /** Null after the first page. */
      profile: profile.nullable(),
      /** Values that traits had before, latest first. Empty after the first page, as is what follows. */
      earlier_traits: z.array(z.object({ name: z.string(), values: z.array(profileTraitValue) })),
      audiences: z.array(profileAudience.omit({ as_of: true }).extend({ enter_time: time })),
      /** What destinations were told of the user as a member of audiences. */
      audience_deliveries: z.array(delivery),
      /** Of a request with events of several users, deliveries have no sample. */
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
