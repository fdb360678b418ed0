import { methods } from '@tributary/contract'
import { workspaceIds } from '../format/names.ts'
import { pagesQuery } from './query.ts'

/** The privacy requests of a workspace, newest first, by pages of 50. */
export const privacyRequestsQuery = (workspace: string) =>
  pagesQuery(
    methods.privacyRequests.list,
    { params: workspaceIds(workspace), query: { page_size: 50 } },
    { refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 5_000) },
  )

/** Suppressed identifiers, newest first, by pages of 50; with a text the one that has exactly this value. */
export const suppressionsQuery = (workspace: string, search: string) =>
  pagesQuery(methods.suppressions.list, {
    params: workspaceIds(workspace),
    query: { page_size: 50, ...(search === '' ? {} : { search }) },
  })
