import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from './api/access.ts'
import { empty, errors, line, maskQuery, nextPageToken, pageQuery, time, title } from './api/fields.ts'
import { defineMethod } from './api/method.ts'

/** Maximum keys of a workspace at a time. */
export const maxProfileKeys = 20

/**
 * A `secret` key is for servers and reads everything. A `public` key is for browsers and reads chosen traits of an
 * anonymous ID.
 */
export const profileKeyKinds = ['secret', 'public'] as const
export type ProfileKeyKind = (typeof profileKeyKinds)[number]

/** Names of traits that a public key reads. */
const traitNames = z.array(line(200).min(1, 'Required')).max(50, 'At most 50 traits')
export const publicTraits = traitNames.min(1, 'Enter at least one trait')

/** The settings of a new key. */
const newKey = z
  .object({ kind: z.enum(profileKeyKinds), title, traits: traitNames.default([]) })
  .refine(({ kind, traits }) => kind === 'secret' || traits.length > 0, {
    path: ['traits'],
    message: 'Enter at least one trait',
  })

export const profileKey = z.object({
  /** `workspaces/{id}/profileKeys/{id}`. */
  name: z.string(),
  title: z.string(),
  kind: z.enum(profileKeyKinds),
  /** The traits that a public key reads; empty for a secret key, which reads all. */
  traits: z.array(z.string()),
  /** The last characters of the key, by which people recognize it. */
  hint: z.string(),
  create_time: time,
})
export type ProfileKey = z.infer<typeof profileKey>

/** A key when it was just created. It includes the secret, of which only a hash is stored. */
const newProfileKey = profileKey.extend({ key: z.string() })
export type NewProfileKey = z.infer<typeof newProfileKey>

export const profileKeys = {
  list: defineMethod({
    name: 'profileKeys.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/profileKeys',
    access: workspaceMembers,
    summary:
      'Lists the keys of the Profile API, newest first. The keys themselves are shown once, when they are created.',
    query: pageQuery,
    response: z.object({ profile_keys: z.array(profileKey), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'profileKeys.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/profileKeys',
    access: workspaceEditors,
    followedBy: ['profile-api'],
    summary: 'Creates a key of the Profile API. A public key names the traits that it reads.',
    request: newKey,
    response: newProfileKey,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'profileKeys.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/profileKeys/{profile_key}',
    access: workspaceEditors,
    followedBy: ['profile-api'],
    summary: 'Updates the title of a key, or the traits that a public key reads.',
    query: maskQuery,
    request: z.object({ title: title.optional(), traits: publicTraits.optional() }),
    response: profileKey,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  rotate: defineMethod({
    name: 'profileKeys.rotate',
    verb: 'POST',
    path: '/workspaces/{workspace}/profileKeys/{profile_key}:rotate',
    access: workspaceEditors,
    followedBy: ['profile-api'],
    summary: 'Rotates a key: creates a new one with the same title and traits and revokes this one.',
    request: z.object({}),
    response: newProfileKey,
    errors: [errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'profileKeys.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/profileKeys/{profile_key}',
    access: workspaceEditors,
    followedBy: ['profile-api'],
    summary: 'Revokes a key. It is refused within two seconds.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
