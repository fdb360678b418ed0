import { z } from 'zod'
import { errors, nextPageToken, pageQuery, reference, requestId, title } from './fields.ts'
import { defineMethod } from './method.ts'
import { workspace } from './organizations.ts'

export const workspaces = {
  list: defineMethod({
    name: 'workspaces.list',
    verb: 'GET',
    path: '/workspaces',
    summary: 'The workspaces of a user, oldest first; without `user`, of the caller.',
    /** `user` is a resource name `users/{id}` or an id. */
    query: pageQuery.extend({ user: reference.optional() }),
    response: z.object({ workspaces: z.array(workspace), next_page_token: nextPageToken }),
    errors: [errors.forbidden],
  }),
  get: defineMethod({
    name: 'workspaces.get',
    verb: 'GET',
    path: '/workspaces/{workspace}',
    summary: 'Reads a workspace.',
    response: workspace,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'workspaces.create',
    verb: 'POST',
    path: '/workspaces',
    summary: 'Makes a further workspace in an organisation.',
    request: z.object({ title, organization: reference, request_id: requestId }),
    response: workspace,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
