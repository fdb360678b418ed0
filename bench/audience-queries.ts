import { type AudienceQuery, audienceQuery } from '@tributary/contract'

/** Plans of the users. User after user gets the next plan. */
export const plans = ['free', 'starter', 'team', 'business', 'enterprise'] as const

type Condition = Record<string, unknown>

export const lastDays = (value: number) => ({ time: { unit: 'day', value } })
/** Returns a condition for users who did an event. */
export const did = (selectedEvent: string, part: Condition = {}): Condition => ({
  type: 'event',
  selectedEvent,
  ...part,
})
/** Returns a condition for users who have a trait. */
export const trait = (name: string, part: Condition): Condition => ({
  type: 'attribute',
  selectedAttributes: [{ id: 'attr', name, ...part }],
})
export const never = { count: { operator: 'exactly', value: 0 } }
export const atLeast = (value: number) => ({ count: { operator: 'at_least', value } })

/** Returns a query with one group. */
export const queryOf = (operator: 'and' | 'or', ...conditions: Condition[]): AudienceQuery =>
  audienceQuery.parse({
    groups: {
      aaaa: {
        operator,
        segments: conditions.map((each, index) => ({ id: `seg${index}`, queries: [{ id: `que${index}`, ...each }] })),
      },
    },
  })

/**
 * Returns a typical query, different in each round: an event three times in 30 days, a trait, and not another event in
 * 7 days.
 */
export const typical = (round: number): AudienceQuery =>
  queryOf(
    'and',
    did('Cart Viewed', { timeframe: lastDays(30), ...atLeast(3) }),
    trait('plan', { operator: 'equals', value: plans[round % plans.length] }),
    did('Signed Out', { timeframe: lastDays(7), ...never }),
  )
