import type { Db } from '@tributary/api-kit'
import { type methods, resourceNames, type SignalOverview, signalPlatforms } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { allPlatforms, readPlatforms, readSignal } from '@tributary/signals'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { countOutcomes } from './outcomes.ts'
import { dayName, daysOf } from './period.ts'
import { type CountRow, countOf, notSentOf, readCounts } from './read-counts.ts'
import { type StatusCounts, sentOf, statusDays, sumStatuses } from './status-days.ts'

const maxReasons = 20

const sums = (rows: readonly { currency: string; amount: number }[]) =>
  [...Map.groupBy(rows, ({ currency }) => currency)]
    .filter(([currency]) => currency !== '')
    .map(([currency, own]) => ({
      currency,
      amount: Math.round(own.reduce((sum, { amount }) => sum + amount, 0) * 100) / 100,
    }))
    .toSorted((a, b) => b.amount - a.amount)

/** Reads the value of a signal's conversions, by day and currency. */
const readAmounts = async (db: Db, signalId: string, from: string, to: string) => {
  const { rows } = await sql<{ day: string; currency: string; amount: number }>`
    select day::text, currency, sum(amount) as amount from signal_days
    where signal_id = ${signalId}::uuid and touch = 'last' and day >= ${from}::date and day < ${to}::date
    group by day, currency`.execute(db)
  return rows
}

/** Returns the figures of each day with new conversions or outcomes, the oldest day first. */
const daysOfOverview = (
  counts: readonly CountRow[],
  amounts: Awaited<ReturnType<typeof readAmounts>>,
  platforms: readonly ReadonlyMap<string, StatusCounts>[],
): SignalOverview['days'] => {
  const made = new Map(counts.flatMap(({ day, kind, count }) => (kind === 'conversion' ? [[day, count] as const] : [])))
  const days = new Set([...made.keys(), ...platforms.flatMap((each) => [...each.keys()])])
  return [...days].toSorted().map((day) => ({
    day: dayName(day),
    conversion_count: made.get(day) ?? 0,
    amounts: sums(amounts.filter((each) => each.day === day)),
    status_counts: sumStatuses(platforms.flatMap((each) => each.get(day) ?? [])),
  }))
}

/** Returns the number and value of a signal's conversions by day, with their outcomes at each platform. */
export const getSignalOverview =
  ({ db, eventStore }: Pick<ControlDeps, 'db' | 'eventStore'>): Handler<typeof methods.signals.getOverview> =>
  async ({ workspace, params, query, signal: aborted }) => {
    const { from, to, before } = daysOf(query)
    const { id } = await readSignal(db, workspace.id, params.signal)
    const [platforms, counts, amounts] = await Promise.all([
      readPlatforms(db, [id]),
      readCounts(db, id, before, to),
      readAmounts(db, id, from, to),
    ])
    const rows = platforms.get(id) ?? []
    const period = { from: Date.parse(from), to: Date.parse(to) }
    const destinations = rows.map(({ destination_id }) => destination_id)
    const outcomes = await countOutcomes(eventStore, workspace.id, { signalId: id, destinations, ...period }, aborted)
    const all = counts.filter(({ destination_id }) => destination_id === allPlatforms)
    const current = all.filter(({ day }) => day >= from)
    const shown = rows.map((row) => {
      const own = counts.filter(({ destination_id, day }) => destination_id === row.destination_id && day >= from)
      const ended = outcomes.filter(({ destination }) => destination === row.destination_id)
      return { row, own, ended, days: statusDays(own, ended) }
    })
    return {
      conversion_count: countOf(current, 'conversion'),
      previous_conversion_count: countOf(
        all.filter(({ day }) => day < from),
        'conversion',
      ),
      refund_count: countOf(current, 'refund'),
      amounts: sums(amounts),
      repeated_count: countOf(current, 'repeated'),
      days: daysOfOverview(
        current,
        amounts,
        shown.map(({ days }) => days),
      ),
      platforms: shown.map(({ row, own, ended, days }) => {
        const all = sumStatuses([...days.values()])
        return {
          destination: resourceNames.destination.format({ workspace: workspace.id, destination: row.destination_id }),
          title: row.title,
          platform: signalPlatforms.find((each) => each === row.platform) ?? 'meta',
          sent_count: sentOf(own),
          not_sent: notSentOf(own),
          delivered_count: all.delivered,
          failed_count: all.failed,
          filtered_count: all.filtered,
          pending_count: all.pending,
          reasons: ended
            .flatMap(({ status, reason, count }) =>
              status === 'failed' || status === 'filtered' ? [{ status, reason, count }] : [],
            )
            .slice(0, maxReasons),
        }
      }),
    }
  }
