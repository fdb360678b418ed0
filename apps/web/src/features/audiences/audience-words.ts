import {
  type Audience,
  type AudienceChangeKind,
  type AudienceListChange,
  type AudienceProgress,
  type AudienceState,
  type AudienceStep,
  type AudienceSummary,
  audienceSteps,
  type CountOperator,
  type ListKind,
} from '@tributary/contract'
import { percent } from '../../lib/format/rates.ts'
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

const steps: Readonly<Record<AudienceStep, string>> = {
  waiting: 'waiting for its turn',
  events: 'reading events',
  profiles: 'deciding about profiles',
}

/** Whole percents, rounded down: incomplete work never shows as complete. */
const percentOf = (share: number): string => percent(Math.floor(share * 100) / 100)

/** The progress of computing an audience: 'Step 2 of 3: reading events, 45% read'. */
export const progressText = ({ step, share }: AudienceProgress): string => {
  const place = `Step ${audienceSteps.indexOf(step) + 1} of ${audienceSteps.length}`
  return `${place}: ${steps[step]}${share === null ? '' : `, ${percentOf(share)} read`}`
}

/** Returns the note for an audience that is not current; '' for a current one. */
export const situationText = ({ state, progress, size }: Pick<Audience, 'state' | 'progress' | 'size'>): string => {
  if (state === 'preparing') return 'Computing begins in a moment.'
  if (state === 'paused') return 'No one enters or leaves until it is resumed.'
  if (progress === null) return ''
  return `${progressText(progress)}.${size === null ? '' : ' Until then, the profiles of the last time are shown.'}`
}

/** Returns the state as the text of a badge, with the share of events that are read, if known. */
export const stateText = ({ state, progress }: Pick<AudienceSummary, 'state' | 'progress'>): string =>
  progress === null || progress.share === null
    ? stateTitles[state]
    : `${stateTitles[state]} ${percentOf(progress.share)}`

/** The titles of the kinds of identifiers in a list. */
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

/** Describes a change of a list: 'Imported 90 of 100 user IDs'. */
export const listChangeText = ({ operation, kind, value_count, found_count }: AudienceListChange): string => {
  if (operation === 'remove' || kind === null) return 'Removed a profile from the list'
  const found = `${count(found_count)} of ${count(value_count)} ${pluralise(value_count, kindNouns[kind])}`
  if (operation === 'replace') return `Replaced the list with ${found}`
  return operation === 'add' ? `Added ${found} to the list` : `Imported ${found}`
}

/** Whether a computation will soon change the members of the audience. */
export const isUnderWay = ({ state }: Pick<Audience, 'state'>): boolean =>
  state === 'preparing' || state === 'computing'
