import { parseReference } from '@tributary/api-kit'
import { type Granularity, type MetricName, type methods, metricRangeDays, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { countOutcomes, sumOutcomes } from '../delivery-outcomes/count.ts'
import type { ControlDeps } from '../deps.ts'
import { countProfiles } from '../profiles/count.ts'
import { readSource } from '../sources/read.ts'
import { bucketName, bucketSeconds } from './buckets.ts'

type Counted = { where: string } | { profiles: true } | { outcome: 'delivered' | 'failed' }

const counted: Record<MetricName, Counted> = {
  events_received: { where: "status in ('accepted', 'blocked', 'held')" },
  events_rejected: { where: "status = 'rejected'" },
  events_blocked: { where: "status = 'blocked'" },
  events_held: { where: "status = 'held'" },
  deliveries_succeeded: { outcome: 'delivered' },
  deliveries_failed: { outcome: 'failed' },
  profiles: { profiles: true },
}

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

const requireRange = (start: number, end: number, granularity: Granularity): void => {
  if (end <= start) throw refuse('end_date.seconds', 'Must be after start_date.seconds')
  const days = metricRangeDays[granularity]
  if (end - start > days * 86_400)
    throw refuse('end_date.seconds', `At most ${days} days after start_date.seconds with granularity=${granularity}`)
}

/** Beyond this a count may read so much that it must not take the place of what screens ask for. */
const heavyDays = 31

type Place = { workspaceId: string; sourceId: string | undefined; start: number; end: number }

/** Events, or the profiles in them, by bucket: its start in epoch seconds, and how many. */
const countEvents = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore' | 'profileLedger'>,
  what: Exclude<Counted, { outcome: unknown }>,
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

/** Deliveries of one outcome by bucket, as every other call counts them. */
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

/** Counts over time of a workspace or of one of its sources. The first and the last bucket may be parts. */
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
      const reference = parseReference(resourceNames.source, 'source', query.source)
      const own = reference.workspace === workspace.id ? workspace.id : ''
      sourceId = (await readSource(db, own, reference.source)).id
    }
    const place = { workspaceId: workspace.id, sourceId, start, end }
    const what = counted[query.metric]
    if ('outcome' in what && compatibility !== undefined)
      throw refuse('compatibility', 'Only events have a compatibility, deliveries do not')
    const rows =
      'outcome' in what
        ? await countSettled({ db, eventStore }, what.outcome, place, granularity, signal)
        : await countEvents({ db, eventStore, profileLedger }, what, place, { granularity, compatibility }, signal)
    const found = rows
      .toSorted(([one], [other]) => one - other)
      .map(([bucket, n]) => [bucketName(granularity, bucket), n])
    return Object.fromEntries(found.length === 0 && granularity === 'total' ? [['total', 0]] : found)
  }
