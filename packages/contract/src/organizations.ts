import { z } from 'zod'
import { errors, requestId, time, title } from './fields.ts'
import { defineMethod } from './method.ts'

/** What an organisation can say it works in, in the order shown. */
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
  extra: z.object({ logo: z.string() }),
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

export const organizations = {
  create: defineMethod({
    name: 'organizations.create',
    verb: 'POST',
    path: '/organizations',
    summary: 'Makes an organisation with its first workspace; the caller becomes its administrator.',
    request: z.object({
      title: title.min(4, 'At least 4 characters'),
      industry: z.enum(industries, 'Choose an industry'),
      workspace_title: title,
      request_id: requestId,
    }),
    response: z.object({ organization, workspace }),
    errors: [errors.invalid],
  }),
  get: defineMethod({
    name: 'organizations.get',
    verb: 'GET',
    path: '/organizations/{organization}',
    summary: 'Reads an organisation.',
    response: organization,
    errors: [errors.notFound],
  }),
}
