import { methods } from '@tributary/contract'
import { userIds } from '../format/names.ts'
import { pagesQuery, query, rowsQuery } from './query.ts'

/** A user by resource name. */
export const userQuery = (user: string) => query(methods.users.get, { params: userIds(user) })

/** The user's organizations, with the role in each. */
export const membershipsQuery = (user: string) =>
  rowsQuery(methods.memberships.list, { params: userIds(user) }, ({ memberships }) => memberships)

/** Not cached: every use asks the server again. */
export const workspacesQuery = (user: string) =>
  rowsQuery(methods.workspaces.list, { query: { user } }, ({ workspaces }) => workspaces, { staleTime: 0, gcTime: 0 })

/** Organizations that are open to the user's email domain; read again each time. */
export const joinableQuery = (user: string) =>
  rowsQuery(methods.organizations.listJoinable, { params: userIds(user) }, ({ organizations }) => organizations, {
    staleTime: 0,
  })

/** The user's own active sessions, the one used last first. */
export const sessionsQuery = (user: string) =>
  rowsQuery(methods.sessions.list, { params: userIds(user) }, ({ sessions }) => sessions, { staleTime: 0 })

/** The user's inbox, newest first, by pages of 20, and how many in it are unread; read again every 30 seconds. */
export const notificationsQuery = (user: string) =>
  pagesQuery(
    methods.notifications.list,
    { params: userIds(user), query: { page_size: 20 } },
    { refetchInterval: 30_000 },
  )

/** The user and the organization of an onboarding link; read once, since the link can be used in the meantime. */
export const startOnboardingQuery = (user: string, token: string) =>
  query(
    methods.users.startOnboarding,
    { params: { user }, query: { onboarding_token: token } },
    { gcTime: 0, staleTime: Number.POSITIVE_INFINITY },
  )
