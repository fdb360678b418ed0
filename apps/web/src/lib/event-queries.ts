import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type DeliveryStatus, methods, type ParkedDelivery } from '@tributary/contract'
import { call } from './client.ts'
import { ApiError } from './errors.ts'
import { type EventFilters, eventQueryOf } from './event-filters.ts'
import { destinationIds, sourceIds, workspaceIds } from './names.ts'
import { product } from './query-client.ts'
import { keys } from './query-keys.ts'

/** The newest 50 events of a source. */
export const sourceEventsQuery = (source: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.events(source),
    queryFn: async ({ signal }) =>
      (await call(methods.events.listBySource, { params: sourceIds(source), query: { page_size: 50 }, signal })).events,
  })

/** The newest events of a workspace. */
export const workspaceEventsQuery = (workspace: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: keys.events(workspace),
    queryFn: async ({ signal }) =>
      (await call(methods.events.list, { params: workspaceIds(workspace), query: { page_size: 8 }, signal })).events,
  })

/** The events of a workspace that the filters leave, newest first, by pages of 50. */
export const filteredEventsQuery = (workspace: string, filters: EventFilters) =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.events(workspace), 'filtered', filters],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.events.list, {
        params: workspaceIds(workspace),
        query: { ...eventQueryOf(filters, Date.now()), page_size: 50, page_token: pageParam },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 10_000),
  })

/** One event whole. A live event is stored up to about a second after it is shown, so a 404 is asked again for 5 s. */
export const eventQuery = (workspace: string, event: string) =>
  queryOptions({
    ...product,
    queryKey: keys.event(`${workspace}/events/${event}`),
    retry: (failures, error) => error instanceof ApiError && error.status === 404 && failures < 12,
    retryDelay: 400,
    queryFn: ({ signal }) => call(methods.events.get, { params: { ...workspaceIds(workspace), event }, signal }),
  })

/** Requests that were refused at a source, by reason. */
export const refusedQuery = (source: string) =>
  queryOptions({
    ...product,
    queryKey: keys.refused(source),
    refetchInterval: 10_000,
    queryFn: async ({ signal }) =>
      (
        await call(methods.refusedRequests.listBySource, {
          params: sourceIds(source),
          query: { page_size: 200 },
          signal,
        })
      ).refused_requests,
  })

/** For platform admins: what was refused without a source to show it on. */
export const unownedRefusedQuery = () =>
  queryOptions({
    ...product,
    queryKey: keys.unownedRefused(),
    refetchInterval: 10_000,
    queryFn: async ({ signal }) =>
      (await call(methods.refusedRequests.listUnowned, { query: { page_size: 200 }, signal })).refused_requests,
  })

/** Accepted events of a source that were left out in the last 24 hours, by reason. */
export const droppedQuery = (source: string) =>
  queryOptions({
    ...product,
    queryKey: keys.dropped(source),
    refetchInterval: 10_000,
    queryFn: async ({ signal }) =>
      (await call(methods.droppedEvents.listBySource, { params: sourceIds(source), query: { page_size: 200 }, signal }))
        .dropped_events,
  })

/** Attempts of a destination, newest first, by pages of 50; `status` '' means any. */
export const deliveriesQuery = (destination: string, status: DeliveryStatus | '') =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.deliveries(destination), 'attempts', status],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.deliveries.list, {
        params: destinationIds(destination),
        query: { page_size: 50, page_token: pageParam, ...(status === '' ? {} : { status }) },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.pages.length > 1
        ? false
        : (data?.pages[0]?.waiting.event_count ?? 0) > 0
          ? 2_000
          : 5_000,
  })

/** What is held for a destination in one state, latest first, by pages of 50. */
export const parkedQuery = (destination: string, state: ParkedDelivery['state']) =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.deliveries(destination), 'parked', state],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.deliveries.listParked, {
        params: destinationIds(destination),
        query: { page_size: 50, page_token: pageParam, state },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 5_000),
  })
