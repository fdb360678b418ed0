import { methods } from '@tributary/contract'
import { profileIds, workspaceIds } from '../format/names.ts'
import { pagesQuery, query } from './query.ts'

/** The profiles of a workspace, those seen last first, by pages of 50; with a text those that have exactly it. */
export const profilesQuery = (workspace: string, search: string) =>
  pagesQuery(
    methods.profiles.list,
    { params: workspaceIds(workspace), query: { page_size: 50, ...(search === '' ? {} : { search }) } },
    { refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 10_000) },
  )

/** Which events have no profile, and how far profiles are with earlier events. */
export const profileCoverageQuery = (workspace: string) =>
  query(
    methods.profiles.getCoverage,
    { params: workspaceIds(workspace) },
    { refetchInterval: ({ state: { data } }) => (data !== undefined && data.reading !== null ? 3_000 : 30_000) },
  )

/** One profile by resource name, with everything known of it. */
export const profileQuery = (profile: string) =>
  query(methods.profiles.get, { params: profileIds(profile) }, { staleTime: 0, refetchInterval: 5_000 })

/** The events of a profile, newest first, by pages of 50. */
export const profileEventsQuery = (profile: string) =>
  pagesQuery(
    methods.profiles.listEvents,
    { params: profileIds(profile), query: { page_size: 50 } },
    { refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 5_000) },
  )
