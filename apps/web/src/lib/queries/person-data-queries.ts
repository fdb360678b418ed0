import { methods, type PersonDataPlaces } from '@tributary/contract'
import { workspaceIds } from '../format/names.ts'
import { query } from './query.ts'

/** The paths at which a workspace has the data of people. */
export const personDataPlacesQuery = (workspace: string) =>
  query(methods.personDataPlaces.get, { params: workspaceIds(workspace) })

/** How many of last week's events have a value at each path; of unsaved paths if they are given. */
export const personDataCountsQuery = (workspace: string, places?: PersonDataPlaces['places']) =>
  query(
    methods.personDataPlaces.count,
    { params: workspaceIds(workspace), body: places === undefined ? {} : { places } },
    // A count reads thousands of events.
    { staleTime: 10 * 60_000, gcTime: 10 * 60_000, ...(places === undefined ? {} : { wait: 800 }) },
  )
