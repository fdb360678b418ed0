import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { call } from './client.ts'
import { everyPage } from './every-page.ts'
import { userIds } from './names.ts'
import { product } from './query-client.ts'
import { keys } from './query-keys.ts'

/** A user by resource name. */
export const userQuery = (user: string) =>
  queryOptions({
    ...product,
    queryKey: keys.user(user),
    queryFn: ({ signal }) => call(methods.users.get, { params: userIds(user), signal }),
  })

/** The organisations that a user belongs to, with the role in each. */
export const membershipsQuery = (user: string) =>
  queryOptions({
    ...product,
    queryKey: keys.memberships(user),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.memberships.list, { params: userIds(user), query, signal })
        return { rows: answer.memberships, next: answer.next_page_token }
      }),
  })

/** Not cached: every use asks the server again. */
export const workspacesQuery = (user: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    gcTime: 0,
    queryKey: keys.workspaces(user),
    queryFn: ({ signal }) =>
      everyPage(async (page) => {
        const answer = await call(methods.workspaces.list, { query: { user, ...page }, signal })
        return { rows: answer.workspaces, next: answer.next_page_token }
      }),
  })

/** Organisations that are open to people of the user's e-mail domain; read anew each time. */
export const joinableQuery = (user: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.joinable(user),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.organizations.listJoinable, { params: userIds(user), query, signal })
        return { rows: answer.organizations, next: answer.next_page_token }
      }),
  })

/** The user's own active sessions, the one used last first. */
export const sessionsQuery = (user: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.sessions(user),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.sessions.list, { params: userIds(user), query, signal })
        return { rows: answer.sessions, next: answer.next_page_token }
      }),
  })

/** The user's inbox, newest first, by pages of 20, and how many in it are unread; read again every 30 seconds. */
export const notificationsQuery = (user: string) =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.notifications(user),
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.notifications.list, {
        params: userIds(user),
        query: { page_size: 20, page_token: pageParam },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
    refetchInterval: 30_000,
  })

/** Whom and which organisation an onboarding link is for; read once, as a link may be used meanwhile. */
export const startOnboardingQuery = (user: string, token: string) =>
  queryOptions({
    ...product,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryKey: keys.onboarding(user, token),
    queryFn: ({ signal }) =>
      call(methods.users.startOnboarding, { params: { user }, query: { onboarding_token: token }, signal }),
  })
