import { methods, type TargetProduct } from '@tributary/contract'
import { type RangePreset, rangeOf } from '../format/date-range.ts'
import { destinationIds, sourceIds, workspaceIds } from '../format/names.ts'
import { query, rowsQuery } from './query.ts'

/** A workspace by resource name, with its organization. */
export const workspaceQuery = (workspace: string) =>
  query(methods.workspaces.get, { params: workspaceIds(workspace) }, { staleTime: 60_000 })

/** The catalog of a product's sources. */
export const catalogSourcesQuery = (workspace: string, product: TargetProduct = 'CDP') =>
  rowsQuery(
    methods.catalogSources.list,
    { params: workspaceIds(workspace), query: { target_product: product } },
    ({ catalog_sources }) => catalog_sources,
  )

/** One kind of source; `app` is the slug of the entry. */
export const catalogSourceQuery = (workspace: string, app: string) =>
  query(methods.catalogSources.get, { params: { ...workspaceIds(workspace), app } })

/** The catalog of destinations. */
export const catalogDestinationsQuery = (workspace: string) =>
  rowsQuery(
    methods.catalogDestinations.list,
    { params: workspaceIds(workspace) },
    ({ catalog_destinations }) => catalog_destinations,
  )

/** One kind of destination; `app` is the slug of the entry. */
export const catalogDestinationQuery = (workspace: string, app: string) =>
  query(methods.catalogDestinations.get, { params: { ...workspaceIds(workspace), app } })

/** All sources of a workspace for a product. */
export const sourcesQuery = (workspace: string, product: TargetProduct = 'CDP') =>
  rowsQuery(
    methods.sources.list,
    { params: workspaceIds(workspace), query: { target_product: product } },
    ({ sources }) => sources,
  )

/** Reads the sources of a workspace for every product, because events and deliveries can come from any of them. */
export const allSourcesQuery = (workspace: string) =>
  rowsQuery(methods.sources.list, { params: workspaceIds(workspace) }, ({ sources }) => sources)

/** A source with its schema, by resource name. */
export const sourceQuery = (source: string) => query(methods.sources.get, { params: sourceIds(source) })

/** The write keys of a source. */
export const writekeysQuery = (source: string) => {
  const { workspace } = sourceIds(source)
  return rowsQuery(methods.writekeys.list, { params: { workspace }, query: { source } }, ({ writekeys }) => writekeys)
}

/** All destinations of a workspace. */
export const destinationsQuery = (workspace: string) =>
  rowsQuery(methods.destinations.list, { params: workspaceIds(workspace) }, ({ destinations }) => destinations)

/** A destination by resource name, with its settings. */
export const destinationQuery = (destination: string) =>
  query(methods.destinations.get, { params: destinationIds(destination) })

/** All connections of a workspace. */
export const connectionsQuery = (workspace: string) =>
  rowsQuery(methods.connections.list, { params: workspaceIds(workspace) }, ({ connections }) => connections)

/** Reads the outcomes of each connection of a workspace in a range, counted in the same way as all other figures. */
export const connectionActivityQuery = (workspace: string, preset: RangePreset) =>
  query(
    methods.connections.getActivity,
    { params: workspaceIds(workspace) },
    {
      clocked: {
        of: preset,
        at: (now) => {
          const { start_date, end_date } = rangeOf(preset, now)
          return { 'start_date.seconds': start_date.seconds, 'end_date.seconds': end_date.seconds }
        },
      },
      read: ({ activities }) => activities,
      staleTime: 10_000,
      refetchInterval: preset === '1day' || preset === '7days' ? 15_000 : 60_000,
    },
  )
