import { methods } from '@tributary/contract'
import { userIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

/** A user by resource name. */
export const userQuery = (user: string) => query(methods.users.get, { params: userIds(user) })

/** The user's organizations, with the role in each. */
export const membershipsQuery = (user: string) =>
  rowsQuery(methods.memberships.list, { params: userIds(user) }, ({ memberships }) => memberships)

/** Reads the workspaces of a user. Not cached: every use calls the server. */
export const workspacesQuery = (user: string) =>
  rowsQuery(methods.workspaces.list, { query: { user } }, ({ workspaces }) => workspaces, { staleTime: 0, gcTime: 0 })
