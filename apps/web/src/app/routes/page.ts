import type { ComponentType } from 'react'
import type { LoaderFunction, LoaderFunctionArgs, PathParam } from 'react-router'
import { useSession } from '../../lib/people/session.ts'
import { queryClient } from '../query-client.ts'

/** Starts a query whose result a page reads from the cache. */
export const read: typeof queryClient.prefetchQuery = (query) => queryClient.prefetchQuery(query)

/** Starts the query of the first page of a list. */
export const readFirstPage: typeof queryClient.prefetchInfiniteQuery = (query) =>
  queryClient.prefetchInfiniteQuery(query)

type Ids<Path extends string> = { [Name in PathParam<Path>]: string }

/** A row of the table of pages. */
type Page<Path extends string> = {
  path: Path
  /** Redirects visitors that may not see a page outside the workspaces. */
  access?: LoaderFunction
  /** Loads the component. */
  code: () => Promise<ComponentType>
  /**
   * Starts the queries of a page below a workspace while the code of the page is loading. `ids` are the IDs in the
   * path.
   */
  data?: (workspace: string, ids: Ids<Path>) => Promise<void>[]
}

/** The route of a page. */
export const page = <Path extends string>({ path, access, code, data }: Page<Path>) => ({
  path,
  lazy: async () => ({ Component: await code() }),
  ...(access !== undefined && { loader: access }),
  ...(data !== undefined && {
    loader: ({ params }: LoaderFunctionArgs): null => {
      if (useSession.getState().accessToken !== null && params['workspaceId'] !== undefined)
        // The router matched the path, so `params` has its ids.
        void Promise.all(data(`workspaces/${params['workspaceId']}`, params as Ids<Path>))
      return null
    },
  }),
})
