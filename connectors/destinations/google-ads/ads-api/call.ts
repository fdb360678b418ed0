import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { momentOf } from '../../../wire/conversions/event-facts.ts'
import { noteOf, withValues } from '../../../wire/conversions/left-out.ts'
import type { Prepared } from '../../../wire/conversions/send-prepared.ts'
import { internationalPhone } from '../../../wire/normalization/phones.ts'
import { uploadCall } from '../actions/upload-call.ts'
import { oldestMs } from '../conversion.ts'
import type { GoogleAdsSettings } from '../settings.ts'
import {
  type AdsOperation,
  adsConsentOf,
  adsTimeOf,
  adsVariablesOf,
  factsOf,
  isOutcome,
  rejected,
} from './operation.ts'

/** Returns "CallConversion" of the Google Ads API, or the outcome of an event that must not be sent. */
export const callOf = (
  outgoing: OutgoingEvent,
  settings: GoogleAdsSettings,
  now: number,
): Prepared<AdsOperation> | EventOutcome => {
  const payload = uploadCall.payloadOf(outgoing)
  const facts = factsOf(payload, settings, { now, oldestMs: oldestMs.click })
  if (isOutcome(facts)) return facts
  const { at, money, conversionAction } = facts
  const calledAt = momentOf(payload.call_time, now, Number.POSITIVE_INFINITY)
  if (typeof calledAt !== 'number') return rejected('The event has no valid time of the call')
  if (calledAt > at) return rejected('The call is after the conversion')
  const callerId = internationalPhone(payload.caller_id, settings.default_country)
  if (callerId === '') return rejected('The caller is not a phone number with its country code')
  const leftOut: string[] = []
  const operation = withValues({
    callerId,
    callStartDateTime: adsTimeOf(calledAt),
    conversionDateTime: adsTimeOf(at),
    conversionAction,
    conversionValue: money.value,
    currencyCode: money.currency,
    ...adsVariablesOf(payload, settings, leftOut),
    ...adsConsentOf(payload),
  })
  // The error DUPLICATE_CALL_CONVERSION_IN_REQUEST.
  const identity = [conversionAction, callerId, adsTimeOf(calledAt), adsTimeOf(at)].join(' ')
  return { note: noteOf(leftOut), body: { method: 'uploadCallConversions', identity, operation } }
}
