import { countProfiles, referenceIn } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import { type Granularity, type MetricName, type methods, metricRangeDays, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { sql } from 'kysely'
import { countOutcomes, sumOutcomes } from '../delivery-outcomes/count.ts'
import type { ControlDeps } from '../deps.ts'
import { bucketName, bucketSeconds } from './buckets.ts'

type OfEvents = { where: string } | { profiles: true }
type Counted = OfEvents | { outcome: 'delivered' | 'failed' } | { syncs: 'failed' }

const counted: Record<MetricName, Counted> = {
  events_received: { where: "status in ('accepted', 'blocked', 'held')" },
  events_rejected: { where: "status = 'rejected'" },
  events_blocked: { where: "status = 'blocked'" },
  events_held: { where: "status = 'held'" },
  deliveries_succeeded: { outcome: 'delivered' },
  deliveries_failed: { outcome: 'failed' },
  syncs_failed: { syncs: 'failed' },
  profiles: { profiles: true },
}

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

const requireRange = (start: number, end: number, granularity: Granularity): void => {
  if (end <= start) throw refuse('end_date.seconds', 'Must be after start_date.seconds')
  const days = metricRangeDays[granularity]
  if (end - start > days * 86_400)
    throw refuse('end_date.seconds', `At most ${days} days after start_date.seconds with granularity=${granularity}`)
}

/**
 * A count over more than this number of days runs in a `heavy` slot, so that it does not delay the queries of screens.
 */
const heavyDays = 31

type Place = { workspaceId: string; sourceId: string | undefined; start: number; end: number }

/** Counts events, or the profiles in them. Returns the start of each bucket in epoch seconds, and its count. */
const countEvents = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger'>,
  what: OfEvents,
  { workspaceId, sourceId, start, end }: Place,
  { granularity, compatibility }: { granularity: Granularity; compatibility: string | undefined },
  signal: AbortSignal,
): Promise<(readonly [number, number])[]> => {
  const conditions = [
    'receive_time >= fromUnixTimestamp64Milli({start:Int64})',
    'receive_time < fromUnixTimestamp64Milli({end:Int64})',
    ...(sourceId === undefined ? [] : ['source_id = {source:String}']),
    ...(compatibility === undefined ? [] : ['compatibility = {compatibility:String}']),
  ]
  const params = {
    start: start * 1000,
    end: end * 1000,
    length: Math.max(bucketSeconds[granularity], 1),
    ...(sourceId === undefined ? {} : { source: sourceId }),
    ...(compatibility === undefined ? {} : { compatibility }),
  }
  const bucket =
    granularity === 'total' ? '0' : 'intDiv(toUnixTimestamp(receive_time), {length:UInt32}) * {length:UInt32}'
  const options = {
    owner: workspaceId,
    slot: end - start > heavyDays * 86_400 ? 'heavy' : 'short',
    signal,
  } as const
  if ('profiles' in what)
    return await countProfiles(deps, { workspaces: [workspaceId], conditions, params, bucket }, options)
  const rows = await deps.eventStore.query<{ bucket: number; n: number }>(
    `select ${bucket} as bucket, count() as n from events
     where workspace_id = {workspace:String} and ${[...conditions, what.where].join(' and ')} group by bucket`,
    { ...params, workspace: workspaceId },
    options,
  )
  return rows.map((row) => [Number(row.bucket), Number(row.n)])
}

/** Counts deliveries with one outcome by bucket, with the same rules as all other counts of deliveries. */
const countSettled = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore'>,
  outcome: 'delivered' | 'failed',
  { workspaceId, sourceId, start, end }: Place,
  granularity: Granularity,
  signal: AbortSignal,
): Promise<(readonly [number, number])[]> => {
  const { tried, untried } = await countOutcomes(
    deps,
    { workspaceId, sourceId, from: start * 1000, end: end * 1000 },
    { bucketSeconds: bucketSeconds[granularity], failedOnly: outcome === 'failed' },
    signal,
  )
  const byBucket = Map.groupBy(
    [...tried, ...untried].filter((row) => row.outcome === outcome),
    ({ bucket }) => bucket,
  )
  return [...byBucket].map(([bucket, rows]) => [bucket, sumOutcomes(rows)[outcome]])
}

/** Counts the runs of syncs that ended in this state, by bucket. */
const countRuns = async (
  db: ControlDeps['db'],
  state: 'failed',
  { workspaceId, start, end }: Place,
  granularity: Granularity,
): Promise<(readonly [number, number])[]> => {
  const length = Math.max(bucketSeconds[granularity], 1)
  const { rows } = await sql<{ bucket: string; n: string }>`
    select ${granularity === 'total' ? sql`0` : sql`floor(extract(epoch from finish_time) / ${length}::int) * ${length}::int`} as bucket,
      count(*) as n
    from sync_runs
    where workspace_id = ${workspaceId}::uuid and state = ${state}
      and finish_time >= to_timestamp(${start}) and finish_time < to_timestamp(${end})
    group by 1`.execute(db)
  return rows.map(({ bucket, n }) => [Number(bucket), Number(n)])
}

/**
 * Returns counts over time for a workspace or one of its sources. The first and the last bucket may lie only partly in
 * the period.
 */
export const getMetrics =
  ({
    db,
    eventStore,
    profileLedger,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger'>): Handler<typeof methods.metrics.get> =>
  async ({ workspace, query, signal }) => {
    const { granularity, compatibility, 'start_date.seconds': start, 'end_date.seconds': end } = query
    requireRange(start, end, granularity)
    let sourceId: string | undefined
    if (query.source !== undefined) {
      const named = referenceIn(workspace.id, resourceNames.source, { field: 'source', name: query.source })
      sourceId = (await readSource(db, workspace.id, named.source)).id
    }
    const place = { workspaceId: workspace.id, sourceId, start, end }
    const what = counted[query.metric]
    const ofEvents = 'where' in what || 'profiles' in what
    if (!ofEvents && compatibility !== undefined)
      throw refuse('compatibility', 'Only events have a compatibility, deliveries and syncs do not')
    if ('syncs' in what && sourceId !== undefined) throw refuse('source', 'Syncs belong to no source of events')
    const rows = ofEvents
      ? await countEvents({ db, eventStore, profileLedger }, what, place, { granularity, compatibility }, signal)
      : 'syncs' in what
        ? await countRuns(db, what.syncs, place, granularity)
        : await countSettled({ db, eventStore }, what.outcome, place, granularity, signal)
    const found = rows
      .toSorted(([one], [other]) => one - other)
      .map(([bucket, n]) => [bucketName(granularity, bucket), n])
    return Object.fromEntries(found.length === 0 && granularity === 'total' ? [['total', 0]] : found)
  }
