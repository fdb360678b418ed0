import type { Audience, AudienceChangeKind, AudienceState, CountOperator } from '@tributary/contract'
import type { BadgeTone } from '../../ui/badge.tsx'

export const countTitles: Readonly<Record<CountOperator, string>> = {
  at_least: 'at least',
  exactly: 'exactly',
  at_most: 'at most',
}

export const changeTitles: Readonly<Record<AudienceChangeKind, string>> = { entered: 'Entered', left: 'Left' }

export const stateTitles: Readonly<Record<AudienceState, string>> = {
  preparing: 'Preparing',
  computing: 'Computing',
  live: 'Live',
  paused: 'Paused',
  failed: 'Failed',
}

export const stateTones: Readonly<Record<AudienceState, BadgeTone>> = {
  preparing: 'neutral',
  computing: 'accent',
  live: 'success',
  paused: 'warning',
  failed: 'danger',
}

/** Whether its profiles are about to change. */
export const isUnderWay = ({ state }: Pick<Audience, 'state'>): boolean =>
  state === 'preparing' || state === 'computing'
