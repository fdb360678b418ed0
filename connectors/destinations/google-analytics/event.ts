import { cutText, type EventOutcome, ExactNumber, type OutgoingEvent } from '@tributary/connector-kit'
import { consentOf, consentOutcome, itemsOf, momentOf, moneyOf } from '../../wire/conversions/event-facts.ts'
import { sendEvent } from './actions/send-event.ts'
import type { AnalyticsSettings } from './settings.ts'

/** Maximum age of an event in ms: 72 hours ("Send Measurement Protocol events", backdating). */
export const oldestMs = 72 * 60 * 60_000

/**
 * "Limitations": maximum number of parameters, and maximum characters of names and of values. Other limits of the page
 * apply to some values.
 */
const most = { params: 25, name: 40, value: 100 }
const valueLimits: Readonly<Record<string, number>> = { page_location: 1000, page_referrer: 420, page_title: 300 }

/** "Reserved names" of the reference: only Google's own tags can send these names. */
const reservedNames: ReadonlySet<string> = new Set(
  'ad_activeview ad_click ad_exposure ad_query ad_reward adunit_exposure app_clear_data app_exception app_install app_remove app_store_refund app_update app_upgrade dynamic_link_app_open dynamic_link_app_update dynamic_link_first_open error firebase_campaign first_open first_visit in_app_purchase notification_dismiss notification_foreground notification_open notification_receive os_update session_start session_start_with_rollout user_engagement'.split(
    ' ',
  ),
)
const reservedPrefix = /^(_|firebase_|ga_|google_|gtag\.)/

const isName = (name: string): boolean => /^[A-Za-z][A-Za-z0-9_]*$/.test(name) && name.length <= most.name

/** An event, and the client for which its request is sent. */
export type Sendable = {
  /** Client, user, consent and user data. Events with the same values can share a request. */
  sender: Readonly<Record<string, unknown>>
  event: Readonly<Record<string, unknown>>
}

type Payload = ReturnType<typeof sendEvent.payloadOf>

const nameProblem = (name: string): string | undefined => {
  if (reservedNames.has(name) || reservedPrefix.test(name)) return `Google Analytics reserves the event name ${name}`
  return isName(name)
    ? undefined
    : `"${cutText(name, 60)}" is not an event name: up to 40 letters, digits, and underscores, and a letter first`
}

/**
 * Returns a single value for a parameter. Numbers stay unchanged; a number outside the range of a double becomes text,
 * because the whole request would fail.
 */
const scalarOf = (value: unknown): string | number | ExactNumber | undefined => {
  if (typeof value === 'string' || typeof value === 'number') return value
  if (value instanceof ExactNumber) return Number.isFinite(Number(value)) ? value : value.toString()
  return typeof value === 'boolean' ? String(value) : undefined
}

/** Parameters inside an object, because a parameter can also be named `problem`. */
type Params = { params: Record<string, unknown> }

/**
 * Returns the parameters whose values are neither empty nor objects ("Limitations"); long texts are truncated like in
 * Google's tag.
 */
const paramsOf = (given: Readonly<Record<string, unknown>>): Params | { problem: string } => {
  const params: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === '') continue
    if (!isName(name) || reservedPrefix.test(name))
      return { problem: `"${cutText(name, 60)}" is not a name that a parameter can have` }
    const scalar = scalarOf(value)
    if (scalar === undefined) return { problem: `The parameter ${name} is neither a text nor a number` }
    params[name] = typeof scalar === 'string' ? cutText(scalar, valueLimits[name] ?? most.value).toWellFormed() : scalar
  }
  return { params }
}

const eventParamsOf = (
  payload: Payload,
  custom: Readonly<Record<string, unknown>>,
  debug: boolean,
): Params | { problem: string } => {
  const money = moneyOf(payload.value, payload.currency)
  if ('problem' in money) return money
  if (money.value !== undefined && money.currency === undefined) return { problem: 'A value needs a currency' }
  const { transaction_id, search_term, page_location, page_referrer, session_id } = payload
  const read = paramsOf({
    ...custom,
    ...money,
    transaction_id,
    search_term,
    page_location,
    page_referrer,
    session_id,
  })
  if ('problem' in read) return read
  const items = itemsOf(payload.items)
  const whole = {
    ...read.params,
    // An event that has no engagement time does not appear in the Realtime report.
    ...(session_id === undefined ? {} : { engagement_time_msec: 1 }),
    ...(debug ? { debug_mode: 1 } : {}),
    ...(items.length === 0
      ? {}
      : {
          items: items.map(({ id, name, brand, category, ...rest }) => ({
            item_id: id,
            ...(name === undefined ? {} : { item_name: name }),
            ...(brand === undefined ? {} : { item_brand: brand }),
            ...(category === undefined ? {} : { item_category: category }),
            ...rest,
          })),
        }),
  }
  const count = Object.keys(whole).length
  return count > most.params
    ? { problem: `The event has ${count} parameters; Google Analytics allows 25` }
    : { params: whole }
}

const consentField = (value: unknown): 'GRANTED' | 'DENIED' | undefined => {
  const consent = consentOf(value)
  return consent === 'none' ? undefined : consent === 'granted' ? 'GRANTED' : 'DENIED'
}

const senderOf = (payload: Payload): Record<string, unknown> => {
  const { client_id, user_id, email, phone } = payload
  const consent = {
    ad_user_data: consentField(payload.ad_user_data),
    ad_personalization: consentField(payload.ad_personalization),
  }
  const userData = {
    ...(email === undefined ? {} : { sha256_email_address: [email] }),
    ...(phone === undefined ? {} : { sha256_phone_number: [phone] }),
  }
  return {
    client_id: client_id.trim(),
    ...(user_id === undefined || user_id === '' ? {} : { user_id: cutText(user_id, 256) }),
    ...(Object.values(consent).every((each) => each === undefined) ? {} : { consent }),
    // The user's data is omitted if the user denies consent.
    ...(Object.keys(userData).length === 0 || consent.ad_user_data === 'DENIED' ? {} : { user_data: userData }),
  }
}

/** Returns the event in the format of the Measurement Protocol, or the outcome of an event that must not be sent. */
export const sendableOf = (
  outgoing: OutgoingEvent,
  settings: AnalyticsSettings,
  now: number,
): { body: Sendable } | EventOutcome => {
  const payload = sendEvent.payloadOf(outgoing)
  const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })
  // Google accepts an event with denied consent, and counts it without the user.
  if (consentOf(payload.ad_user_data) === 'none') {
    const refused = consentOutcome(undefined, settings.without_consent)
    if (refused !== undefined) return refused
  }
  const at = momentOf(payload.event_time, now, oldestMs)
  if (typeof at !== 'number') return at
  if (payload.client_id.trim() === '') return rejected('The event has no client ID')
  const problem = nameProblem(payload.event_name)
  if (problem !== undefined) return rejected(problem)
  const made = eventParamsOf(payload, sendEvent.customOf(outgoing), settings.debug_mode)
  if ('problem' in made) return rejected(made.problem)
  const { params } = made
  return {
    body: {
      sender: senderOf(payload),
      event: { name: payload.event_name, timestamp_micros: at * 1000, params },
    },
  }
}
