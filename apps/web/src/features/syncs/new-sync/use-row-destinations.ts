import { useQueries, useQuery } from '@tanstack/react-query'
import type { Destination } from '@tributary/contract'
import { slugOf } from '../../../lib/format/names.ts'
import { catalogDestinationQuery, destinationsQuery } from '../../../lib/queries/workspace-queries.ts'
import type { RowObject } from './draft.ts'

/** A destination with what of it rows can be written to. */
export type RowDestination = { destination: Destination; objects: readonly RowObject[] }

/** The destinations of a workspace (a resource name) that take rows, as a query. */
export const useRowDestinations = (workspace: string) => {
  const destinations = useQuery(destinationsQuery(workspace))
  const slugs = [...new Set(destinations.data?.map(({ app }) => slugOf(app.catalog_app)))]
  const apps = useQueries({ queries: slugs.map((slug) => catalogDestinationQuery(workspace, slug)) })
  const failed = [destinations, ...apps].find(({ isError }) => isError)
  const ready = destinations.data !== undefined && apps.every(({ data }) => data !== undefined)
  const objectsOf = ({ app }: Destination): readonly RowObject[] =>
    apps[slugs.indexOf(slugOf(app.catalog_app))]?.data?.row_objects ?? []
  return {
    data: ready
      ? destinations.data
          .map((destination): RowDestination => ({ destination, objects: objectsOf(destination) }))
          .filter(({ objects }) => objects.length > 0)
      : undefined,
    error: failed?.error ?? null,
    refetch: () => Promise.all([destinations, ...apps].filter(({ isError }) => isError).map((each) => each.refetch())),
  }
}
