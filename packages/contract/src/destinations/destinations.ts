import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, line, maskQuery, nextPageToken, pageQuery, reference, requestId, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { newSettingValue, setting, settingsInput } from '../rules/settings.ts'
import { destinationTitle } from '../rules/value-rules.ts'
import { grantMethods, oauthGrant } from './oauth-grants.ts'

const secretsUnreadable = {
  code: 409,
  reason: 'SECRETS_UNREADABLE',
  when: 'Its secrets were encrypted with another secret key.',
}

/** The app of one destination, with its settings. */
export const destinationApp = z.object({
  /** Resource name of the instance: `workspaces/{id}/destinations/{id}/app`. Users can change its settings. */
  name: z.string(),
  /** The catalog entry it was created from: `catalogDestinations/{slug}`. */
  catalog_app: z.string(),
  title: z.string(),
  display_name: z.string(),
  docs_url: z.string(),
  instance_count: z.number().int(),
  extra: z.object({ app_icon: z.string() }),
  settings: z.array(setting),
  /**
   * For a platform with lists of people: the setting of the list for events, the platform's word for a list, and the
   * maximum characters of its title. Null for others. Servers of an earlier version do not send it.
   */
  people_lists: z
    .object({ setting: z.string(), title: z.string(), max_title: z.number().int() })
    .nullable()
    .default(null),
  /** Some of `destinationAbilities`. Servers of an earlier version do not send it. */
  abilities: z.array(z.string()).default([]),
})
export type DestinationApp = z.infer<typeof destinationApp>

/** A field of the records of an object. */
const objectField = z.object({
  name: z.string(),
  label: z.string(),
  /** The type as the destination names it; '' if it has no name. */
  type: z.string(),
  required: z.boolean(),
  /** Whether the field can identify a record. */
  unique: z.boolean(),
  /** The accepted values, at most 100; empty for any. */
  options: z.array(z.object({ value: z.string(), label: z.string() })),
})
export type ObjectField = z.infer<typeof objectField>

/** `needs_setup`: required settings are missing, and events for the destination are held until a user enters them. */
export const destinationStates = ['needs_setup', 'ready'] as const

export const destination = z.object({
  /** `workspaces/{id}/destinations/{id}`. */
  name: z.string(),
  title: z.string(),
  app: destinationApp,
  /** Whether the settings are complete. `enabled` and `grant` show other reasons why events are held. */
  state: z.enum(destinationStates),
  /** Names of missing settings, in the order of `app.settings`; empty when all are set. */
  missing_settings: z.array(z.string()),
  enabled: z.boolean(),
  /** Consent categories that an event's user must have agreed to; empty requires none. */
  consent_categories: z.array(z.string()),
  /** The OAuth 2 grant; null for a destination that needs none. */
  grant: oauthGrant.nullable(),
  create_time: time,
  update_time: time,
})
export type Destination = z.infer<typeof destination>

