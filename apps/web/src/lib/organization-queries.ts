import { queryOptions } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { call } from './client.ts'
import { everyPage } from './every-page.ts'
import { organizationIds } from './names.ts'
import { product } from './query-client.ts'
import { keys } from './query-keys.ts'

/** An organisation by resource name. */
export const organizationQuery = (organization: string) =>
  queryOptions({
    ...product,
    queryKey: keys.organization(organization),
    queryFn: ({ signal }) => call(methods.organizations.get, { params: organizationIds(organization), signal }),
  })

/** Who belongs to an organisation. */
export const membersQuery = (organization: string) =>
  queryOptions({
    ...product,
    queryKey: keys.members(organization),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const params = organizationIds(organization)
        const answer = await call(methods.memberships.listByOrganization, { params, query, signal })
        return { rows: answer.memberships, next: answer.next_page_token }
      }),
  })

/** Workspaces that are found at once; typing on narrows them. */
const foundLimit = 20

/** Workspaces of all organizations that a search fits, for staff. Waits a moment, so that not every key is a call. */
export const foundWorkspacesQuery = (text: string) =>
  queryOptions({
    ...product,
    retry: false,
    gcTime: 60_000,
    queryKey: keys.foundWorkspaces(text),
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      signal.throwIfAborted()
      return call(methods.workspaces.find, { query: { search: text, page_size: foundLimit }, signal })
    },
  })

/** Invitations that wait for an answer, expired ones included. */
export const invitationsQuery = (organization: string) =>
  queryOptions({
    ...product,
    queryKey: keys.invitations(organization),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.invitations.list, { params: organizationIds(organization), query, signal })
        return { rows: answer.invitations, next: answer.next_page_token }
      }),
  })

/** The invitation links that still work. */
export const invitationLinksQuery = (organization: string) =>
  queryOptions({
    ...product,
    queryKey: keys.invitationLinks(organization),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const params = organizationIds(organization)
        const answer = await call(methods.invitationLinks.list, { params, query, signal })
        return { rows: answer.invitation_links, next: answer.next_page_token }
      }),
  })

/** How much an organisation has of what plans count. */
export const usageQuery = (organization: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.usage(organization),
    queryFn: ({ signal }) => call(methods.organizations.getUsage, { params: organizationIds(organization), signal }),
  })
