import type { PipelineEvent } from '@tributary/contract'
import { isRecord } from '@tributary/kernel'

/** The latest consent preferences of a person, from any event of the profile. */
export type ProfileConsent = {
  /** The time of that event, RFC 3339. */
  readonly time: string
  /** The categories with consent. Every other category has none. */
  readonly granted: readonly string[]
  /** Whether later events may have changed it, because profiles are behind. It still denies, but it grants nothing. */
  readonly isOutOfDate?: true
}

/** Returns a consent that may be out of date. */
export const outOfDateConsent = (consent: ProfileConsent | undefined): ProfileConsent | undefined =>
  consent && { ...consent, isOutOfDate: true }

/** The need of a look-up that also reads the consent of the profile. */
export const consentNeed = 'consent'

/** Returns needs of the profile, with its consent if a destination requires these categories. */
export const withConsent = (needs: readonly string[], categories: readonly string[]): readonly string[] =>
  needs.length === 0 || categories.length === 0 ? needs : [...needs, consentNeed]

/** The consent that decides about values of the profile, and whether it allows them. The text is the end of a sentence. */
export type ConsentOfValues = { readonly allows: boolean; readonly text: string }

/** Returns the consent categories in an event; undefined if it has none. */
export const consentPreferencesOf = ({
  context,
}: Pick<PipelineEvent, 'context'>): Readonly<Record<string, unknown>> | undefined => {
  const consent = isRecord(context) ? context['consent'] : undefined
  const given = isRecord(consent) ? consent['categoryPreferences'] : undefined
  return isRecord(given) ? given : undefined
}

/** Fields of an event that say when its consent was given. */
export type ConsentingEvent = Pick<PipelineEvent, 'context' | 'timestamp' | 'receivedAt'>

/** The time of an event, epoch ms. As for traits, an event is never later than its receipt. */
const timeOf = ({ timestamp, receivedAt }: ConsentingEvent): number =>
  Math.min(Date.parse(timestamp), Date.parse(receivedAt))

/**
 * Decides by whose consent a destination that requires `categories` may get values of the profile. All categories are
 * needed. A denial of the event always counts. A denial of the profile counts, unless the event allows and is later.
 * Without any preferences, nothing is allowed.
 */
export const consentOfValues = (
  categories: readonly string[],
  event: ConsentingEvent,
  latest: ProfileConsent | undefined,
): ConsentOfValues => {
  const own = consentPreferencesOf(event)
  if (own !== undefined && !categories.every((name) => Object.hasOwn(own, name) && own[name] === true))
    return { allows: false, text: "the event's consent allows no values of the profile" }
  if (latest !== undefined && !categories.every((name) => latest.granted.includes(name)))
    if (own === undefined || timeOf(event) <= Date.parse(latest.time))
      return { allows: false, text: `the profile's consent of ${latest.time} allows no values of it` }
  if (own !== undefined) return { allows: true, text: "values of the profile by the event's consent" }
  if (latest !== undefined && latest.isOutOfDate !== true)
    return { allows: true, text: `values of the profile by the profile's consent of ${latest.time}` }
  return { allows: false, text: 'no consent allows values of the profile' }
}

/** Returns a stored consent, as signals put it into conversions; undefined for any other value. */
export const profileConsentIn = (value: unknown): ProfileConsent | undefined => {
  if (!isRecord(value)) return undefined
  const { time, granted, isOutOfDate } = value
  if (typeof time !== 'string' || !Array.isArray(granted)) return undefined
  const names = granted.filter((name) => typeof name === 'string')
  return { time, granted: names, ...(isOutOfDate === true && { isOutOfDate }) }
}
