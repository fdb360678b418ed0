import type { Db } from '@tributary/api-kit'
import { type DeliveryOutcomes, waitsForEarlierChange } from '@tributary/contract'
import type { EventStore } from '@tributary/storage'
import { sql } from 'kysely'

/** Which deliveries are counted: those whose last row lies from `from` to before `end`, epoch ms. */
export type OutcomeScope = {
  workspaceId: string
  destinationId?: string | undefined
  sourceId?: string | undefined
  from: number
  end: number
  /** The start of the current period, epoch ms. Everything before belongs to the previous period. */
  split?: number
}

/** The groups for counting outcomes. */
export type OutcomeGroups = {
  /** Length of a bucket of the current period, seconds; 0 for a single one. */
  bucketSeconds: number
  /** Groups by source and destination. */
  ends?: boolean
  /** Groups by the reason of filtering or failure. */
  reasons?: boolean
  /** Only failed ones, for which less is read. */
  failedOnly?: boolean
}

/** Outcomes as numbers: the larger one wins when two rows of an event have the same time and attempt. */
const outcomes = ['filtered', 'pending', 'failed', 'delivered'] as const

/** Deliveries of one outcome. */
export type OutcomeRow = {
  current: boolean
  /** Start of the bucket in epoch seconds; 0 in the previous period, and if there is a single bucket. */
  bucket: number
  /** IDs of its ends; '' when they are not grouped by ends. */
  source: string
  destination: string
  outcome: (typeof outcomes)[number]
  /** Delivered without a failure before, by itself. */
  firstTry: boolean
  /** Hash of the reason, made by `reasonKey`; 0 without a reason. */
  reason: number
  events: number
}

/** 53 bits of a hash, which a JavaScript number represents exactly. */
export const reasonKey = 'bitAnd(cityHash64(reason), 9007199254740991)'

const codeOf = `multiIf(status = 'delivered', 3, status = 'dead', 2, status = 'retry', 1, 0)`

/** One event for one destination. */
const key = 'cityHash64(destination_id, event_id)'

/** The condition of the rows of the delivery log that a scope is about; `outcomeParams` are its parameters. */
export const outcomeRange = ({ destinationId, sourceId }: OutcomeScope): string =>
  [
    'workspace_id = {workspace:String}',
    ...(destinationId === undefined ? [] : ['destination_id = {destination:String}']),
    ...(sourceId === undefined ? [] : ['source_id = {source:String}']),
    'time >= fromUnixTimestamp64Milli({from:Int64})',
    'time < fromUnixTimestamp64Milli({end:Int64})',
  ].join(' and ')

/** Parameters of the queries of a scope. */
export const outcomeParams = ({ workspaceId, destinationId, sourceId, from, end, split = from }: OutcomeScope) => ({
  workspace: workspaceId,
  ...(destinationId === undefined ? {} : { destination: destinationId }),
  ...(sourceId === undefined ? {} : { source: sourceId }),
  from,
  end,
  split,
})

const bucketOf = (seconds: string, length: number): string =>
  length === 0 ? '0 as bucket' : `if(current, intDiv(${seconds}, {length:UInt32}) * {length:UInt32}, 0) as bucket`

/** Deliveries that were ever anything but delivered at once and by themselves; the last row of a failed one is dead. */
const troubled = (range: string, { failedOnly = false }: OutcomeGroups): string =>
  `(select ${key} from deliveries where ${range} and ${
    failedOnly ? "status = 'dead'" : "(status != 'delivered' or attempt > 1 or replay_id != '')"
  })`

/**
 * Most events are delivered at once: they have a single row, so none of them must be kept in memory to find its last
 * one. For 5 million rows over 60 days, a tenth of them troubled, on two busy cores, all queries together took 4 to 5 s
 * (for one day 0.25 s). Grouping every event took 7 to 12 s. A delivery repeated after a crash counts once, unless a
 * bucket has ended in between.
 */
const cleanQuery = (range: string, groups: OutcomeGroups): string => `
  select time >= fromUnixTimestamp64Milli({split:Int64}) as current,
    ${bucketOf('toUnixTimestamp(time)', groups.bucketSeconds)},
    ${groups.ends === true ? 'source_id' : "''"} as source, ${groups.ends === true ? 'destination_id' : "''"} as target,
    3 as code, 1 as first_try, 0 as why, uniqExact(${key}) as events
  from deliveries
  where ${range} and status = 'delivered' and attempt <= 1 and ${key} not in ${troubled(range, groups)}
  group by current, bucket, source, target`

/**
 * Deliveries by their last row: time, attempt and outcome of a row go into one number, whose largest is the last row of a delivery. The
 * primary key (workspace, destination, time) limits the rows that are read.
 */
