import { roles } from '@tributary/kernel/browser'
import { z } from 'zod'
import { errors, nextPageToken, pageQuery, time } from './fields.ts'
import { defineMethod } from './method.ts'

export const membership = z.object({
  /** `organizations/{id}/memberships/{id}`. */
  name: z.string(),
  user: z.string(),
  role: z.object({ value: z.enum(roles) }),
  organization: z.object({ name: z.string(), title: z.string(), display_name: z.string() }),
  create_time: time,
})
export type Membership = z.infer<typeof membership>

export const memberships = {
  list: defineMethod({
    name: 'memberships.list',
    verb: 'GET',
    path: '/users/{user}/memberships',
    summary: 'The organisations a user belongs to, and the role in each.',
    query: pageQuery,
    response: z.object({ memberships: z.array(membership), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
}
