import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { call } from './client.ts'
import { everyPage } from './every-page.ts'
import { sourceIds } from './names.ts'
import { product } from './query-client.ts'
import { keys } from './query-keys.ts'

/** The versions of a source's schema, newest first, by pages of 50. */
export const schemaVersionsQuery = (source: string) =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.schemaVersions(source),
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.schemaVersions.list, {
        params: sourceIds(source),
        query: { page_size: 50, page_token: pageParam },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
  })

/** One version of a source's schema with its text; a version never changes. */
export const schemaVersionQuery = (source: string, version: number) =>
  queryOptions({
    ...product,
    staleTime: Number.POSITIVE_INFINITY,
    queryKey: keys.schemaVersion(source, version),
    queryFn: ({ signal }) =>
      call(methods.schemaVersions.get, { params: { ...sourceIds(source), version: String(version) }, signal }),
  })

/** A schema that the events of the last days fit. */
export const inferredSchemaQuery = (source: string, days: number) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.inferredSchema(source, days),
    queryFn: ({ signal }) => call(methods.inferredSchemas.get, { params: sourceIds(source), query: { days }, signal }),
  })

/** What did not fit a source's schema in the last 30 days, most frequent first, and how many events are kept back. */
export const violationsQuery = (source: string) =>
  queryOptions({
    ...product,
    refetchInterval: 15_000,
    queryKey: keys.violations(source),
    queryFn: async ({ signal }) => {
      let blocked = 0
      const rows = await everyPage(async (query) => {
        const answer = await call(methods.violations.listBySource, { params: sourceIds(source), query, signal })
        blocked = answer.blocked_count
        return { rows: answer.violations, next: answer.next_page_token }
      })
      return { rows, blocked }
    },
  })
