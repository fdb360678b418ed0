import { roles } from '@tributary/kernel/browser'
import { z } from 'zod'
import { organizationAdministrators } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, reference, time, title } from '../api/fields.ts'
import { keyAreaNames } from '../api/key-areas.ts'
import { defineMethod } from '../api/method.ts'
import { roleInput } from './memberships.ts'

/** Maximum number of valid keys of an organization at a time. */
export const maxApiKeys = 50

/** Number of hours that the previous secret stays valid after a rotation: the default and the maximum. */
export const rotationOverlapHours = { default: 24, max: 168 } as const

/** Maximum number of write keys that are listed with the API key that created them, newest first. */
export const maxListedWriteKeys = 100

/** A write key that an API key created, in the list of that API key. */
const createdWriteKey = z.object({
  /** `workspaces/{id}/writekeys/{id}`. */
  name: z.string(),
  title: z.string(),
  source: z.object({ name: z.string(), title: z.string() }),
})
export type CreatedWriteKey = z.infer<typeof createdWriteKey>

/** A key with which programs call the API. */
export const apiKey = z.object({
  /** `organizations/{id}/apiKeys/{id}`. */
  name: z.string(),
  title: z.string(),
  role: z.enum(roles),
  /** The parts of the API that the key can call. */
  areas: z.array(z.enum(keyAreaNames)),
  /** The only workspace that the key can access; null for a key of the whole organization. */
  workspace: z.object({ name: z.string(), title: z.string() }).nullable(),
  /** The last characters of the key, by which people recognize it. */
  hint: z.string(),
  create_time: time,
  /** Name or email of the user who created the key, or title of the key that created it. */
  creator: z.string(),
  /** The time from which the key is refused; null for never. */
  expire_time: time.nullable(),
  expired: z.boolean(),
  /** The time of the last call with the key, rounded to a minute; null while the key is unused. */
  last_used_time: time.nullable(),
  /** The time until which the secret before the last rotation is accepted; null when it is not accepted. */
  previous_expire_time: time.nullable(),
  /** Active write keys that the key created. They stay active when the key is revoked. */
  writekeys: z.array(createdWriteKey),
})
export type ApiKey = z.infer<typeof apiKey>

/** A key at the moment when its secret was made. Only a hash of the secret is stored. */
const newApiKey = apiKey.extend({ key: z.string() })
export type NewApiKey = z.infer<typeof newApiKey>

/** The settings of a new key; `expire_time` must be in the future. */
export const newApiKeyFields = z.object({
  title,
  role: roleInput,
  areas: z
    .array(z.enum(keyAreaNames))
    .min(1, 'Select at least one area')
    .transform((areas) => [...new Set(areas)]),
  /** `workspaces/{id}` for a key of one workspace. */
  workspace: reference.nullable().default(null),
  expire_time: time.nullable().default(null),
})

export const apiKeys = {
  list: defineMethod({
    name: 'apiKeys.list',
    verb: 'GET',
    path: '/organizations/{organization}/apiKeys',
    access: organizationAdministrators,
    summary: 'Lists the API keys of the organization and its workspaces, newest first, expired ones included.',
    query: pageQuery,
    response: z.object({ api_keys: z.array(apiKey), next_page_token: nextPageToken }),
    errors: [errors.forbidden, errors.notFound],
  }),
  create: defineMethod({
    name: 'apiKeys.create',
    verb: 'POST',
    path: '/organizations/{organization}/apiKeys',
    access: organizationAdministrators,
    summary: 'Creates an API key with a role, areas, and an optional workspace and end. The key is shown once.',
    request: newApiKeyFields,
    response: newApiKey,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  rotate: defineMethod({
    name: 'apiKeys.rotate',
    verb: 'POST',
    path: '/organizations/{organization}/apiKeys/{api_key}:rotate',
    access: organizationAdministrators,
    summary: `Gives a key a new secret. The one before is accepted for \`overlap_hours\` more, ${rotationOverlapHours.default} unless the call says otherwise; 0 ends it immediately.`,
    request: z.object({
      overlap_hours: z
        .number()
        .int('Must be a whole number')
        .min(0, 'Must not be negative')
        .max(rotationOverlapHours.max, `At most ${rotationOverlapHours.max} hours`)
        .default(rotationOverlapHours.default),
    }),
    response: newApiKey,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'apiKeys.delete',
    verb: 'DELETE',
    path: '/organizations/{organization}/apiKeys/{api_key}',
    access: organizationAdministrators,
    summary:
      'Revokes a key with all its secrets. It is refused within two seconds. Lists the active write keys that it has made, which stay.',
    response: z.object({ writekeys: z.array(createdWriteKey) }),
    errors: [errors.forbidden, errors.notFound],
  }),
}
