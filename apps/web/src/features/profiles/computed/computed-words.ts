import type {
  ComputedOperation,
  ComputedTraitDefinition,
  ComputedTraitState,
  ComputedTraitSummary,
} from '@tributary/contract'
import type { BadgeTone } from '../../../ui/badge.tsx'

/** The title of an operation in the form. */
export const operationTitles: Readonly<Record<ComputedOperation, string>> = {
  count: 'Count of events',
  sum: 'Sum',
  average: 'Average',
  minimum: 'Minimum',
  maximum: 'Maximum',
  unique_count: 'Number of different values',
  unique_values: 'Number of different values, lists by their elements',
  most_frequent: 'Most frequent value',
  first: 'First value',
  last: 'Last value',
}

/** The effect of an operation on events that lack the property; undefined when there is none. */
export const operationHint = (operation: ComputedOperation): string | undefined =>
  operation === 'first' || operation === 'last' || operation === 'unique_count'
    ? 'Events without the property, or with null in it, are passed over.'
    : undefined

export const stateTitles: Readonly<Record<ComputedTraitState, string>> = {
  computing: 'Computing',
  live: 'Live',
  failed: 'Failed',
}

export const stateTones: Readonly<Record<ComputedTraitState, BadgeTone>> = {
  computing: 'accent',
  live: 'success',
  failed: 'danger',
}

/** The title of a window. */
export const windowTitle = (days: ComputedTraitDefinition['window_days']): string =>
  days === null ? 'All stored events' : `Last ${days} days`

/** A definition as one sentence. */
export const definitionText = ({
  event,
  operation,
  property,
  window_days,
  conditions,
}: ComputedTraitDefinition): string => {
  const what = operation === 'count' ? `Count of ${event}` : `${operationTitles[operation]} of ${property} in ${event}`
  const when = window_days === null ? 'all stored events' : `the last ${window_days} days`
  const some =
    conditions.length === 0
      ? ''
      : `, with ${conditions.length === 1 ? '1 condition' : `${conditions.length} conditions`}`
  return `${what}, ${when}${some}`
}

/** Age in ms from which values count as behind. Normally they are a few seconds old. */
const behindMs = 60_000

/** Whether the values of a computed trait are older at `now` (epoch ms) than they should be. */
export const isBehind = ({ as_of }: Pick<ComputedTraitSummary, 'as_of'>, now: number): boolean =>
  as_of !== null && now - Date.parse(as_of) > behindMs
