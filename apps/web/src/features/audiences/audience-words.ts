import type { AttributeOperator, Audience, AudienceState, CountOperator } from '@tributary/contract'
import type { BadgeTone } from '../../ui/badge.tsx'

/** How an operator is called; the negative ones also hold where there is no value. */
export const operatorTitles: Readonly<Record<AttributeOperator, string>> = {
  equals: 'is',
  not_equals: 'is not, or is missing',
  equals_any: 'is one of',
  contains: 'contains',
  not_contains: 'does not contain, or is missing',
  starts_with: 'starts with',
  ends_with: 'ends with',
  greater_than: 'is greater than',
  at_least: 'is at least',
  less_than: 'is less than',
  at_most: 'is at most',
  exists: 'is set',
  not_exists: 'is not set',
}

export const countTitles: Readonly<Record<CountOperator, string>> = {
  at_least: 'at least',
  exactly: 'exactly',
  at_most: 'at most',
}

export const stateTitles: Readonly<Record<AudienceState, string>> = {
  preparing: 'Preparing',
  computing: 'Computing',
  live: 'Live',
  failed: 'Failed',
}

export const stateTones: Readonly<Record<AudienceState, BadgeTone>> = {
  preparing: 'neutral',
  computing: 'accent',
  live: 'success',
  failed: 'danger',
}

/** Whether its profiles are about to change. */
export const isUnderWay = ({ state }: Pick<Audience, 'state'>): boolean =>
  state === 'preparing' || state === 'computing'
