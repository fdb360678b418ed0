import { useQueries, useQuery } from '@tanstack/react-query'
import type { Destination } from '@tributary/contract'
import { slugOf } from '../../../lib/format/names.ts'
import { catalogDestinationQuery, destinationsQuery, sourcesQuery } from '../../../lib/queries/workspace-queries.ts'
import { type ChosenDestination, eventRowObjects, type RowObject } from './draft.ts'

/** A destination with the objects to which rows can be written, or a source with the objects that rows can become. */
export type RowDestination = {
  destination: ChosenDestination
  note: string
  icon: string
  objects: readonly RowObject[]
}

/** Returns the destinations of a workspace (a resource name) that accept rows, followed by its sources, as a query. */
export const useRowDestinations = (workspace: string) => {
  const destinations = useQuery(destinationsQuery(workspace))
  const slugs = [...new Set(destinations.data?.map(({ app }) => slugOf(app.catalog_app)))]
  const apps = useQueries({ queries: slugs.map((slug) => catalogDestinationQuery(workspace, slug)) })
  const sources = useQuery(sourcesQuery(workspace))
  const failed = [destinations, sources, ...apps].find(({ isError }) => isError)
  const ready =
    destinations.data !== undefined && sources.data !== undefined && apps.every(({ data }) => data !== undefined)
  const objectsOf = ({ app }: Destination): readonly RowObject[] =>
    apps[slugs.indexOf(slugOf(app.catalog_app))]?.data?.row_objects ?? []
  return {
    data: ready
      ? [
          ...destinations.data
            .map((destination): RowDestination => {
              const { display_name: note, extra } = destination.app
              return { destination, note, icon: extra.app_icon, objects: objectsOf(destination) }
            })
            .filter(({ objects }) => objects.length > 0),
          ...sources.data.map(
            (source): RowDestination => ({
              destination: source,
              note: 'Events of this source',
              icon: source.app.extra.app_icon,
              objects: eventRowObjects,
            }),
          ),
        ]
      : undefined,
    error: failed?.error ?? null,
    refetch: () =>
      Promise.all([destinations, sources, ...apps].filter(({ isError }) => isError).map((each) => each.refetch())),
  }
}
