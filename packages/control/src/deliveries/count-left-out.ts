import { readDestination } from '@tributary/configuration'
import { leftOutLimits, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { leftOutReasons } from './left-out.ts'

const requireRange = (start: number, end: number): void => {
  const text =
    end <= start
      ? 'Must be after start_date.seconds'
      : end - start > leftOutLimits.days * 86_400
        ? `At most ${leftOutLimits.days} days after start_date.seconds`
        : undefined
  if (text !== undefined) throw badRequest('VALIDATION', `end_date.seconds: ${text}`, { 'end_date.seconds': text })
}

const countQuery = `
  select part as reason, count() as delivery_count
  from deliveries array join ${leftOutReasons} as part
  where workspace_id = {workspace:String} and destination_id = {destination:String}
    and time >= fromUnixTimestamp64Milli({start:Int64}) and time < fromUnixTimestamp64Milli({end:Int64})
    and status = 'delivered' and deliveries.reason != ''
  group by part order by delivery_count desc, part limit {limit:UInt32}`

/**
 * Counts what the events of a destination were sent without in a period, by reason, the most frequent first. It counts
 * rows of the delivery log, so that each count is the length of the list that `left_out` selects.
 */
export const getLeftOutCounts =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.leftOutCounts.get> =>
  async ({ workspace, params, query, signal }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const { 'start_date.seconds': start, 'end_date.seconds': end } = query
    requireRange(start, end)
    const rows = await eventStore.query<{ reason: string; delivery_count: number }>(
      countQuery,
      {
        workspace: workspace.id,
        destination: id,
        start: start * 1000,
        end: end * 1000,
        limit: leftOutLimits.reasons,
      },
      { owner: workspace.id, slot: 'heavy', signal },
    )
    return {
      left_out: rows.map(({ reason, delivery_count }) => ({ reason, delivery_count: Number(delivery_count) })),
    }
  }
