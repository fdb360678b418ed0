import { type methods, overviewDays, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { countOutcomes, sumOutcomes } from '../delivery-outcomes/count.ts'
import type { ControlDeps } from '../deps.ts'

const daySeconds = 86_400

const refuse = (field: 'start_date.seconds' | 'end_date.seconds', text: string): Error =>
  badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

const rangeOf = (start: number | undefined, end: number | undefined, now: number): { from: number; end: number } => {
  if (start === undefined && end === undefined) return { from: now - daySeconds * 1000, end: now }
  if (start === undefined) throw refuse('start_date.seconds', 'Required together with end_date.seconds')
  if (end === undefined) throw refuse('end_date.seconds', 'Required together with start_date.seconds')
  if (end <= start) throw refuse('end_date.seconds', 'Must be after start_date.seconds')
  if (end - start > overviewDays.day * daySeconds)
    throw refuse('end_date.seconds', `At most ${overviewDays.day} days after start_date.seconds`)
  return { from: start * 1000, end: end * 1000 }
}

/** The outcomes of the events of each source at each destination over a period, as `deliveryOutcomes` defines them. */
export const getConnectionActivity =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.connections.getActivity> =>
  async ({ workspace, query, signal }) => {
    const range = rangeOf(query['start_date.seconds'], query['end_date.seconds'], clock())
    const scope = { workspaceId: workspace.id, ...range }
    const { tried, untried } = await countOutcomes({ db, eventStore }, scope, { bucketSeconds: 0, ends: true }, signal)
    const byEnds = Map.groupBy([...tried, ...untried], ({ source, destination }) => `${source} ${destination}`)
    return {
      activities: [...byEnds.values()].map((rows) => ({
        source: resourceNames.source.format({ workspace: workspace.id, source: rows[0]?.source ?? '' }),
        destination: resourceNames.destination.format({
          workspace: workspace.id,
          destination: rows[0]?.destination ?? '',
        }),
        ...sumOutcomes(rows),
      })),
    }
  }