const troubledQuery = (range: string, groups: OutcomeGroups): string => `
  select
    (ms >= {split:Int64}) as current, ${bucketOf('intDiv(ms, 1000)', groups.bucketSeconds)},
    source, target, code, first_try, why, count() as events
  from (
    select max(row) as last, toInt64(bitShiftRight(last, 15)) as ms, bitAnd(last, 7) as code,
      ${groups.ends === true ? 'any(source_id)' : "''"} as source,
      ${groups.ends === true ? 'any(destination_id)' : "''"} as target,
      not max(failed) and bitAnd(last, 32760) <= 8 as first_try,
      ${groups.reasons === true ? 'argMax(reason_key, row)' : '0'} as why
    from (
      select event_id, source_id, destination_id, ${codeOf} as status_code, status_code in (1, 2) as failed,
        bitShiftLeft(toUInt64(toUnixTimestamp64Milli(time)), 15) + bitShiftLeft(toUInt64(least(attempt, 4095)), 3)
          + status_code as row,
        ${groups.reasons === true ? `if(status_code in (0, 2), ${reasonKey}, 0)` : '0'} as reason_key
      from deliveries where ${range} and ${key} in ${troubled(range, groups)})
    group by ${key})
  group by current, bucket, source, target, code, first_try, why`

type Row = {
  current: number
  bucket: number
  source: string
  target: string
  code: number
  first_try: number
  why: number
  events: number
}

const presentRow = (row: Row): OutcomeRow => ({
  current: Number(row.current) === 1,
  bucket: Number(row.bucket),
  source: row.source,
  destination: row.target,
  outcome: outcomes[Number(row.code)] ?? 'filtered',
  firstTry: Number(row.first_try) === 1,
  reason: Number(row.why),
  events: Number(row.events),
})

type Untried = {
  current: boolean
  bucket: string
  source: string
  target: string
  state: 'waiting' | 'dead'
  events: string
}

/** Events that are held or were given up without an attempt: they have no row in the delivery log. */
const countUntried = async (db: Db, scope: OutcomeScope, groups: OutcomeGroups): Promise<OutcomeRow[]> => {
  const { workspaceId, destinationId, sourceId, from, end, split = from } = scope
  const current = sql`first_time >= ${new Date(split)}`
  const length = groups.bucketSeconds
  const bucket =
    length === 0
      ? sql`0`
      : sql`case when ${current} then floor(extract(epoch from first_time) / ${length}) * ${length} else 0 end`
  const { rows } = await sql<Untried>`
    select current, bucket, source, target, state, sum(event_count) as events
    from (
      select ${current} as current, ${bucket} as bucket, state, event_count,
        ${groups.ends === true ? sql`source_id::text` : sql`''`} as source,
        ${groups.ends === true ? sql`destination_id::text` : sql`''`} as target
      from parked_deliveries
      where workspace_id = ${workspaceId}
        and ${destinationId === undefined ? sql`true` : sql`destination_id = ${destinationId}`}
        and ${sourceId === undefined ? sql`true` : sql`source_id = ${sourceId}`}
        and ${groups.failedOnly === true ? sql`state = 'dead'` : sql`true`}
        and attempts = 0 and last_status is null and (last_reason in ('', ${waitsForEarlierChange}) or state = 'dead')
        and first_time >= ${new Date(from)} and first_time < ${new Date(end)}) untried
    group by 1, 2, 3, 4, 5`.execute(db)
  return rows.map((row) => ({
    current: row.current,
    bucket: Number(row.bucket),
    source: row.source,
    destination: row.target,
    outcome: row.state === 'dead' ? 'failed' : 'pending',
    firstTry: false,
    reason: 0,
    events: Number(row.events),
  }))
}

/**
 * The outcomes of deliveries, as `deliveryOutcomes` of the contract defines them: `tried` from the delivery log, `untried` from parked
 * deliveries. Every figure about delivery is a sum of these rows.
 */
export const countOutcomes = async (
  { db, eventStore }: { db: Db; eventStore: EventStore },
  scope: OutcomeScope,
  groups: OutcomeGroups,
  signal: AbortSignal,
): Promise<{ tried: OutcomeRow[]; untried: OutcomeRow[] }> => {
  const range = outcomeRange(scope)
  const params = {
    ...outcomeParams(scope),
    ...(groups.bucketSeconds === 0 ? {} : { length: groups.bucketSeconds }),
  }
  const options = { owner: scope.workspaceId, slot: 'heavy', signal } as const
  const [clean, others, untried] = await Promise.all([
    groups.failedOnly === true ? [] : eventStore.query<Row>(cleanQuery(range, groups), params, options),
    eventStore.query<Row>(troubledQuery(range, groups), params, options),
    countUntried(db, scope, groups),
  ])
  return { tried: [...clean, ...others].map(presentRow), untried }
}

/** The sum of counted rows by outcome. */
export const sumOutcomes = (rows: readonly OutcomeRow[]): DeliveryOutcomes => {
  const totals = { received: 0, filtered: 0, pending: 0, failed: 0, delivered: 0 }
  for (const { outcome, events } of rows) {
    totals.received += events
    totals[outcome] += events
  }
  return totals
}
