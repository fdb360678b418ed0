import { type PlatformWithDestination, platformOf } from '@tributary/signals'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { meanScore, scoreOf } from './quality.ts'
import { type CountRow, countOf, identifierCounts } from './read-counts.ts'

/**
 * Reads the scores of signals over the last UTC days, including today. One query reads the counts of all signals. A
 * signal without conversions has the score null.
 */
export const readScores = async (
  { db, catalog, clock }: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>,
  platforms: ReadonlyMap<string, readonly PlatformWithDestination[]>,
  days: number,
): Promise<ReadonlyMap<string, number | null>> => {
  const { rows } = await sql<CountRow & { signal_id: string }>`
    select signal_id, destination_id, '' as day, kind, sum(count)::double precision as count from signal_counts
    where signal_id = any (${[...platforms.keys()]}::uuid[]) and (kind = 'sent' or kind like 'id:%')
      and day > (to_timestamp(${clock() / 1000}::double precision) at time zone 'UTC')::date - ${days}::int
    group by signal_id, destination_id, kind`.execute(db)
  const counts = Map.groupBy(rows, ({ signal_id, destination_id }) => `${signal_id} ${destination_id}`)
  const scores = new Map<string, number | null>()
  for (const [id, own] of platforms) {
    const each: (number | null)[] = []
    for (const { destination_id, app } of own) {
      const definition = await platformOf(catalog, app)
      const at = counts.get(`${id} ${destination_id}`) ?? []
      if (definition !== undefined)
        each.push(scoreOf(definition.conversions, identifierCounts(at), countOf(at, 'sent')))
    }
    scores.set(id, meanScore(each))
  }
  return scores
}
