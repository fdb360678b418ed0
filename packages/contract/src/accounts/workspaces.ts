import { z } from 'zod'
import { everybody, staff, workspaceAdministrators, workspaceMembers } from '../api/access.ts'
import { empty, errors, line, maskQuery, nextPageToken, pageQuery, reference, requestId } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { genericTitle } from '../rules/value-rules.ts'
import { workspace } from './organizations.ts'

export const objectKinds = ['source', 'destination', 'audience', 'sync', 'signal'] as const

/** A search result: something in a workspace that has a name. */
export const foundObject = z.object({
  /** Resource name of the object. */
  name: z.string(),
  kind: z.enum(objectKinds),
  title: z.string(),
  /** The catalog entry of the object. For an audience, a sync or a signal, the kind of object, which has no icon. */
  app: z.object({ display_name: z.string(), extra: z.object({ app_icon: z.string() }) }),
})
export type FoundObject = z.infer<typeof foundObject>

/** Maximum characters of a search for workspaces. */
export const maxSearchLength = 100

/** A workspace that a platform admin searches for, and up to 3 members whose names match. */
export const foundWorkspace = z.object({
  workspace,
  people: z.array(z.object({ first_name: z.string(), last_name: z.string(), email: z.string() })),
})
export type FoundWorkspace = z.infer<typeof foundWorkspace>

const lastWorkspace = {
  code: 409,
  reason: 'LAST_WORKSPACE',
  when: 'The organization has no other workspace.',
} as const

export const workspaces = {
  list: defineMethod({
    name: 'workspaces.list',
    verb: 'GET',
    path: '/workspaces',
    /** The handler refuses to list the workspaces of another `user`, except for platform admins. */
    access: everybody,
    summary: "Lists the workspaces of a user, oldest first; by default, the caller's.",
    /** `user` is a resource name `users/{id}` or an id. */
    query: pageQuery.extend({ user: reference.optional() }),
    response: z.object({ workspaces: z.array(workspace), next_page_token: nextPageToken }),
    errors: [errors.forbidden],
  }),
  get: defineMethod({
    name: 'workspaces.get',
    verb: 'GET',
    path: '/workspaces/{workspace}',
    access: workspaceMembers,
    summary: 'Gets a workspace.',
    response: workspace,
    errors: [errors.notFound],
  }),
  search: defineMethod({
    name: 'workspaces.search',
    verb: 'GET',
    path: '/workspaces/{workspace}:search',
    access: workspaceMembers,
    summary:
      'Finds sources, destinations, audiences, syncs, and signals of a workspace by title or app, best match first.',
    /**
     * `search` has words, or letters that the title contains in this order. Without `search`, objects are listed by
     * title. There are no further pages.
     */
    query: pageQuery.omit({ page_token: true }).extend({ search: line(100).default('') }),
    /** `complete` is false when there are more matches than requested. */
    response: z.object({ objects: z.array(foundObject), complete: z.boolean() }),
    errors: [errors.invalid, errors.notFound],
  }),
  find: defineMethod({
    name: 'workspaces.find',
    verb: 'GET',
    path: '/workspaces:find',
    access: staff,
    summary:
      'Finds workspaces of all organizations by title, organization or member, newest first; platform admins only.',
    /**
     * `search` is words of titles, names and addresses, or an ID; without `search`, all workspaces are listed. Each
     * search is recorded.
     */
    query: pageQuery.extend({ search: line(maxSearchLength).default('') }),
    response: z.object({ workspaces: z.array(foundWorkspace), next_page_token: nextPageToken }),
    errors: [errors.invalid, errors.forbidden],
  }),
  create: defineMethod({
    name: 'workspaces.create',
    verb: 'POST',
    path: '/workspaces',
    /** The handler requires an administrator of the `organization` in the body. */
    access: everybody,
    summary: 'Creates a workspace in an organization.',
    request: z.object({ title: genericTitle, organization: reference, request_id: requestId }),
    response: workspace,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'workspaces.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}',
    access: workspaceAdministrators,
    summary: 'Updates the title.',
    query: maskQuery,
    request: z.object({ title: genericTitle.optional() }),
    response: workspace,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'workspaces.delete',
    verb: 'POST',
    path: '/workspaces/{workspace}:delete',
    access: workspaceAdministrators,
    summary:
      'Deletes a workspace with all its data. The last one of an organization is refused. This cannot be undone.',
    /** Must be the title of the workspace, so that users do not delete another workspace by mistake. */
    request: z.object({ title: line(100) }),
    response: empty,
    errors: [errors.invalid, errors.forbidden, errors.notFound, lastWorkspace],
  }),
  actOnBehalf: defineMethod({
    name: 'workspaces.actOnBehalf',
    verb: 'POST',
    path: '/workspaces:actOnBehalf',
    access: staff,
    summary: 'Starts acting on behalf of a workspace as a platform admin. Every switch is logged.',
    /** An ID or a resource name. */
    request: z.object({ workspaceId: line(300).pipe(z.string().min(5, 'At least 5 characters')) }),
    response: z.object({ workspace }),
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}

/** The message that refuses a platform admin who wants to act on behalf of their own organization (STF-18). */
export const ownOrganizationMessage = 'You cannot act on behalf of your own organization'
