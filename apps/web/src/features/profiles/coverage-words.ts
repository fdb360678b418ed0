import { type MethodResponse, type methods, type NoProfileReason, profileCoverageDays } from '@tributary/contract'
import { count, listed, pluralise } from '../../lib/format/text.ts'

type Coverage = MethodResponse<typeof methods.profiles.getCoverage>

const reasons: Readonly<Record<NoProfileReason, string>> = {
  missing: 'with no user ID or anonymous ID',
  blocked: 'with an ID that stands for no user',
  too_long: 'with an ID that is too long',
  not_text: 'with broken characters in their ID',
  suppressed: 'of suppressed users',
}

/** Describes the events without a profile in two sentences; '' if all have one. */
export const withoutProfileText = ({ without_profile: without }: Pick<Coverage, 'without_profile'>): string => {
  const total = without.reduce((sum, { event_count }) => sum + event_count, 0)
  if (total === 0) return ''
  const why = without.map(({ reason, event_count }) => `${count(event_count)} ${reasons[reason]}`)
  return `${count(total)} ${pluralise(total, 'event')} of the last ${profileCoverageDays} days ${total === 1 ? 'has' : 'have'} no profile: ${listed(why)}.`
}

/** Returns the share of read events as a whole percentage, which is 100 only if all events are read. */
export const readShare = ({ read_count: read, event_count: all }: NonNullable<Coverage['reading']>): number =>
  all === 0 ? 0 : Math.min(Math.floor((read / all) * 100), 100)
