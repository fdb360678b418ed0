import type { DeliveryBucket, DeliveryTotals } from '@tributary/contract'
import type { EventStore } from '@tributary/storage'

/** A destination over two periods, epoch ms: the current one from `start` to before `end`, the other from `before`. */
export type Counted = {
  workspaceId: string
  destinationId: string
  before: number
  start: number
  end: number
  /** Length of a bucket of the current period in seconds. */
  bucketSeconds: number
}

type Row = {
  current: number
  /** Epoch seconds of its start; 0 in the previous period. */
  bucket: number
  outcome: number
  first_try: number
  reason: number
  events: number
}

/** Outcomes as numbers: the larger one wins when two rows of an event have the same time and attempt. */
const outcomes = ['filtered', 'retry', 'dead', 'delivered'] as const

const codeOf = `multiIf(status = 'delivered', 3, status = 'dead', 2, status = 'retry', 1, 0)`

/** 53 bits of a hash: what a number holds exactly. */
const reasonKey = 'bitAnd(cityHash64(reason), 9007199254740991)'

const range = `workspace_id = {workspace:String} and destination_id = {destination:String}
  and time >= fromUnixTimestamp64Milli({before:Int64}) and time < fromUnixTimestamp64Milli({end:Int64})`

const key = 'cityHash64(event_id)'

/** Events that were ever anything but delivered at once and by themselves. */
const troubled = `(select ${key} from deliveries where ${range} and (status != 'delivered' or attempt > 1 or replay_id != ''))`

const bucketOf = (seconds: string): string =>
  `if(current, intDiv(${seconds}, {length:UInt32}) * {length:UInt32}, 0) as bucket`

/**
 * Most events are delivered at once: they have a single row, so none of them has to be kept in memory to find its last
 * one. Of 5 million rows over 60 days, a tenth of them troubled, on two busy cores all queries together took 4 to 5 s (a
 * day of them 0.25 s); grouping every event took 7 to 12 s. A delivery repeated after a
 * crash counts once, unless an hour or day has ended in between.
 */
const cleanQuery = `
  select time >= fromUnixTimestamp64Milli({start:Int64}) as current, ${bucketOf('toUnixTimestamp(time)')},
    3 as outcome, 1 as first_try, 0 as reason, uniqExact(${key}) as events
  from deliveries where ${range} and status = 'delivered' and attempt <= 1 and ${key} not in ${troubled}
  group by current, bucket`

/**
 * Events by their last row: time, attempt and outcome of a row go into one number, whose largest is the last row of an
 * event. The primary key (workspace, destination, time) narrows down what is read.
 */
const troubledQuery = `
  select
    (ms >= {start:Int64}) as current, ${bucketOf('intDiv(ms, 1000)')},
    outcome, first_try, reason, count() as events
  from (
    select max(row) as last, toInt64(bitShiftRight(last, 15)) as ms, bitAnd(last, 7) as outcome,
      not max(failed) and bitAnd(last, 32760) <= 8 as first_try, argMax(why, row) as reason
    from (
      select event_id, ${codeOf} as code, code in (1, 2) as failed,
        bitShiftLeft(toUInt64(toUnixTimestamp64Milli(time)), 15) + bitShiftLeft(toUInt64(least(attempt, 4095)), 3) + code as row,
        if(code in (0, 2), ${reasonKey}, 0) as why
      from deliveries where ${range} and ${key} in ${troubled})
    group by ${key})
  group by current, bucket, outcome, first_try, reason`

const reasonsQuery = `
  select ${reasonKey} as key, any(reason) as text from deliveries
  where ${range} and time >= fromUnixTimestamp64Milli({start:Int64}) and status in ('filtered', 'dead')
  group by key limit 1000`

/** Exact below a second, to 16 ms above; half a minute and more counts as half a minute. */
const latencyQuery = `
  select time >= fromUnixTimestamp64Milli({start:Int64}) as current, quantileTiming(0.95)(latency_ms) as p95
  from deliveries where ${range} and status = 'delivered' group by current`

const emptyTotals = (): DeliveryTotals => ({
  received: 0,
  filtered: 0,
  pending: 0,
  failed: 0,
  delivered: 0,
  first_try: 0,
  p95_latency_ms: null,
})

/** Reasons told of each outcome. */
const mostReasons = 20

const reasonsOf = (rows: readonly Row[], texts: ReadonlyMap<number, string>) =>
  (['filtered', 'dead'] as const).flatMap((status) => {
    const counts = new Map<number, number>()
    for (const row of rows)
      if (row.current === 1 && outcomes[row.outcome] === status)
        counts.set(row.reason, (counts.get(row.reason) ?? 0) + row.events)
    return [...counts]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, mostReasons)
      .map(([key, event_count]) => ({ status, reason: texts.get(key) ?? '', event_count }))
  })

const totalsOf = (rows: readonly Row[], p95: number | undefined): DeliveryTotals => {
  const totals = { ...emptyTotals(), p95_latency_ms: p95 === undefined ? null : Math.round(p95) }
  for (const { outcome, first_try, events } of rows) {
    const kind = outcomes[outcome]
    totals.received += events
    if (kind === 'filtered') totals.filtered += events
    else if (kind === 'retry') totals.pending += events
    else if (kind === 'dead') totals.failed += events
    else totals.delivered += events
    if (kind === 'delivered' && first_try === 1) totals.first_try += events
  }
  return totals
}

const bucketsOf = (rows: readonly Row[]): Map<number, DeliveryBucket> => {
  const buckets = new Map<number, DeliveryBucket>()
  for (const { current, bucket: start, outcome, first_try, events } of rows) {
    if (current === 0 || outcomes[outcome] === 'retry') continue
    const bucket = buckets.get(start) ?? { delivered: 0, retried: 0, failed: 0, filtered: 0 }
    buckets.set(start, bucket)
    const kind = outcomes[outcome]
    if (kind === 'filtered') bucket.filtered += events
    else if (kind === 'dead') bucket.failed += events
    else if (first_try === 1) bucket.delivered += events
    else bucket.retried += events
  }
  return buckets
}

/**
 * What the delivery log says became of the events of a destination: each counts once, in the period and bucket (by the
 * start of the bucket, epoch seconds) of its last row.
 */
export const countDeliveries = async (
  eventStore: EventStore,
  { workspaceId, destinationId, before, start, end, bucketSeconds }: Counted,
  signal: AbortSignal,
) => {
  const params = { workspace: workspaceId, destination: destinationId, before, start, end, length: bucketSeconds }
  const options = { owner: workspaceId, lane: 'heavy', signal } as const
  const [clean, others, latencies, texts] = await Promise.all([
    eventStore.query<Row>(cleanQuery, params, options),
    eventStore.query<Row>(troubledQuery, params, options),
    eventStore.query<{ current: number; p95: number }>(latencyQuery, params, options),
    eventStore.query<{ key: number; text: string }>(reasonsQuery, params, options),
  ])
  const rows = [...clean, ...others].map((row) => ({
    current: Number(row.current),
    bucket: Number(row.bucket),
    outcome: Number(row.outcome),
    first_try: Number(row.first_try),
    reason: Number(row.reason),
    events: Number(row.events),
  }))
  const p95 = new Map(latencies.map((row) => [Number(row.current), Number(row.p95)]))
  const of = (current: 0 | 1): DeliveryTotals =>
    totalsOf(
      rows.filter((row) => row.current === current),
      p95.get(current),
    )
  return {
    current: of(1),
    previous: of(0),
    buckets: bucketsOf(rows),
    reasons: reasonsOf(rows, new Map(texts.map(({ key, text }) => [Number(key), text]))),
  }
}
