import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { consentOf, consentOutcome, momentOf } from '../../wire/conversions/event-facts.ts'
import { noteOf } from '../../wire/conversions/left-out.ts'
import type { Prepared } from '../../wire/conversions/send-prepared.ts'
import { sendEvent } from './actions/send-event.ts'
import { eventNameOf, eventNameProblem } from './names.ts'
import { paramsOf } from './params.ts'
import { clientProblem, senderOf } from './sender.ts'
import type { AnalyticsSettings } from './settings.ts'

/** Maximum age of an event in ms: 72 hours ("Send Measurement Protocol events", backdating). */
export const oldestMs = 72 * 60 * 60_000

/** An event, and the client for which its request is sent. */
export type Sendable = {
  /** Client, user, consent and user data. Events with the same values can share a request. */
  sender: Readonly<Record<string, unknown>>
  event: Readonly<Record<string, unknown>>
}

/** Returns the event in the format of the Measurement Protocol, or the outcome of an event that must not be sent. */
export const sendableOf = (
  outgoing: OutgoingEvent,
  settings: AnalyticsSettings,
  now: number,
): Prepared<Sendable> | EventOutcome => {
  const payload = sendEvent.payloadOf(outgoing)
  const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })
  // Google accepts an event with denied consent, and counts it without the user.
  if (consentOf(payload.ad_user_data) === 'none') {
    const refused = consentOutcome(undefined, settings.without_consent)
    if (refused !== undefined) return refused
  }
  const at = momentOf(payload.event_time, now, oldestMs)
  if (typeof at !== 'number') return at
  const { stream } = settings
  const given = eventNameOf(payload.event_name)
  const name = settings.lower_case_names ? given.toLowerCase() : given
  if (stream !== 'app' && outgoing.type === 'screen' && name === 'screen_view')
    return { kind: 'skipped', reason: 'Google Analytics takes views of screens only in the stream of an app' }
  const unknown = clientProblem(payload, stream)
  if (unknown !== undefined) return rejected(unknown)
  const problem = eventNameProblem(name, stream)
  if (problem !== undefined) return rejected(problem)
  const custom = sendEvent.customOf(outgoing)
  const made = paramsOf(payload, custom, { eventName: outgoing.event, debug: settings.debug_mode })
  if ('problem' in made) return rejected(made.problem)
  const { params, leftOut } = made
  const sender = senderOf(payload, stream, leftOut)
  return {
    note: noteOf(leftOut),
    body: { sender, event: { name, timestamp_micros: at * 1000, params } },
  }
}
