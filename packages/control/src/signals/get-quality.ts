import {
  type MatchIdentifier,
  type methods,
  resourceNames,
  type SignalQuality,
  signalPlatforms,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { freshnessBounds, platformOf, readPlatforms, readSignal } from '@tributary/signals'
import type { ControlDeps } from '../deps.ts'
import { dayName, daysOf } from './period.ts'
import { qualityOf, scoreOf } from './quality.ts'
import { type CountRow, countOf, identifierCounts, readCounts } from './read-counts.ts'

/**
 * Returns the bound of time within which this share of conversions was made. If the largest bound is too small, returns
 * that one.
 */
const quantile = (rows: readonly CountRow[], share: number): number => {
  const total = rows.reduce((sum, { kind, count }) => (kind.startsWith('fresh:') ? sum + count : sum), 0)
  let sum = 0
  for (const [index, bound] of freshnessBounds.entries()) {
    sum += countOf(rows, `fresh:${index}`)
    if (sum >= total * share) return bound
  }
  return freshnessBounds.at(-1) ?? 0
}

/**
 * Returns the match quality of a signal by platform. Reads small daily counts, so the number of conversions does not
 * matter.
 */
export const getSignalQuality =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.signals.getQuality> =>
  async ({ workspace, params, query }) => {
    const { from, to, before } = daysOf(query)
    const signal = await readSignal(db, workspace.id, params.signal)
    const [platforms, counts] = await Promise.all([
      readPlatforms(db, [signal.id]),
      readCounts(db, signal.id, before, to),
    ])
    const byDestination = Map.groupBy(counts, ({ destination_id }) => destination_id)
    const shown: SignalQuality['platforms'] = []
    for (const row of platforms.get(signal.id) ?? []) {
      const definition = await platformOf(catalog, row.app)
      if (definition === undefined) continue
      const { conversions } = definition
      const all = byDestination.get(row.destination_id) ?? []
      const current = all.filter(({ day }) => day >= from)
      const previous = all.filter(({ day }) => day < from)
      const score = (rows: readonly CountRow[]) => scoreOf(conversions, identifierCounts(rows), countOf(rows, 'sent'))
      const trend = [...Map.groupBy(current, ({ day }) => day)]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([day, rows]) => {
          const value = score(rows)
          return value === null ? [] : [{ day: dayName(day), score: value, conversion_count: countOf(rows, 'sent') }]
        })
      const counted: ReadonlyMap<MatchIdentifier, number> = identifierCounts(current)
      const sent = countOf(current, 'sent')
      shown.push({
        destination: resourceNames.destination.format({ workspace: workspace.id, destination: row.destination_id }),
        title: row.title,
        platform: signalPlatforms.find((each) => each === row.platform) ?? conversions.platform,
        ...qualityOf(conversions, counted, sent),
        previous_score: score(previous),
        trend,
        freshness: sent === 0 ? null : { median_ms: quantile(current, 0.5), p95_ms: quantile(current, 0.95) },
        last_conversion_time: signal.last_conversion_time?.toISOString() ?? null,
      })
    }
    return { platforms: shown }
  }
