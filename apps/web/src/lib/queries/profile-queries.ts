import { methods } from '@tributary/contract'
import { profileIds, workspaceIds } from '../format/names.ts'
import { pagesQuery, query } from './query.ts'

/**
 * Reads the profiles of a workspace, the most recently seen first, by pages of 50. With a search text, only profiles
 * that have exactly this value.
 */
export const profilesQuery = (workspace: string, search: string) =>
  pagesQuery(
    methods.profiles.list,
    { params: workspaceIds(workspace), query: { page_size: 50, ...(search === '' ? {} : { search }) } },
    { refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 10_000) },
  )

/** The rules by which identifiers are linked in a workspace. */
export const identitySettingsQuery = (workspace: string) =>
  query(methods.identitySettings.get, { params: workspaceIds(workspace) })

/** One profile by resource name, with all its details. */
export const profileQuery = (profile: string) =>
  query(methods.profiles.get, { params: profileIds(profile) }, { staleTime: 0, refetchInterval: 5_000 })
