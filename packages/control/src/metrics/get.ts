import {
  everyRole,
  type Granularity,
  type MetricName,
  type methods,
  metricRangeDays,
  resourceNames,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { parseReference } from '../resource-ids.ts'
import { readSource } from '../sources/read.ts'
import { requireWorkspace } from '../workspace-access.ts'
import { bucketName, bucketSeconds } from './buckets.ts'

type Counted = { table: 'events' | 'deliveries'; time: 'receive_time' | 'time'; what: string; where: string }

const received = "status in ('accepted', 'blocked')"
const events = (where: string): Counted => ({ table: 'events', time: 'receive_time', what: 'count()', where })
const deliveries = (where: string): Counted => ({ table: 'deliveries', time: 'time', what: 'count()', where })

const counted = {
  events_received: events(received),
  events_rejected: events("status = 'rejected'"),
  events_blocked: events("status = 'blocked'"),
  deliveries_succeeded: deliveries("status = 'delivered'"),
  deliveries_failed: deliveries("status = 'dead'"),
  profiles: {
    ...events(`${received} and (user_id != '' or anonymous_id != '')`),
    // Whether it is a user id counts: an anonymous id of the same text is somebody else.
    what: "uniq(user_id != '', if(user_id != '', user_id, anonymous_id))",
  },
} as const satisfies Record<MetricName, Counted>

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

const requireRange = (start: number, end: number, granularity: Granularity): void => {
  if (end <= start) throw refuse('end_date.seconds', 'Must be after start_date.seconds')
  const days = metricRangeDays[granularity]
  if (end - start > days * 86_400)
    throw refuse('end_date.seconds', `At most ${days} days after start_date.seconds with granularity=${granularity}`)
}

/** Beyond this a count may read so much that it must not take the place of what screens ask for. */
const heavyDays = 31

/** Counts over time of a workspace or of one of its sources. The first and the last bucket may be parts. */
export const getMetrics =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.metrics.get> =>
  async ({ actor, params, query, signal }) => {
    const workspace = await requireWorkspace(db, actor, params.workspace, everyRole)
    const { granularity, 'start_date.seconds': start, 'end_date.seconds': end } = query
    requireRange(start, end, granularity)
    const { table, time, what, where } = counted[query.metric]
    const conditions = [
      'workspace_id = {workspace:String}',
      `${time} >= fromUnixTimestamp64Milli({start:Int64})`,
      `${time} < fromUnixTimestamp64Milli({end:Int64})`,
      where,
    ]
    const values: Record<string, unknown> = {
      workspace: workspace.id,
      start: start * 1000,
      end: end * 1000,
      length: Math.max(bucketSeconds[granularity], 1),
    }
    if (query.source !== undefined) {
      const reference = parseReference(resourceNames.source, 'source', query.source)
      const own = reference.workspace === workspace.id ? workspace.id : ''
      conditions.push('source_id = {source:String}')
      values['source'] = (await readSource(db, own, reference.source)).id
    }
    if (query.compatibility !== undefined) {
      if (table !== 'events') throw refuse('compatibility', 'Only events are judged, deliveries are not')
      conditions.push('compatibility = {compatibility:String}')
      values['compatibility'] = query.compatibility
    }
    const bucket = granularity === 'total' ? '0' : `intDiv(toUnixTimestamp(${time}), {length:UInt32}) * {length:UInt32}`
    const rows = await eventStore.query<{ bucket: number; n: number }>(
      `select ${bucket} as bucket, ${what} as n from ${table} where ${conditions.join(' and ')} group by bucket order by bucket`,
      values,
      { owner: workspace.id, lane: end - start > heavyDays * 86_400 ? 'heavy' : 'short', signal },
    )
    const found = rows.map((row) => [bucketName(granularity, Number(row.bucket)), Number(row.n)])
    return Object.fromEntries(found.length === 0 && granularity === 'total' ? [['total', 0]] : found)
  }
