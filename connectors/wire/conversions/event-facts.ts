import { consentOf, type EventOutcome, moneyOf, readTime } from '@tributary/connector-kit'

export { consentOf, moneyOf }

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const spanText = (ms: number): string => (ms % dayMs === 0 ? `${ms / dayMs} days` : `${ms / hourMs} hours`)

/**
 * Time in ms by which a device clock may run ahead. An event time within this span of the future counts as the current
 * time.
 */
const aheadMs = 10 * minuteMs

/**
 * Returns the time of an event in epoch ms, or the outcome of an event that is too old for the platform, or in the
 * future.
 */
export const momentOf = (time: string, now: number, oldestMs: number): number | EventOutcome => {
  const at = readTime(time)
  if (at === undefined) return { kind: 'rejected', reason: 'The event has no valid time' }
  if (at > now + aheadMs) return { kind: 'rejected', reason: 'The time of the event is in the future' }
  if (now - at > oldestMs) return { kind: 'skipped', reason: `Older than ${spanText(oldestMs)}` }
  return Math.min(at, now)
}

/** The choice of a setting for events without consent. */
export type WithoutConsent = 'send' | 'leave_out'

/** Returns the outcome of an event without the user's consent; undefined if the event can be sent. */
export const consentOutcome = (value: unknown, without: WithoutConsent): EventOutcome | undefined => {
  const consent = consentOf(value)
  if (consent === 'denied') return { kind: 'skipped', reason: 'The person did not consent to sharing data for ads' }
  if (consent === 'none' && without === 'leave_out')
    return { kind: 'skipped', reason: 'The event says nothing of consent' }
  return undefined
}
