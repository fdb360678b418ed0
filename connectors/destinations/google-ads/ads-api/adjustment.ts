import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { clickIdOf } from '../../../wire/conversions/click-ids.ts'
import { consentOutcome, momentOf, moneyOf } from '../../../wire/conversions/event-facts.ts'
import { withValues } from '../../../wire/conversions/left-out.ts'
import type { Prepared } from '../../../wire/conversions/send-prepared.ts'
import { uploadAdjustment } from '../actions/upload-adjustment.ts'
import { oldestMs } from '../conversion.ts'
import type { GoogleAdsSettings } from '../settings.ts'
import { type AdsOperation, adsTimeOf, conversionActionOf, isOutcome, rejected } from './operation.ts'
import { adsIdentifiersOf } from './person.ts'

type Payload = ReturnType<typeof uploadAdjustment.payloadOf>
type Parts = Readonly<Record<string, unknown>>

/**
 * Returns how Google finds the conversion: by its transaction ID, or else by its click ID and time. An enhancement can
 * have both.
 */
const conversionOf = (payload: Payload, isEnhancement: boolean, now: number): Parts | EventOutcome => {
  const orderId = payload.transaction_id?.trim() ?? ''
  const gclid = clickIdOf('google', payload.gclid)
  const at = payload.event_time === undefined ? undefined : momentOf(payload.event_time, now, oldestMs.adjustment)
  if (at !== undefined && typeof at !== 'number') return at
  if (isEnhancement && orderId === '') return rejected('Google enhances a conversion only by its transaction ID')
  const pair =
    gclid === undefined || at === undefined ? {} : { gclidDateTimePair: { gclid, conversionDateTime: adsTimeOf(at) } }
  if (orderId !== '') return { orderId, ...(isEnhancement ? pair : {}) }
  return Object.keys(pair).length === 0
    ? rejected('The event has no transaction ID, and not both click ID and time of the conversion')
    : pair
}

/** Returns the new value of a restatement ("RestatementValue"). */
const restatementOf = (payload: Payload): Parts | EventOutcome => {
  const money = moneyOf(payload.value, payload.currency)
  if ('problem' in money) return rejected(money.problem)
  if (money.value === undefined) return rejected('A restatement needs the value that is left')
  return { restatementValue: withValues({ adjustedValue: money.value, currencyCode: money.currency }) }
}

/** Returns the person of an enhancement. Only an enhancement has personal data, so only it needs consent. */
const enhancementOf = (payload: Payload, settings: GoogleAdsSettings): Parts | EventOutcome => {
  const refused = consentOutcome(payload.ad_user_data, settings.without_consent)
  if (refused !== undefined) return refused
  const userIdentifiers = adsIdentifiersOf(payload)
  if (userIdentifiers.length === 0) return rejected('An enhancement needs an email, a phone, or an address')
  return { userIdentifiers, ...withValues({ userAgent: payload.user_agent?.trim().slice(0, 1000).toWellFormed() }) }
}

/**
 * Returns when the conversion changed, epoch ms. By default that is the time of the event, so that a repetition has the
 * same time and the order of restatements stays. An enhancement can come from the event of the conversion itself, and
 * Google refuses a time before that of the conversion, so its default is `now`.
 */
const adjustedAtOf = (
  { json }: OutgoingEvent,
  { given, type, now }: { given: string | undefined; type: string; now: number },
): number | EventOutcome => {
  if (given !== undefined) return momentOf(given, now, oldestMs.adjustment)
  if (type === 'ENHANCEMENT') return now
  const { timestamp } = JSON.parse(json) as { timestamp: string }
  return momentOf(timestamp, now, oldestMs.adjustment)
}

/** Returns "ConversionAdjustment" of the Google Ads API, or the outcome of an event that must not be sent. */
export const adjustmentOf = (
  outgoing: OutgoingEvent,
  settings: GoogleAdsSettings,
  now: number,
): Prepared<AdsOperation> | EventOutcome => {
  const payload = uploadAdjustment.payloadOf(outgoing)
  const type = payload.adjustment_type.trim().toUpperCase()
  const adjustedAt = adjustedAtOf(outgoing, { given: payload.adjustment_time, type, now })
  if (typeof adjustedAt !== 'number') return adjustedAt
  const conversionAction = conversionActionOf(payload.conversion_action_id, settings)
  if (typeof conversionAction !== 'string') return conversionAction
  const conversion = conversionOf(payload, type === 'ENHANCEMENT', now)
  if (isOutcome(conversion)) return conversion
  const change =
    type === 'RETRACTION' ? {} : type === 'RESTATEMENT' ? restatementOf(payload) : enhancementOf(payload, settings)
  if (isOutcome(change)) return change
  const operation = {
    adjustmentType: type,
    adjustmentDateTime: adsTimeOf(adjustedAt),
    conversionAction,
    ...conversion,
    ...change,
  }
  // The errors DUPLICATE_ADJUSTMENT_IN_REQUEST and DUPLICATE_ENHANCEMENT_IN_REQUEST.
  const identity = JSON.stringify([conversionAction, type, conversion])
  const restated = type === 'RESTATEMENT' ? { adjustedAt } : {}
  return { body: { method: 'uploadConversionAdjustments', identity, operation, ...restated } }
}
