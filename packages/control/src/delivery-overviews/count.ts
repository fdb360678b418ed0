import type { DeliveryBucket, DeliveryTotals } from '@tributary/contract'
import {
  countOutcomes,
  type OutcomeRow,
  type OutcomeScope,
  outcomeParams,
  outcomeRange,
  reasonKey,
  sumOutcomes,
} from '../delivery-outcomes/count.ts'
import type { ControlDeps } from '../deps.ts'

/**
 * A destination and two periods, epoch ms: the current one from `start` to before `end`, and the previous one from
 * `before` to before `start`.
 */
export type Counted = {
  workspaceId: string
  destinationId: string
  before: number
  start: number
  end: number
  /** Length of a bucket of the current period in seconds. */
  bucketSeconds: number
}

const reasonsQuery = (scope: OutcomeScope): string => `
  select ${reasonKey} as key, any(reason) as text from deliveries
  where ${outcomeRange(scope)} and time >= fromUnixTimestamp64Milli({split:Int64}) and status in ('filtered', 'dead')
  group by key limit 1000`

/**
 * Selects latencies of deliveries. They are exact below one second and accurate to 16 ms above. Half a minute or more
 * counts as half a minute.
 */
const latencyQuery = (scope: OutcomeScope): string => `
  select time >= fromUnixTimestamp64Milli({split:Int64}) as current, quantileTiming(0.95)(latency_ms) as p95
  from deliveries where ${outcomeRange(scope)} and status = 'delivered' group by current`

/** Maximum number of reasons that are shown for each outcome. */
const maxReasons = 20

const reasonsOf = (rows: readonly OutcomeRow[], texts: ReadonlyMap<number, string>) =>
  (['filtered', 'failed'] as const).flatMap((outcome) => {
    const counts = new Map<number, number>()
    for (const row of rows)
      if (row.current && row.outcome === outcome) counts.set(row.reason, (counts.get(row.reason) ?? 0) + row.events)
    return [...counts]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, maxReasons)
      .map(([key, event_count]) => ({
        status: outcome === 'failed' ? ('dead' as const) : outcome,
        reason: texts.get(key) ?? '',
        event_count,
      }))
  })

const bucketsOf = (rows: readonly OutcomeRow[]): Map<number, DeliveryBucket> => {
  const buckets = new Map<number, DeliveryBucket>()
  for (const { current, bucket: start, outcome, firstTry, events } of rows) {
    if (!current || outcome === 'pending') continue
    const bucket = buckets.get(start) ?? { delivered: 0, retried: 0, failed: 0, filtered: 0 }
    buckets.set(start, bucket)
    bucket[outcome === 'delivered' && !firstTry ? 'retried' : outcome] += events
  }
  return buckets
}

/**
 * Counts the outcomes of the deliveries of a destination. Each delivery counts once, in the period and bucket of its
 * last row. A bucket is identified by its start in epoch seconds.
 */
export const countDeliveries = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore'>,
  { workspaceId, destinationId, before, start, end, bucketSeconds }: Counted,
  signal: AbortSignal,
) => {
  const scope = { workspaceId, destinationId, from: before, end, split: start }
  const params = outcomeParams(scope)
  const options = { owner: workspaceId, slot: 'heavy', signal } as const
  const [{ tried, untried }, latencies, texts] = await Promise.all([
    countOutcomes(deps, scope, { bucketSeconds, reasons: true }, signal),
    deps.eventStore.query<{ current: number; p95: number }>(latencyQuery(scope), params, options),
    deps.eventStore.query<{ key: number; text: string }>(reasonsQuery(scope), params, options),
  ])
  const p95 = new Map(latencies.map((row) => [Number(row.current), Number(row.p95)]))
  const of = (current: boolean): DeliveryTotals => {
    const rows = [...tried, ...untried].filter((row) => row.current === current)
    const latency = p95.get(Number(current))
    return {
      ...sumOutcomes(rows),
      first_try: sumOutcomes(rows.filter(({ firstTry }) => firstTry)).delivered,
      p95_latency_ms: latency === undefined ? null : Math.round(latency),
    }
  }
  return {
    current: of(true),
    previous: of(false),
    buckets: bucketsOf([...tried, ...untried]),
    reasons: reasonsOf(tried, new Map(texts.map(({ key, text }) => [Number(key), text]))),
  }
}
