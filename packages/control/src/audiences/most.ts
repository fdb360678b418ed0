import type { AudienceQuery, QueryOperator, SegmentQuery } from '@tributary/contract'
import type { Most } from './fragments.ts'

const everybody: Most = () => Number.POSITIVE_INFINITY

const joinedMost = (parts: readonly Most[], operator: QueryOperator): Most => {
  if (operator === 'and') return (sizes) => Math.min(...parts.map((most) => most(sizes)))
  return (sizes) => parts.reduce((sum, most) => sum + most(sizes), 0)
}

/**
 * How many profiles can meet a query at most, by the sizes of the sets that its conditions on events have. Whatever is said of
 * traits may be true of everybody, as what is negative. `setOf` is the number of the set of those who must be in it, undefined where
 * others are meant; `within` is another audience.
 */
export const mostOf = (
  query: AudienceQuery,
  known: { setOf: (query: SegmentQuery) => number | undefined; within: (audience: string) => Most },
): Most => {
  const ofQuery = (each: SegmentQuery): Most => {
    if (each.type === 'audience')
      return each.selectedAudience?.member === true ? known.within(each.selectedAudience.name) : everybody
    const set = each.type === 'event' ? known.setOf(each) : undefined
    return set === undefined ? everybody : (sizes) => sizes[set] ?? 0
  }
  const groups = Object.values(query.groups).map(({ operator, segments }) =>
    joinedMost(
      segments.map(({ queries }) => joinedMost(queries.map(ofQuery), 'and')),
      operator,
    ),
  )
  return joinedMost(groups, query.operator)
}
