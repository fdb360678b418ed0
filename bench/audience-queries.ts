import { type AudienceQuery, audienceQuery } from '@tributary/contract'

/** Plans of the users, in turn. */
export const plans = ['free', 'starter', 'team', 'business', 'enterprise'] as const

type Condition = Record<string, unknown>

export const lastDays = (value: number) => ({ time: { unit: 'day', value } })
/** Users who did an event. */
export const did = (selectedEvent: string, part: Condition = {}): Condition => ({
  type: 'event',
  selectedEvent,
  ...part,
})
/** Users who have a trait. */
export const trait = (name: string, part: Condition): Condition => ({
  type: 'attribute',
  selectedAttributes: [{ id: 'attr', name, ...part }],
})
export const never = { count: { operator: 'exactly', value: 0 } }
export const atLeast = (value: number) => ({ count: { operator: 'at_least', value } })

/** A query of one group. */
export const queryOf = (operator: 'and' | 'or', ...conditions: Condition[]): AudienceQuery =>
  audienceQuery.parse({
    groups: {
      aaaa: {
        operator,
        segments: conditions.map((each, index) => ({ id: `seg${index}`, queries: [{ id: `que${index}`, ...each }] })),
      },
    },
  })

/** An event three times in 30 days, a trait, and not another event in 7 days; another one each round. */
export const typical = (round: number): AudienceQuery =>
  queryOf(
    'and',
    did('Cart Viewed', { timeframe: lastDays(30), ...atLeast(3) }),
    trait('plan', { operator: 'equals', value: plans[round % plans.length] }),
    did('Signed Out', { timeframe: lastDays(7), ...never }),
  )
