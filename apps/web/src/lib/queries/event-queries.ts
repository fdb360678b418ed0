import { queryOptions } from '@tanstack/react-query'
import { type DeliveryStatus, type FailureGroup, methods } from '@tributary/contract'
import { call } from '../api/client.ts'
import { type EventFilters, eventQueryOf } from '../events/event-filters.ts'
import { bucketsOf, type RangePreset, rangeOf, viewOf } from '../format/date-range.ts'
import { destinationIds, failureGroupIds, sourceIds, workspaceIds } from '../format/names.ts'
import { pagesQuery, query } from './query.ts'
import { product } from './query-client.ts'
import { keyOf } from './query-key.ts'

/** The newest events of a workspace. */
export const workspaceEventsQuery = (workspace: string) =>
  query(
    methods.events.list,
    { params: workspaceIds(workspace), query: { page_size: 8 } },
    { staleTime: 0, read: ({ events }) => events },
  )

/** Reads the events of a workspace that match the filters, newest first, by pages of 50. */
export const filteredEventsQuery = (workspace: string, filters: EventFilters) =>
  pagesQuery(
    methods.events.list,
    { params: workspaceIds(workspace), query: { page_size: 50 } },
    {
      clocked: { of: filters, at: (now) => eventQueryOf(filters, now) },
      refetchInterval: ({ state: { data } }) => (data !== undefined && data.pages.length > 1 ? false : 10_000),
    },
  )

/** Pause in ms before an event that is not stored yet is read again. */
export const pendingMs = 500

/**
 * Reads one event with all its data. A live event is shown about a second before it is stored: until then, its state is
 * `pending`.
 */
export const eventQuery = (workspace: string, event: string) =>
  query(methods.events.get, { params: { ...workspaceIds(workspace), event } })

/** Reads the refused requests of a source, by reason. */
export const refusedQuery = (source: string) =>
  query(
    methods.refusedRequests.listBySource,
    { params: sourceIds(source), query: { page_size: 200 } },
    { refetchInterval: 10_000, read: ({ refused_requests }) => refused_requests },
  )

/** The filters of a destination's attempts; '' is no filter. */
export type DeliveryFilters = {
  status: DeliveryStatus | ''
  range: RangePreset | ''
  /** The sender, by resource name. At most one of `source`, `audience`, and `signal` is given. */
  source: string
  audience: string
  signal: string
  event_id: string
  /** A reason of `leftOutQuery`. */
  left_out: string
}

const since = (range: RangePreset | '') => ({
  of: range,
  at: (now: number) =>
    range === '' ? {} : { start_time: new Date(rangeOf(range, now).start_date.seconds * 1000).toISOString() },
})

const senderOf = ({ source, audience, signal }: Pick<DeliveryFilters, 'source' | 'audience' | 'signal'>) =>
  signal !== '' ? { signal } : audience !== '' ? { audience } : source === '' ? {} : { source }

/** Attempts of a destination, newest first, by pages of 50. */
export const deliveriesQuery = (
  destination: string,
  { status, range, event_id, left_out, ...senders }: DeliveryFilters,
) =>
  pagesQuery(
    methods.deliveries.list,
    {
      params: destinationIds(destination),
      query: {
        page_size: 50,
        ...(status === '' ? {} : { status }),
        ...(event_id === '' ? {} : { event_id }),
        ...(left_out === '' ? {} : { left_out }),
        ...senderOf(senders),
      },
    },
    {
      clocked: since(range),
      refetchInterval: ({ state: { data } }) =>
        data !== undefined && data.pages.length > 1
          ? false
          : (data?.pages[0]?.waiting.event_count ?? 0) > 0
            ? 2_000
            : 5_000,
    },
  )

/** The reasons why parts of a destination's events were left out over a range, the most frequent first. */
export const leftOutQuery = (destination: string, preset: RangePreset) =>
  queryOptions({
    ...product,
    staleTime: 15_000,
    refetchInterval: 60_000,
    queryKey: keyOf(methods.leftOutCounts.get, { params: destinationIds(destination), of: preset }),
    queryFn: async ({ signal }) => {
      const { start_date, end_date } = rangeOf(preset, Date.now())
      const { left_out } = await call(methods.leftOutCounts.get, {
        params: destinationIds(destination),
        query: { 'start_date.seconds': start_date.seconds, 'end_date.seconds': end_date.seconds },
        signal,
      })
      return left_out
    },
  })

/**
 * Pause in ms between reads while deliveries are in progress: the numbers of held deliveries then change every second.
 */
const movingMs = 2_000

/**
 * The filters of the list of held deliveries; '' is no filter. `range` is the time when deliveries became dead letters.
 */
export type FailureFilters = { state: FailureGroup['state'] | ''; range: RangePreset | '' }

/** The held deliveries of a destination by cause, the 100 largest groups. */
export const failureGroupsQuery = (destination: string, { state, range }: FailureFilters) =>
  query(
    methods.failureGroups.list,
    { params: destinationIds(destination), query: { page_size: 100, ...(state === '' ? {} : { state }) } },
    {
      clocked: since(range),
      read: ({ failure_groups }) => failure_groups,
      staleTime: 0,
      refetchInterval: ({ state: { data } }) =>
        data?.some(({ state }) => state === 'waiting') === true ? movingMs : 5_000,
    },
  )

/** One failure group by resource name. */
export const failureGroupQuery = (group: string) =>
  query(
    methods.failureGroups.get,
    { params: failureGroupIds(group) },
    {
      staleTime: 0,
      refetchInterval: ({ state: { data, error } }) =>
        error !== null ? false : data?.state === 'waiting' ? movingMs : 5_000,
    },
  )

/** The outcomes of a destination's events over a range and the period before it. */
export const deliveryOverviewQuery = (destination: string, preset: RangePreset) =>
  queryOptions({
    ...product,
    staleTime: 5_000,
    queryKey: keyOf(methods.deliveryOverviews.get, { params: destinationIds(destination), of: preset }),
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
      // Before the first event, a user waits for it, and counting is cheap, so the pause is short.
      if (data?.current.received === 0) return movingMs
      if (preset !== '1day' && preset !== '7days') return 60_000
      return (data?.waiting.event_count ?? 0) > 0 ? 5_000 : 15_000
    },
  })
