import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from './api/access.ts'
import { errors, line, maskQuery, storableText, time } from './api/fields.ts'
import { defineMethod } from './api/method.ts'

/** A kind of external IDs, as events name it. */
export const externalIdKind = /^[a-z0-9][a-z0-9_.-]{0,49}$/

const limit = z.number('Enter a number').int('Enter a whole number').min(1, 'At least 1').max(50, 'At most 50')

/** The identity rules of a workspace. A change affects only later events. */
export const identityRules = z.object({
  /** Maximum identifiers of each kind on a profile. A profile always has at most one user ID. */
  anonymous_id_limit: limit,
  email_limit: limit,
  phone_limit: limit,
  external_id_limit: limit,
  /** Kinds of external IDs of which a profile has at most one. */
  single_kinds: z
    .array(line(50).regex(externalIdKind, 'Use lowercase letters, digits, _, -, and .'))
    .max(20, 'At most 20 kinds'),
  /** Values that identify no user, in addition to the built-in values; compared in any letter case. */
  blocked_values: z.array(storableText(200).trim().min(1, 'Required')).max(200, 'At most 200 values'),
  /** Whether traits `email` and `phone` are identifiers. */
  link_email: z.boolean(),
  link_phone: z.boolean(),
})

export type IdentityRules = z.infer<typeof identityRules>

/** The identity rules of a workspace that has not changed them. */
export const defaultIdentityRules: IdentityRules = {
  anonymous_id_limit: 20,
  email_limit: 5,
  phone_limit: 5,
  external_id_limit: 5,
  single_kinds: [],
  blocked_values: [],
  link_email: false,
  link_phone: false,
}

const settings = identityRules.extend({
  /** `workspaces/{id}/identitySettings`. */
  name: z.string(),
  /** The time of the last change; null while the rules are the defaults. */
  update_time: time.nullable(),
})
export type IdentitySettings = z.infer<typeof settings>

export const identitySettings = {
  get: defineMethod({
    name: 'identitySettings.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/identitySettings',
    access: workspaceMembers,
    summary: 'Gets the rules by which identifiers of a workspace are linked to profiles.',
    response: settings,
    errors: [errors.notFound],
  }),
  update: defineMethod({
    name: 'identitySettings.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/identitySettings',
    access: workspaceEditors,
    followedBy: ['profiles'],
    summary: 'Updates the rules by which identifiers are linked to profiles. Existing profiles stay as they are.',
    query: maskQuery,
    request: identityRules.partial(),
    response: settings,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
