import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { type DeliveryStatus, type FailureGroup, methods, resourceNames } from '@tributary/contract'
import { call } from './client.ts'
import { bucketsOf, type RangePreset, rangeOf, viewOf } from './date-range.ts'
import { type EventFilters, eventQueryOf } from './event-filters.ts'
import { destinationIds, failureGroupIds, sourceIds, workspaceIds } from './names.ts'
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

/** The payloads of events of a source, by their ids joined by commas; those that are not stored yet are left out. */
export const eventPayloadsQuery = (source: string, ids: string) =>
  queryOptions({
    ...product,
    staleTime: 0,
    gcTime: 0,
    queryKey: [...keys.events(source), 'payloads', ids],
    queryFn: async ({ signal }) =>
      (await call(methods.events.batchGetBySource, { params: sourceIds(source), query: { event_ids: ids }, signal }))
        .events,
  })

/** Milliseconds until an event that is not stored yet is looked for again. */
export const pendingMs = 500

/** One event whole. A live event is shown about a second before it is stored: until then its state is `pending`. */
export const eventQuery = (workspace: string, event: string) =>
  queryOptions({
    ...product,
    queryKey: keys.event(`${workspace}/events/${event}`),
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

/** What was refused because its key belonged to a source of the workspace that is deleted. */
export const refusedOfDeletedQuery = (workspace: string) =>
  queryOptions({
    ...product,
    queryKey: keys.refusedOfDeleted(workspace),
    refetchInterval: 10_000,
    queryFn: async ({ signal }) => {
      const query = { page_size: 200, source_deleted: 'true' as const }
      const { refused_requests } = await call(methods.refusedRequests.list, {
        params: workspaceIds(workspace),
        query,
        signal,
      })
      return refused_requests
    },
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

/** What the list of a destination's attempts is narrowed by; '' is no filter. */
export type DeliveryFilters = { status: DeliveryStatus | ''; range: RangePreset | ''; source: string }

const sinceOf = (range: RangePreset | ''): { start_time?: string } =>
  range === '' ? {} : { start_time: new Date(rangeOf(range, Date.now()).start_date.seconds * 1000).toISOString() }

/** Attempts of a destination, newest first, by pages of 50. */
export const deliveriesQuery = (destination: string, { status, range, source }: DeliveryFilters) =>
  infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.deliveries(destination), 'attempts', status, range, source],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.deliveries.list, {
        params: destinationIds(destination),
        query: {
          page_size: 50,
          page_token: pageParam,
          ...(status === '' ? {} : { status }),
          ...(source === '' ? {} : { source }),
          ...sinceOf(range),
        },
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

/** While something is on its way, what is held changes by the second. */
const movingMs = 2_000

/** What the list of what is held is narrowed by; '' is no filter. `range` is about when dead letters were given up. */
export type FailureFilters = { state: FailureGroup['state'] | ''; range: RangePreset | '' }

/** What is held for a destination by its cause, the 100 largest groups. */
export const failureGroupsQuery = (destination: string, { state, range }: FailureFilters) =>
  queryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.deliveries(destination), 'groups', state, range],
    queryFn: async ({ signal }) =>
      (
        await call(methods.failureGroups.list, {
          params: destinationIds(destination),
          query: { page_size: 100, ...(state === '' ? {} : { state }), ...sinceOf(range) },
          signal,
        })
      ).failure_groups,
    refetchInterval: ({ state: { data } }) =>
      data?.some(({ state }) => state === 'waiting') === true ? movingMs : 5_000,
  })

/** One failure group by resource name. */
export const failureGroupQuery = (group: string) => {
  const { failure_group, ...ids } = failureGroupIds(group)
  return queryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.deliveries(resourceNames.destination.format(ids)), 'group', failure_group],
    retry: false,
    queryFn: ({ signal }) => call(methods.failureGroups.get, { params: { ...ids, failure_group }, signal }),
    refetchInterval: ({ state: { data, error } }) =>
      error !== null ? false : data?.state === 'waiting' ? movingMs : 5_000,
  })
}

/** What is held for one cause, latest first, by pages of 20. */
export const groupDeliveriesQuery = (group: string) => {
  const { failure_group, ...ids } = failureGroupIds(group)
  return infiniteQueryOptions({
    ...product,
    staleTime: 0,
    queryKey: [...keys.deliveries(resourceNames.destination.format(ids)), 'group', failure_group, 'parked'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(methods.deliveries.listParked, {
        params: ids,
        query: { page_size: 20, page_token: pageParam, failure_group: group },
        signal,
      }),
    getNextPageParam: (page) => (page.next_page_token === '' ? undefined : page.next_page_token),
    refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 5_000),
  })
}

/** What became of the events of a destination over a range and the period before it. */
export const deliveryOverviewQuery = (destination: string, preset: RangePreset) =>
  queryOptions({
    ...product,
    staleTime: 5_000,
    queryKey: [...keys.deliveries(destination), 'overview', preset],
    queryFn: async ({ signal }) => {
      const now = Date.now()
      const { start_date, end_date } = rangeOf(preset, now)
      const overview = await call(methods.deliveryOverviews.get, {
        params: destinationIds(destination),
        query: {
          'start_date.seconds': start_date.seconds,
          'end_date.seconds': end_date.seconds,
          granularity: viewOf(preset).granularity,
        },
        signal,
      })
      return { ...overview, names: bucketsOf(preset, now) }
    },
    refetchInterval: ({ state: { data } }) => {
      // Somebody waits for the first event; nothing is cheap to count.
      if (data?.current.received === 0) return movingMs
      if (preset !== '1day' && preset !== '7days') return 60_000
      return (data?.waiting.event_count ?? 0) > 0 ? 5_000 : 15_000
    },
  })
