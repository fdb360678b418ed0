import { queryOptions } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { call } from './client.ts'
import { type RangePreset, rangeOf } from './date-range.ts'
import { everyPage, pageSize } from './every-page.ts'
import { destinationIds, sourceIds, workspaceIds } from './names.ts'
import { product } from './query-client.ts'
import { keys } from './query-keys.ts'

/** A workspace by resource name, with its organisation. */
export const workspaceQuery = (workspace: string) =>
  queryOptions({
    ...product,
    staleTime: 60_000,
    queryKey: keys.workspace(workspace),
    queryFn: ({ signal }) => call(methods.workspaces.get, { params: workspaceIds(workspace), signal }),
  })

/** How many objects a search of a workspace gives at most. */
const foundLimit = 100

/** The objects of a workspace that a search fits, the best match first. Waits a moment, so that not every key is a call. */
export const searchQuery = (workspace: string, text: string) =>
  queryOptions({
    ...product,
    retryOnMount: true,
    queryKey: keys.search(workspace, text),
    gcTime: 60_000,
    queryFn: async ({ signal }) => {
      if (text !== '') await new Promise((resolve) => setTimeout(resolve, 120))
      signal.throwIfAborted()
      return call(methods.workspaces.search, {
        params: workspaceIds(workspace),
        query: { search: text, page_size: foundLimit },
        signal,
      })
    },
  })

/** What sources can be made of. */
export const catalogSourcesQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.catalogSources(workspace),
    queryFn: async ({ signal }) =>
      (
        await call(methods.catalogSources.list, {
          params: workspaceIds(workspace),
          query: { page_size: pageSize },
          signal,
        })
      ).catalog_sources,
  })

/** One kind of source; `app` is the slug of the entry. */
export const catalogSourceQuery = (workspace: string, app: string) =>
  queryOptions({
    ...product,
    queryKey: keys.catalogSource(workspace, app),
    queryFn: ({ signal }) => call(methods.catalogSources.get, { params: { ...workspaceIds(workspace), app }, signal }),
  })

/** What a template would make of a body. Waits a moment, so that not every key of a typist is a call. */
export const templatePreviewQuery = (source: string, template: string, body: string) =>
  queryOptions({
    ...product,
    queryKey: keys.templatePreview(source, template, body),
    gcTime: 60_000,
    retry: false,
    queryFn: async ({ signal }) => {
      await new Promise((resolve) => setTimeout(resolve, 250))
      signal.throwIfAborted()
      return call(methods.sources.previewTemplate, {
        params: sourceIds(source),
        body: { template, body, query: '', headers: {} },
        signal,
      })
    },
  })

/** What destinations can be made of. */
export const catalogDestinationsQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.catalogDestinations(workspace),
    queryFn: async ({ signal }) =>
      (
        await call(methods.catalogDestinations.list, {
          params: workspaceIds(workspace),
          query: { page_size: pageSize },
          signal,
        })
      ).catalog_destinations,
  })

/** One kind of destination; `app` is the slug of the entry. */
export const catalogDestinationQuery = (workspace: string, app: string) =>
  queryOptions({
    ...product,
    queryKey: keys.catalogDestination(workspace, app),
    queryFn: ({ signal }) =>
      call(methods.catalogDestinations.get, { params: { ...workspaceIds(workspace), app }, signal }),
  })

/** All sources of a workspace. */
export const sourcesQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.sources(workspace),
    queryFn: ({ signal }) =>
      everyPage(async (page) => {
        const answer = await call(methods.sources.list, {
          params: workspaceIds(workspace),
          query: { target_product: 'CDP', ...page },
          signal,
        })
        return { rows: answer.sources, next: answer.next_page_token }
      }),
  })

/** What a new source's schema can start with. */
export const schemaTemplatesQuery = (workspace: string) =>
  queryOptions({
    ...product,
    staleTime: 60_000,
    queryKey: keys.schemaTemplates(workspace),
    queryFn: async ({ signal }) =>
      (
        await call(methods.sourceSchemaTemplates.list, {
          params: workspaceIds(workspace),
          query: { page_size: pageSize },
          signal,
        })
      ).templates,
  })

/** A source with its schema, by resource name. */
export const sourceQuery = (source: string) =>
  queryOptions({
    ...product,
    queryKey: keys.source(source),
    queryFn: ({ signal }) => call(methods.sources.get, { params: sourceIds(source), signal }),
  })

/** The write keys of a source. */
export const writekeysQuery = (source: string) =>
  queryOptions({
    ...product,
    queryKey: keys.writekeys(source),
    queryFn: async ({ signal }) => {
      const { workspace } = sourceIds(source)
      return (
        await call(methods.writekeys.list, { params: { workspace }, query: { source, page_size: pageSize }, signal })
      ).writekeys
    },
  })

/** All destinations of a workspace. */
export const destinationsQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.destinations(workspace),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.destinations.list, { params: workspaceIds(workspace), query, signal })
        return { rows: answer.destinations, next: answer.next_page_token }
      }),
  })

/** A destination by resource name, with its settings. */
export const destinationQuery = (destination: string) =>
  queryOptions({
    ...product,
    queryKey: keys.destination(destination),
    queryFn: ({ signal }) => call(methods.destinations.get, { params: destinationIds(destination), signal }),
  })

/** All connections of a workspace. */
export const connectionsQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.connections(workspace),
    queryFn: ({ signal }) =>
      everyPage(async (query) => {
        const answer = await call(methods.connections.list, { params: workspaceIds(workspace), query, signal })
        return { rows: answer.connections, next: answer.next_page_token }
      }),
  })

/** The outcomes of what went over each connection of a workspace in a range, as every other figure counts them. */
export const connectionActivityQuery = (workspace: string, preset: RangePreset) =>
  queryOptions({
    ...product,
    queryKey: [...keys.connectionActivity(workspace), preset],
    staleTime: 10_000,
    refetchInterval: preset === '1day' || preset === '7days' ? 15_000 : 60_000,
    queryFn: async ({ signal }) => {
      const { start_date, end_date } = rangeOf(preset, Date.now())
      const query = { 'start_date.seconds': start_date.seconds, 'end_date.seconds': end_date.seconds }
      return (await call(methods.connections.getActivity, { params: workspaceIds(workspace), query, signal }))
        .activities
    },
  })
