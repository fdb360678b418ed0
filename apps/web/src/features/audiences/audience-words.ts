import type {
  Audience,
  AudienceChangeKind,
  AudienceListChange,
  AudienceState,
  CountOperator,
  ListKind,
} from '@tributary/contract'
import { count, pluralise } from '../../lib/format/text.ts'
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

/** Kinds of identifiers that a list may have. */
export const kindTitles: Readonly<Record<ListKind, string>> = {
  user_id: 'User ID',
  anonymous_id: 'Anonymous ID',
  email: 'Email',
  phone: 'Phone number',
}

const kindNouns: Readonly<Record<ListKind, string>> = {
  user_id: 'user ID',
  anonymous_id: 'anonymous ID',
  email: 'email',
  phone: 'phone number',
}

/** A change of a list in words: 'Imported 90 of 100 user IDs'. */
export const listChangeText = ({ operation, kind, value_count, found_count }: AudienceListChange): string => {
  if (operation === 'remove' || kind === null) return 'Removed a profile from the list'
  const found = `${count(found_count)} of ${count(value_count)} ${pluralise(value_count, kindNouns[kind])}`
  if (operation === 'replace') return `Replaced the list with ${found}`
  return operation === 'add' ? `Added ${found} to the list` : `Imported ${found}`
}

/** Whether its profiles are about to change. */
export const isUnderWay = ({ state }: Pick<Audience, 'state'>): boolean =>
  state === 'preparing' || state === 'computing'
