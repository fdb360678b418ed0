import { readDestination } from '@tributary/configuration'
import { type methods, overviewDays } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { parkedSummaries } from '../deliveries/parked-summaries.ts'
import type { ControlDeps } from '../deps.ts'
import { bucketName, bucketSeconds } from '../metrics/buckets.ts'
import { countDeliveries } from './count.ts'

const refuse = (text: string): Error =>
  badRequest('VALIDATION', `end_date.seconds: ${text}`, { 'end_date.seconds': text })

const requireRange = (start: number, end: number, granularity: 'hour' | 'day'): void => {
  if (end <= start) throw refuse('Must be after start_date.seconds')
  const days = overviewDays[granularity]
  if (end - start > days * 86_400)
    throw refuse(`At most ${days} days after start_date.seconds with granularity=${granularity}`)
}

/**
 * Returns the outcomes of the events of a destination in a period and in the previous period. Each event counts once.
 */
export const getDeliveryOverview =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.deliveryOverviews.get> =>
  async ({ workspace, params, query, signal }) => {
    const { id } = await readDestination(db, workspace.id, params.destination)
    const { granularity, 'start_date.seconds': first, 'end_date.seconds': last } = query
    requireRange(first, last, granularity)
    const start = first * 1000
    const end = last * 1000
    const before = Math.max(0, 2 * start - end)
    const [counted, held] = await Promise.all([
      countDeliveries(
        { db, eventStore },
        { workspaceId: workspace.id, destinationId: id, before, start, end, bucketSeconds: bucketSeconds[granularity] },
        signal,
      ),
      parkedSummaries(db, id),
    ])
    return {
      current: counted.current,
      previous: counted.previous,
      buckets: Object.fromEntries(
        [...counted.buckets].map(([seconds, bucket]) => [bucketName(granularity, seconds), bucket]),
      ),
      reasons: counted.reasons,
      ...held,
    }
  }
