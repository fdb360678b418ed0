import {
  type Condition,
  type ConditionOperator,
  condition,
  type EventConditions,
  withoutValue,
} from '@tributary/contract'

/** The text of each operator between a field and its value. */
export const operatorWords: Readonly<Record<ConditionOperator, string>> = {
  equals: 'is',
  not_equals: 'is not',
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  greater_than: 'is greater than',
  less_than: 'is less than',
  exists: 'exists',
  not_exists: 'does not exist',
}

/** One condition as text: `properties.total is greater than “100”`. */
export const conditionWords = ({ field, operator, value }: Omit<Condition, 'id'>): string =>
  withoutValue.has(operator) ? `${field} ${operatorWords[operator]}` : `${field} ${operatorWords[operator]} “${value}”`

/** A filter as text, its conditions joined by their operator; '' for none. */
export const filterWords = ({ match, conditions }: EventConditions): string =>
  conditions.map(conditionWords).join(match === 'all' ? ' and ' : ' or ')

/** Returns the errors of single conditions, by their IDs; empty if the list can be saved. */
export const conditionProblems = (conditions: readonly Condition[]): Record<string, string> =>
  Object.fromEntries(
    conditions.flatMap((each) => {
      const issue = condition.safeParse({ ...each, field: each.field.trim() }).error?.issues[0]
      if (issue === undefined) return []
      if (issue.message !== 'Required') return [[each.id, issue.message]]
      return [[each.id, issue.path[0] === 'field' ? 'Choose a field' : 'Enter a value']]
    }),
  )
