import { QueryClient } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { afterEach, expect, test, vi } from 'vitest'
import { noFilters } from '../events/event-filters.ts'
import { filteredEventsQuery } from './event-queries.ts'
import { query, refresh, rowsQuery } from './query.ts'
import { catalogSourceQuery, catalogSourcesQuery, sourceQuery, sourcesQuery } from './workspace-queries.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Fills a cache with data for each key, and returns the keys that are stale after `act`. */
const staleAfter = (keys: readonly (readonly unknown[])[], act: (cache: QueryClient) => void) => {
  const cache = new QueryClient()
  for (const key of keys) cache.setQueryData(key, {})
  act(cache)
  return keys.filter((key) => cache.getQueryState(key)?.isInvalidated)
}

test('calls with different method, IDs, query, or body have different keys, and equal calls have the same key', () => {
  const calls = [
    query(methods.sources.get, { params: { workspace: 'w', source: 's' } }),
    query(methods.sources.get, { params: { workspace: 'w', source: 't' } }),
    query(methods.inferredSchemas.get, { params: { workspace: 'w', source: 's' }, query: { days: 1 } }),
    query(methods.inferredSchemas.get, { params: { workspace: 'w', source: 's' }, query: { days: 7 } }),
    rowsQuery(methods.sources.list, { params: { workspace: 'w' } }, ({ sources }) => sources),
  ]
  expect(new Set(calls.map(({ queryKey }) => JSON.stringify(queryKey))).size).toBe(calls.length)
  expect(sourceQuery('workspaces/w/sources/s').queryKey).toEqual(calls[0]?.queryKey)
})

test('a query key with some IDs matches all queries below it, and no others', () => {
  const [list, one, own, other, entries, entry] = [
    sourcesQuery('workspaces/w').queryKey,
    sourceQuery('workspaces/w/sources/s').queryKey,
    sourceQuery('workspaces/w/sources/t').queryKey,
    sourceQuery('workspaces/x/sources/s').queryKey,
    catalogSourcesQuery('workspaces/w').queryKey,
    catalogSourceQuery('workspaces/w', 'http').queryKey,
  ]
  const all = [list, one, own, other, entries, entry]
  expect(staleAfter(all, (cache) => refresh(cache, ['sources'], { workspace: 'w' }))).toEqual([list, one, own])
  expect(staleAfter(all, (cache) => refresh(cache, ['sources'], { workspace: 'w', source: 's' }))).toEqual([one])
  expect(staleAfter(all, (cache) => refresh(cache, ['catalogSources'], { workspace: 'w' }))).toEqual([entries, entry])
  expect(staleAfter(all, (cache) => refresh(cache, ['sources']))).toEqual([list, one, own, other])
})

test('the part of a query that depends on the time of the call is computed for each call, and is not in the query key', async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1), toFake: ['Date'] })
  const asked: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path)
    return Response.json({ events: [], next_page_token: '' })
  })
  const filters = { ...noFilters, range: '1day' }
  const first = filteredEventsQuery('workspaces/w', filters)
  const cache = new QueryClient()
  await cache.fetchInfiniteQuery(first)
  vi.setSystemTime(Date.UTC(2026, 0, 2))
  expect(filteredEventsQuery('workspaces/w', filters).queryKey).toEqual(first.queryKey)
  await cache.fetchInfiniteQuery(filteredEventsQuery('workspaces/w', filters))
  expect(new Set(asked).size).toBe(2)
})
