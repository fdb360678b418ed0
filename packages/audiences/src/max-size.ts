import type { AudienceQuery, QueryOperator, SegmentQuery } from '@tributary/contract'
import type { MaxSize } from './sql-builder.ts'

const unlimited: MaxSize = () => Number.POSITIVE_INFINITY

const joinedMaxSize = (parts: readonly MaxSize[], operator: QueryOperator): MaxSize => {
  if (operator === 'and') return (sizes) => Math.min(...parts.map((most) => most(sizes)))
  return (sizes) => parts.reduce((sum, most) => sum + most(sizes), 0)
}

/**
 * Returns the function that computes the maximum number of profiles that can meet a query from the sizes of its sets.
 * Conditions on traits and negative conditions may be true for every profile. The function `setOf` returns the number
 * of the set to which every profile that meets a condition belongs; undefined if there is no such set. The function
 * `within` returns the result for a referenced audience.
 */
export const maxSizeOf = (
  query: AudienceQuery,
  known: { setOf: (query: SegmentQuery) => number | undefined; within: (audience: string) => MaxSize },
): MaxSize => {
  const ofQuery = (each: SegmentQuery): MaxSize => {
    if (each.type === 'audience')
      return each.selectedAudience?.member === true ? known.within(each.selectedAudience.name) : unlimited
    const set = each.type === 'event' ? known.setOf(each) : undefined
    return set === undefined ? unlimited : (sizes) => sizes[set] ?? 0
  }
  const groups = Object.values(query.groups).map(({ operator, segments }) =>
    joinedMaxSize(
      segments.map(({ queries }) => joinedMaxSize(queries.map(ofQuery), 'and')),
      operator,
    ),
  )
  return joinedMaxSize(groups, query.operator)
}
