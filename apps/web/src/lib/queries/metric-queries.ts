import { queryOptions } from '@tanstack/react-query'
import { type Compatibility, type Granularity, type MetricName, methods } from '@tributary/contract'
import { call } from '../api/client.ts'
import {
  bucketsOf,
  type DateRange,
  filled,
  previousBucketsOf,
  previousRange,
  type RangePreset,
  rangeOf,
  type Totals,
  viewOf,
} from '../format/date-range.ts'
import { workspaceIds } from '../format/names.ts'
import { product } from './query-client.ts'
import { keyOf as queryKeyOf } from './query-key.ts'

/** The scope of a count: the whole workspace, one source, or events with one validation result. */
export type Counted = {
  workspace: string
  metric: MetricName
  source?: string | undefined
  compatibility?: Compatibility | undefined
}

/**
 * Counts by bucket, oldest first. `previousValues` are the counts of the same number of buckets before, in the same
 * order.
 */
export type Series = Totals & { buckets: string[]; values: number[]; previousValues: number[] }

const read = (
  { workspace, ...counted }: Counted,
  range: DateRange,
  granularity: Granularity,
  signal: AbortSignal,
): Promise<Record<string, number>> =>
  call(methods.metrics.get, {
    params: workspaceIds(workspace),
    query: {
      ...counted,
      'start_date.seconds': range.start_date.seconds,
      'end_date.seconds': range.end_date.seconds,
      granularity,
    },
    signal,
  })

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const counting = { ...product, staleTime: 10_000, refetchInterval: 30_000 } as const

const keyOf = ({ workspace, ...counted }: Counted, preset: RangePreset, what: 'series' | 'total') =>
  queryKeyOf(methods.metrics.get, { params: workspaceIds(workspace), query: counted, of: [preset, what] })

/** Counts by hour or day, up to now, with the previous period. One call reads both: the range starts with a bucket. */
export const seriesQuery = (counted: Counted, preset: RangePreset) =>
  queryOptions({
    ...counting,
    queryKey: keyOf(counted, preset, 'series'),
    queryFn: async ({ signal }): Promise<Series> => {
      const now = Date.now()
      const range = rangeOf(preset, now)
      const both = { start_date: previousRange(range).start_date, end_date: range.end_date }
      const counts = await read(counted, both, viewOf(preset).granularity, signal)
      const buckets = bucketsOf(preset, now)
      const values = filled(buckets, counts)
      const previousValues = filled(previousBucketsOf(preset, now), counts)
      return { buckets, values, previousValues, total: sum(values), previous: sum(previousValues) }
    },
  })

/** Counts over a whole range and the previous one: for metrics whose buckets cannot be added up, such as profiles. */
export const totalsQuery = (counted: Counted, preset: RangePreset) =>
  queryOptions({
    ...counting,
    queryKey: keyOf(counted, preset, 'total'),
    queryFn: async ({ signal }): Promise<Totals> => {
      const range = rangeOf(preset, Date.now())
      const [total, previous] = await Promise.all(
        [range, previousRange(range)].map((each) => read(counted, each, 'total', signal)),
      )
      return { total: total?.total ?? 0, previous: previous?.total ?? 0 }
    },
  })
