import type { Relational } from '../relational/open.ts'
import { partitionOf } from './entries.ts'

/**
 * The partitions of a workspace's requests and events, for a spread over this many. The first one is the partition of
 * the workspace without a spread. They are adjacent, so that groups of partitions have equal shares. The partitions of
 * a smaller spread are among those of a larger one.
 */
export const partitionsOf = (workspaceId: string, spread: number, partitions: number): number[] => {
  const first = partitionOf(workspaceId, partitions)
  return Array.from({ length: Math.min(spread, partitions) }, (_, at) => (first + at) % partitions)
}

const widestText = 'select widest from workspace_spreads where workspace_id = $1'

/**
 * The maximum number of partitions that a workspace was ever spread over, and so may have data in: 1 for nearly all.
 * Read from the store, since reading too few partitions would miss data.
 */
export const widestSpread = async (pool: Pick<Relational['pool'], 'query'>, workspaceId: string): Promise<number> => {
  const { rows } = await pool.query<{ widest: number }>({
    name: 'widest-spread',
    text: widestText,
    values: [workspaceId],
  })
  return rows[0]?.widest ?? 1
}

/** Returns `widestSpread` of each workspace that was ever spread over several partitions. */
export const widestSpreads = async (pool: Pick<Relational['pool'], 'query'>): Promise<Map<string, number>> => {
  const { rows } = await pool.query<{ workspace_id: string; widest: number }>(
    'select workspace_id, widest from workspace_spreads where widest > 1',
  )
  return new Map(rows.map(({ workspace_id, widest }) => [workspace_id, widest]))
}
