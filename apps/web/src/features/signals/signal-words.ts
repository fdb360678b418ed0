import {
  type Conversion,
  type ConversionStatus,
  conversionTitle,
  type MatchIdentifier,
  matchIdentifierTitles,
  type NotSentReason,
  notSentReasons,
  notSentReasonTexts,
  type Signal,
  type SignalSummary,
  type SignalValue,
} from '@tributary/contract'
import { listed, pluralise } from '../../lib/format/text.ts'
import { elapsed } from '../../lib/format/time.ts'
import type { BadgeTone } from '../../ui/badge.tsx'

type SignalState = SignalSummary['state']

/** The titles of signal states. */
export const stateTitles: Readonly<Record<SignalState, string>> = {
  enabled: 'Enabled',
  disabled: 'Disabled',
  problem: 'Needs attention',
}

/** The tones of signal states. */
export const stateTones: Readonly<Record<SignalState, BadgeTone>> = {
  enabled: 'success',
  disabled: 'outline',
  problem: 'warning',
}

/** The title of a conversion's outcome at a platform. */
export const statusTitles: Readonly<Record<ConversionStatus, string>> = {
  delivered: 'Delivered',
  pending: 'Pending',
  failed: 'Failed',
  filtered: 'Filtered',
  not_sent: 'Not sent',
}

/** The tones of conversion statuses. */
export const statusTones: Readonly<Record<ConversionStatus, BadgeTone>> = {
  delivered: 'success',
  pending: 'neutral',
  failed: 'danger',
  filtered: 'neutral',
  not_sent: 'warning',
}

/** The title of a conversion's origin. */
export const originTitles: Readonly<Record<Conversion['origin'], string>> = {
  event: 'Event',
  audience: 'Audience',
  upload: 'Upload',
  refund: 'Refund',
}

/** Returns the word for a score of 0 to 10, with its tone. */
export const scoreWords = (score: number): { text: string; tone: BadgeTone } =>
  score >= 7
    ? { text: 'Good', tone: 'success' }
    : score >= 4
      ? { text: 'Fair', tone: 'warning' }
      : { text: 'Poor', tone: 'danger' }

/** Formats a score with one decimal: "7.4". */
export const scoreText = (score: number): string => score.toFixed(1)

const isReason = (text: string): text is NotSentReason => (notSentReasons as readonly string[]).includes(text)

/** Why a conversion was not sent, filtered, or failed, as text; '' without a reason. */
export const reasonText = (reason: string): string => (isReason(reason) ? notSentReasonTexts[reason] : reason)

/** Identifiers as a list in a sentence: "Email, Phone, and Click ID". */
export const identifiersText = (identifiers: readonly MatchIdentifier[]): string =>
  listed(identifiers.map((each) => matchIdentifierTitles[each]))

/**
 * Formats an amount of money in its currency, in the language of the reader. An unknown currency code follows the
 * amount.
 */
export const money = ({ amount, currency }: { amount: number; currency: string }, locale?: string): string => {
  if (currency === '') return new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(amount)
  try {
    return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount)
  } catch {
    return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }).format(amount)} ${currency}`
  }
}

/** Sums of money by currency in one line; '' without any. */
export const moneys = (amounts: readonly { amount: number; currency: string }[]): string =>
  amounts.map((each) => money(each)).join(' · ')

/** The value of a conversion, as text. */
export const valueWords = (value: SignalValue): string => {
  if (value.type === 'none') return 'None'
  if (value.type === 'fixed') return money(value)
  const currency = value.currency_path === '' ? value.currency : value.currency_path
  return `${value.amount_path}${currency === '' ? '' : `, in ${currency}`}`
}

/** Describes in a few words what triggers a signal: the sources or the audience, and the names of the events. */
export const feedWords = ({ type, sources, event_names }: SignalSummary['trigger']): string => {
  const names = sources.map(({ title }) => title)
  const from = names.length > 2 ? `${names[0] ?? ''} and ${names.length - 1} more` : listed(names)
  if (type === 'audience') return `Enters ${from}`
  const events = event_names.map((name) => (name === '' ? 'any event' : name))
  const what = events.length > 2 ? `${events[0] ?? ''} and ${events.length - 1} more` : listed(events)
  return `${what} · ${from}`
}

/** The title of a signal's conversion. */
export const conversionOf = ({ conversion }: Pick<Signal, 'conversion'>): string => conversionTitle(conversion)

/** Formats a duration. From two days on it counts whole days, because hours are irrelevant then. */
const took = (ms: number): string => (ms < 2 * 86_400_000 ? elapsed(ms) : `${Math.round(ms / 86_400_000)} days`)

/** How long after their events conversions are made: "Half within 0.4 s, 95% within 12 s". */
export const freshnessWords = ({ median_ms, p95_ms }: { median_ms: number; p95_ms: number }): string =>
  `Half within ${took(median_ms)}, 95% within ${took(p95_ms)}`

/** Formats a number of days: "3 days", "1 day". */
export const days = (count: number): string => `${count} ${pluralise(count, 'day')}`