export const destinations = {
  list: defineMethod({
    name: 'destinations.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations',
    access: workspaceMembers,
    summary: 'Lists the destinations of a workspace, newest first.',
    query: pageQuery,
    response: z.object({ destinations: z.array(destination), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'destinations.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}',
    access: workspaceMembers,
    summary: 'Gets a destination.',
    response: destination,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'destinations.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations',
    access: workspaceEditors,
    places: 'abroad',
    followedBy: ['pipeline', 'delivery'],
    summary:
      'Creates a destination from a catalog entry (`app.name` is `catalogDestinations/{slug}`). Without all required settings its state is `needs_setup`, and its events are held until `:updateSetting` provides them.',
    request: z.object({
      title: destinationTitle,
      app: z.object({ name: reference }),
      settings: settingsInput.default({}),
      request_id: requestId,
    }),
    response: destination,
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: 'A field is invalid; metadata names it, a setting as `settings.{name}`.',
      },
      errors.forbidden,
      errors.notFound,
    ],
  }),
  update: defineMethod({
    name: 'destinations.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/destinations/{destination}',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: 'Updates title, enabled, or consent. Events for a disabled destination are held until it is enabled.',
    query: maskQuery,
    request: z.object({
      title: destinationTitle.optional(),
      enabled: z.boolean().optional(),
      consent_categories: z.array(line(100).min(1, 'Required')).max(50, 'At most 50 categories').optional(),
    }),
    response: destination,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'destinations.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/destinations/{destination}',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    summary: 'Deletes a destination and its connections. No more events are delivered to it.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  getApp: defineMethod({
    name: 'destinations.getApp',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/app',
    access: workspaceMembers,
    summary: "Gets a destination's app with its settings. Secret values are never returned.",
    response: destinationApp,
    errors: [errors.notFound],
  }),
  updateSetting: defineMethod({
    name: 'destinations.updateSetting',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}/app:updateSetting',
    access: workspaceEditors,
    places: 'abroad',
    followedBy: ['pipeline', 'delivery'],
    summary:
      "Updates one setting; null resets it to its default. To change where secrets are sent (the secret's `sent_to`), pass the secrets again in `secrets`.",
    request: z.object({
      name: line(100).min(1, 'Required'),
      value: newSettingValue,
      /** Secrets by name, entered again; null removes one. */
      secrets: settingsInput.default({}),
    }),
    alsoKnown: Object.keys(setting.shape),
    response: destinationApp,
    errors: [
      {
        code: 400,
        reason: 'VALIDATION',
        when: 'The setting is unknown or its value is invalid; see metadata.value. A secret that must be entered again is named `secrets.{name}`.',
      },
      errors.forbidden,
      errors.notFound,
    ],
  }),
  testConnection: defineMethod({
    name: 'destinations.testConnection',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}:testConnection',
    access: workspaceEditors,
    places: 'abroad',
    summary: "Tests a destination's address and credentials without sending an event.",
    request: z.object({}),
    response: z.object({ ok: z.boolean(), message: z.string(), latency_ms: z.number().int() }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, secretsUnreadable, errors.tooMany],
  }),
  getObject: defineMethod({
    name: 'destinations.getObject',
    verb: 'GET',
    path: '/workspaces/{workspace}/destinations/{destination}/object',
    access: workspaceEditors,
    places: 'abroad',
    summary:
      'Asks the destination about an object that syncs write rows to: its fields, and facts such as its size. `object` is one of the row objects of its app. `message` names the cause of a failure.',
    query: z.object({ object: line(300).min(1, 'Required'), object_name: line(300).optional() }),
    response: z.object({
      /** The fields of the object; empty if the destination cannot list them. */
      fields: z.array(objectField),
      facts: z.array(z.object({ title: z.string(), value: z.string() })),
      /** Why the call failed; '' otherwise. */
      message: z.string(),
    }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, secretsUnreadable, errors.tooMany],
  }),
  connect: defineMethod({
    name: 'destinations.connect',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}:connect',
    access: workspaceEditors,
    ...grantMethods.connect,
  }),
  completeConnect: defineMethod({
    name: 'destinations.completeConnect',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}:completeConnect',
    access: workspaceEditors,
    places: 'abroad',
    followedBy: ['pipeline', 'delivery'],
    ...grantMethods.completeConnect,
    response: destination,
  }),
  disconnect: defineMethod({
    name: 'destinations.disconnect',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}:disconnect',
    access: workspaceEditors,
    followedBy: ['pipeline', 'delivery'],
    ...grantMethods.disconnect,
    response: destination,
  }),
  retry: defineMethod({
    name: 'destinations.retry',
    verb: 'POST',
    path: '/workspaces/{workspace}/destinations/{destination}:retry',
    access: workspaceEditors,
    summary:
      'Retries waiting deliveries or dead letters now, by state, failure group, or parked delivery; all of them by default.',
    request: z.object({
      state: z.enum(['waiting', 'dead']).optional(),
      failure_group: reference.optional(),
      parked_delivery: reference.optional(),
    }),
    /** Number of events that are now due for a retry. */
    response: z.object({ event_count: z.number().int() }),
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
