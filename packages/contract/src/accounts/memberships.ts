import { roles, toRole } from '@tributary/kernel/browser'
import { z } from 'zod'
import { oneselfOrStaff, organizationAdministrators, organizationMembers } from '../api/access.ts'
import { empty, errors, maskQuery, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** A role as it is sent: its index (0 Administrator, 1 Collaborator, 2 Guest) or its value; a value is required. */
export const roleInput = z
  .union([z.number().int().min(0).max(2), z.enum(roles)], 'Choose a role')
  .transform((value) => toRole(value))

export const membership = z.object({
  /** `organizations/{id}/memberships/{id}`. */
  name: z.string(),
  user: z.string(),
  /** An unknown role counts as a guest's. */
  role: z.object({ value: z.enum(roles).or(z.string()) }),
  organization: z.object({ name: z.string(), title: z.string(), display_name: z.string() }),
  create_time: time,
})
export type Membership = z.infer<typeof membership>

/** A membership as the members of an organization see it, with the member's name. */
export const member = membership.extend({
  profile: z.object({
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    photo_url: z.string(),
  }),
})
export type Member = z.infer<typeof member>

const lastAdministrator = {
  code: 409,
  reason: 'LAST_ADMINISTRATOR',
  when: 'The organization would have no administrator.',
} as const

export const memberships = {
  list: defineMethod({
    name: 'memberships.list',
    verb: 'GET',
    path: '/users/{user}/memberships',
    access: oneselfOrStaff,
    summary: 'Lists the organizations a user belongs to, with the role in each.',
    query: pageQuery,
    response: z.object({ memberships: z.array(membership), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  listByOrganization: defineMethod({
    name: 'memberships.listByOrganization',
    verb: 'GET',
    path: '/organizations/{organization}/memberships',
    access: organizationMembers,
    summary: 'Lists the members of an organization, oldest first.',
    query: pageQuery,
    response: z.object({ memberships: z.array(member), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  update: defineMethod({
    name: 'memberships.update',
    verb: 'PATCH',
    path: '/organizations/{organization}/memberships/{membership}',
    access: organizationAdministrators,
    summary: "Changes a member's role.",
    query: maskQuery,
    request: z.object({ role: roleInput }),
    response: member,
    errors: [errors.invalid, errors.forbidden, errors.notFound, lastAdministrator],
  }),
  delete: defineMethod({
    name: 'memberships.delete',
    verb: 'DELETE',
    path: '/organizations/{organization}/memberships/{membership}',
    /** Every member can leave; the handler lets only administrators remove others. */
    access: organizationMembers,
    summary: 'Removes a member and ends their access immediately. Anyone can end their own membership.',
    response: empty,
    errors: [errors.forbidden, errors.notFound, lastAdministrator],
  }),
}
