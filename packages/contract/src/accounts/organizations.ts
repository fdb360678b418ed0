import { z } from 'zod'
import { everybody, oneself, organizationAdministrators, organizationMembers, staff } from '../api/access.ts'
import { empty, errors, line, maskQuery, nextPageToken, pageQuery, requestId, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { genericTitle } from '../rules/value-rules.ts'
import { imageBodyLimit, imageUpload, organizationTitle } from './account-rules.ts'
import { planLimits } from './plans.ts'

/** The industries of an organization, in the order shown. */
export const industries = [
  'e-commerce',
  'digital-marketing',
  'social-media',
  'gaming',
  'robotics',
  'telecommunications',
  'internet-of-things',
  'information-technology',
  'other',
] as const
export type Industry = (typeof industries)[number]

export const organization = z.object({
  /** `organizations/{id}`. */
  name: z.string(),
  title: z.string(),
  display_name: z.string(),
  industry: z.enum(industries),
  /** `logo` is a path such as `media/logos/a.webp`, or empty. */
  extra: z.object({ logo: z.string() }),
  /** The email domain whose users can join without an invitation; empty when none can. */
  auto_join_domain: z.string(),
  subscription: z.object({ name: z.string(), extra: z.object({ plan_name: z.string() }) }),
  create_time: time,
})
export type Organization = z.infer<typeof organization>

export const workspace = z.object({
  /** `workspaces/{id}`. */
  name: z.string(),
  title: z.string(),
  organization: organization.nullable(),
  create_time: time,
})
export type Workspace = z.infer<typeof workspace>

/** An organization as platform admins see it: its plan, its usage, and its problems. */
export const foundOrganization = z.object({
  name: z.string(),
  display_name: z.string(),
  plan_name: z.string(),
  plan_title: z.string(),
  create_time: time,
  /** The oldest workspace, in which a platform admin can act; empty if the organization has none. */
  workspace: z.string(),
  usage: z.object({
    members: z.number(),
    workspaces: z.number(),
    sources: z.number(),
    destinations: z.number(),
    audiences: z.number(),
    profiles: z.number(),
  }),
  health: z.object({
    /** Events that are no longer retried automatically. */
    dead_letters: z.number(),
    /** Requests of the last 24 hours that were refused. */
    refused_requests: z.number(),
    /** Syncs whose last run failed. */
    failed_syncs: z.number(),
  }),
})
export type FoundOrganization = z.infer<typeof foundOrganization>

const tooManyOrganizations = {
  code: 409,
  reason: 'TOO_MANY_ORGANIZATIONS',
  when: 'You have as many organizations on the free plan as one person can have.',
} as const

export const organizations = {
  find: defineMethod({
    name: 'organizations.find',
    verb: 'GET',
    path: '/organizations:find',
    access: staff,
    summary: 'Finds organizations by title, newest first, with plan, usage, and health; platform admins only.',
    /** `search` is words of the title, or an ID; without `search`, all organizations are listed. */
    query: pageQuery.extend({ search: line(100).default('') }),
    response: z.object({ organizations: z.array(foundOrganization), next_page_token: nextPageToken }),
    errors: [errors.invalid, errors.forbidden],
  }),
  create: defineMethod({
    name: 'organizations.create',
    verb: 'POST',
    path: '/organizations',
    access: everybody,
    summary: 'Creates an organization with its first workspace. The caller becomes its administrator.',
    request: z.object({
      title: organizationTitle,
      industry: z.enum(industries, 'Choose an industry'),
      workspace_title: genericTitle,
      request_id: requestId,
    }),
    response: z.object({ organization, workspace }),
    errors: [errors.invalid, errors.notFound, tooManyOrganizations],
  }),
  get: defineMethod({
    name: 'organizations.get',
    verb: 'GET',
    path: '/organizations/{organization}',
    access: organizationMembers,
    summary: 'Gets an organization.',
    response: organization,
    errors: [errors.notFound],
  }),
  update: defineMethod({
    name: 'organizations.update',
    verb: 'PATCH',
    path: '/organizations/{organization}',
    access: organizationAdministrators,
    summary: "Updates title, industry, or whether people with the administrator's email domain can join.",
    query: maskQuery,
    request: z.object({
      title: organizationTitle.optional(),
      industry: z.enum(industries, 'Choose an industry').optional(),
      /** Must be the domain of the caller's own address, or empty; public mail domains are refused. */
      auto_join_domain: line(253).optional(),
    }),
    response: organization,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'organizations.delete',
    verb: 'POST',
    path: '/organizations/{organization}:delete',
    access: organizationAdministrators,
    summary:
      'Deletes an organization with its workspaces and all their data, and cancels its subscription immediately. This cannot be undone.',
    /** Must be the title of the organization, so that users do not delete another organization by mistake. */
    request: z.object({ title: line(100) }),
    response: empty,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  uploadLogo: defineMethod({
    name: 'organizations.uploadLogo',
    verb: 'POST',
    path: '/organizations/{organization}:uploadLogo',
    access: organizationAdministrators,
    places: 'files',
    summary: 'Replaces the logo. The image is checked and re-encoded.',
    request: imageUpload,
    bodyLimit: imageBodyLimit,
    response: organization,
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.tooMany],
  }),
  removeLogo: defineMethod({
    name: 'organizations.removeLogo',
    verb: 'POST',
    path: '/organizations/{organization}:removeLogo',
    access: organizationAdministrators,
    summary: 'Removes the logo.',
    request: empty,
    response: organization,
    errors: [errors.forbidden, errors.notFound],
  }),
  getUsage: defineMethod({
    name: 'organizations.getUsage',
    verb: 'GET',
    path: '/organizations/{organization}/usage',
    access: organizationMembers,
    summary:
      "Gets an organization's usage counted toward its plan. Profiles and events are those of the current period, without test events and replays.",
    response: z.object({
      workspaces: z.number().int(),
      sources: z.number().int(),
      profiles: z.number().int(),
      destinations: z.number().int(),
      audiences: z.number().int(),
      syncs: z.number().int(),
      /** Number of members, including invited users. */
      members: z.number().int(),
      events: z.number().int(),
      period_end_time: time,
      /** The limits of the plan, -1 for unlimited; null where plans do not limit. */
      limits: planLimits.nullable(),
    }),
    errors: [errors.notFound],
  }),
  join: defineMethod({
    name: 'organizations.join',
    verb: 'POST',
    path: '/organizations/{organization}:join',
    access: everybody,
    summary: "Joins an organization that is open to the caller's email domain, as Collaborator.",
    request: z.object({ user: line(300) }),
    response: organization,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  listJoinable: defineMethod({
    name: 'organizations.listJoinable',
    verb: 'GET',
    path: '/users/{user}/joinableOrganizations',
    access: oneself,
    summary: 'Lists the organizations that the user can join by email domain.',
    query: pageQuery,
    response: z.object({
      organizations: z.array(z.object({ name: z.string(), display_name: z.string(), logo: z.string() })),
      next_page_token: nextPageToken,
    }),
    errors: [errors.forbidden, errors.notFound],
  }),
}
