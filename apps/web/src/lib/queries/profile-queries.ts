import { methods, type TimeBasis } from '@tributary/contract'
import { profileIds, workspaceIds } from '../format/names.ts'
import { pagesQuery, query, rowsQuery } from './query.ts'

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
    {
      // A user who returns wants the latest changes.
      staleTime: 0,
      refetchInterval: ({ state: { data } }) => (data !== undefined && data.reading !== null ? 3_000 : 30_000),
    },
  )

/** The keys of the Profile API of a workspace, newest first. */
export const profileKeysQuery = (workspace: string) =>
  rowsQuery(methods.profileKeys.list, { params: workspaceIds(workspace) }, ({ profile_keys }) => profile_keys)

/** The rules by which identifiers are linked in a workspace. */
export const identitySettingsQuery = (workspace: string) =>
  query(methods.identitySettings.get, { params: workspaceIds(workspace) })

/** One profile by resource name, with all its details. */
export const profileQuery = (profile: string) =>
  query(methods.profiles.get, { params: profileIds(profile) }, { staleTime: 0, refetchInterval: 5_000 })

/** The values of a trait of a profile, the latest first. */
export const traitHistoryQuery = (profile: string, trait: string) =>
  query(
    methods.profiles.getTraitHistory,
    { params: profileIds(profile), query: { trait } },
    { staleTime: 0, read: ({ values }) => values },
  )

/** Events of one page of a profile. */
export const profileEventsPage = 50

/** The events of a profile, newest first by a time, by pages. They are read once: `newestProfileEventsQuery` follows what comes. */
export const profileEventsQuery = (profile: string, time_by: TimeBasis) =>
  pagesQuery(methods.profiles.listEvents, {
    params: profileIds(profile),
    query: { page_size: profileEventsPage, time_by },
  })

/** The newest events of a profile as of now. */
export const newestProfileEventsQuery = (profile: string) =>
  query(
    methods.profiles.listEvents,
    { params: profileIds(profile), query: { page_size: profileEventsPage, page_token: '' } },
    { staleTime: 0, refetchInterval: 2_000, read: ({ events }) => events },
  )
