import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { cutText } from '@tributary/connector-kit'
import { clickIdOf, parameterOf } from '../../wire/conversions/click-ids.ts'
import { consentOutcome, momentOf, moneyOf } from '../../wire/conversions/event-facts.ts'
import { noteOf } from '../../wire/conversions/left-out.ts'
import type { Prepared } from '../../wire/conversions/send-prepared.ts'
import { consentField, identifiersOf } from '../../wire/google/data-manager-person.ts'
import { adjustConversion } from './actions/adjust-conversion.ts'
import { uploadConversion } from './actions/upload-conversion.ts'
import { detailsOf } from './details.ts'
import { adIdentifiersOf, deviceOf } from './device.ts'
import type { GoogleAdsSettings } from './settings.ts'

const dayMs = 24 * 60 * 60_000

/**
 * "Guidelines for importing offline conversions" (support.google.com/google-ads/answer/7014069): 90 days after the
 * click, or 63 days if only email or phone identifies the user. No conversion is before its click. Adjustments:
 * CONVERSION_EXPIRED, 54 days after the conversion.
 */
export const oldestMs = { click: 90 * dayMs, person: 63 * dayMs, adjustment: 54 * dayMs }

/** The values of "EventSource" in the Data Manager API. */
const eventSources: ReadonlySet<string> = new Set(['WEB', 'APP', 'IN_STORE', 'PHONE', 'MESSAGE', 'OTHER'])

/** A conversion with the ID of its conversion action. */
export type Conversion = { actionId: string; event: Readonly<Record<string, unknown>> }

type Click = Pick<ReturnType<typeof uploadConversion.payloadOf>, 'gclid' | 'gbraid' | 'wbraid' | 'page_url'>

/** Returns one click ID, because Google refuses a conversion with two. */
export const clickOf = (person: Click): Record<string, string> => {
  for (const name of ['gclid', 'gbraid', 'wbraid'] as const) {
    const id = clickIdOf('google', person[name] ?? parameterOf(person.page_url, name))
    if (id !== undefined) return { [name]: id }
  }
  return {}
}

const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })

/** Returns the event in the format of the Data Manager API, or the outcome of an event that must not be sent. */
export const conversionOf = (
  outgoing: OutgoingEvent,
  settings: GoogleAdsSettings,
  now: number,
): Prepared<Conversion> | EventOutcome => {
  const adjusts = outgoing.action === adjustConversion.name
  const payload = adjusts ? adjustConversion.payloadOf(outgoing) : uploadConversion.payloadOf(outgoing)
  const refused = consentOutcome(payload.ad_user_data, settings.without_consent)
  if (refused !== undefined) return refused
  const click = clickOf(payload)
  const hasClick = Object.keys(click).length > 0
  const oldest = adjusts ? oldestMs.adjustment : hasClick ? oldestMs.click : oldestMs.person
  const at = momentOf(payload.event_time, now, oldest)
  if (typeof at !== 'number') return at
  const money = moneyOf(payload.value, payload.currency)
  if ('problem' in money) return rejected(money.problem)
  const identifiers = identifiersOf(payload)
  if (!hasClick && identifiers.length === 0)
    return rejected('The event has no click ID of Google, and no email, phone, or address')
  const asked = uploadConversion.payloadOf(outgoing).event_source?.trim().toUpperCase() || 'WEB'
  if (!adjusts && !eventSources.has(asked)) return rejected(`Google knows no event source "${cutText(asked, 40)}"`)
  const actionId = payload.conversion_action_id?.trim() || settings.conversion_action_id.trim()
  if (!/^\d{3,20}$/.test(actionId))
    return rejected(`"${cutText(actionId, 40)}" is not the number of a conversion action`)
  const leftOut: string[] = []
  const uploaded = adjusts ? undefined : uploadConversion.payloadOf(outgoing)
  const device = deviceOf(uploaded ?? { user_agent: payload.user_agent }, leftOut)
  const ofAd = { ...click, ...(uploaded === undefined ? {} : adIdentifiersOf(uploaded, leftOut)) }
  const details = uploaded === undefined ? {} : detailsOf(outgoing, leftOut)
  const consent = consentField(payload)
  return {
    note: noteOf(leftOut),
    body: {
      actionId,
      event: {
        transactionId: payload.transaction_id,
        eventTimestamp: new Date(at).toISOString(),
        ...(adjusts ? { lastUpdatedTimestamp: new Date(now).toISOString() } : {}),
        eventSource: adjusts ? 'WEB' : asked,
        ...(money.value === undefined ? {} : { conversionValue: money.value }),
        ...(money.currency === undefined ? {} : { currency: money.currency }),
        ...details,
        ...(Object.keys(ofAd).length === 0 ? {} : { adIdentifiers: ofAd }),
        ...(device === undefined ? {} : { eventDeviceInfo: device }),
        ...(identifiers.length === 0 ? {} : { userData: { userIdentifiers: identifiers } }),
        ...(consent === undefined ? {} : { consent }),
      },
    },
  }
}
