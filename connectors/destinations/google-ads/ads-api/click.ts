import { amountOf, cutText, type EventOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { choiceOf, noteOf, withValues } from '../../../wire/conversions/left-out.ts'
import type { Prepared } from '../../../wire/conversions/send-prepared.ts'
import { uploadClick } from '../actions/upload-click.ts'
import { clickOf, oldestMs } from '../conversion.ts'
import { itemsOf, numberOf, wordOf } from '../details.ts'
import { languageOf } from '../device.ts'
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
import { adsIdentifiersOf } from './person.ts'

type Payload = ReturnType<typeof uploadClick.payloadOf>

/** Maximum session attributes. Google documents six (support.google.com/google-ads/answer/16194756). */
const maxAttributes = 20

/** Returns "ExternalAttributionData"; undefined without a share, or the outcome of an event with a wrong one. */
const attributionOf = (payload: Payload): Record<string, unknown> | EventOutcome | undefined => {
  const { external_attribution_credit: given, external_attribution_model: model } = payload
  const name = wordOf(model)
  if (given === undefined || given === null || given === '')
    return name === '' ? undefined : rejected('An attribution model needs the share of the click')
  const credit = amountOf(given)
  if (credit === undefined || credit <= 0 || credit > 1)
    return rejected('The attributed share is not a number over 0 and at most 1')
  return { externalAttributionData: withValues({ externalAttributionCredit: credit, externalAttributionModel: name }) }
}

/** Returns "SessionAttributesKeyValuePairs" as a member. */
const sessionOf = ({ session_attribute_pairs: given = {} }: Payload, left: string[]): Record<string, unknown> => {
  const pairs = Object.entries(given).flatMap(([key, value]) => {
    const text = wordOf(value)
    if (text !== '') return [{ sessionAttributeKey: cutText(key, 100).toWellFormed(), sessionAttributeValue: text }]
    return []
  })
  if (pairs.length > maxAttributes)
    left.push(`${pairs.length - maxAttributes} session attributes: more than ${maxAttributes}`)
  return pairs.length === 0 ? {} : { sessionAttributesKeyValuePairs: { keyValuePairs: pairs.slice(0, maxAttributes) } }
}

/** Returns "CartData" of the Google Ads API as a member. Google takes it only with products. */
const cartOf = (payload: Payload, eventName: string, left: string[]): Record<string, unknown> => {
  const items = itemsOf({ ...payload, eventName }, 'productId', left)
  if (items.length === 0) return {}
  return {
    cartData: withValues({
      merchantId: wordOf(payload.merchant_id),
      feedCountryCode: wordOf(payload.merchant_feed_label),
      feedLanguageCode: languageOf(payload.merchant_feed_language),
      localTransactionCost: numberOf('discount', payload.discount, left),
      items,
    }),
  }
}

/** Returns "ClickConversion" of the Google Ads API, or the outcome of an event that must not be sent. */
export const clickConversionOf = (
  outgoing: OutgoingEvent,
  settings: GoogleAdsSettings,
  now: number,
): Prepared<AdsOperation> | EventOutcome => {
  const payload = uploadClick.payloadOf(outgoing)
  const click = clickOf(payload)
  const hasClick = Object.keys(click).length > 0
  const facts = factsOf(payload, settings, { now, oldestMs: hasClick ? oldestMs.click : oldestMs.person })
  if (isOutcome(facts)) return facts
  const { at, money, conversionAction } = facts
  const attribution = attributionOf(payload)
  if (attribution !== undefined && isOutcome(attribution)) return attribution
  // The errors ORDER_ID_NOT_PERMITTED_FOR_EXTERNALLY_ATTRIBUTED_CONVERSION_ACTION and, for persons,
  // EXTERNALLY_ATTRIBUTED_CONVERSION_ACTION_NOT_PERMITTED_WITH_USER_IDENTIFIER.
  const identifiers = attribution === undefined ? adsIdentifiersOf(payload) : []
  const orderId = attribution === undefined ? (payload.transaction_id?.trim() ?? '') : ''
  if (!hasClick && (attribution !== undefined || identifiers.length === 0))
    return rejected(
      attribution === undefined
        ? 'The event has no click ID of Google, and no email or phone'
        : 'An attributed share needs a click ID of Google',
    )
  const leftOut: string[] = []
  const customer = choiceOf('customer_type', payload.customer_type, ['new', 'returning'], leftOut)
  const operation = withValues({
    ...click,
    orderId,
    conversionAction,
    conversionDateTime: adsTimeOf(at),
    conversionValue: money.value,
    currencyCode: money.currency,
    ...attribution,
    ...sessionOf(payload, leftOut),
    ...(identifiers.length === 0 ? {} : { userIdentifiers: identifiers }),
    conversionEnvironment: payload.event_source?.trim().toUpperCase(),
    ...cartOf(payload, outgoing.event, leftOut),
    ...adsVariablesOf(payload, settings, leftOut),
    customerType: customer?.toUpperCase(),
    ...adsConsentOf(payload),
  })
  // The errors DUPLICATE_ORDER_ID and DUPLICATE_CLICK_CONVERSION_IN_REQUEST.
  const identity = JSON.stringify([conversionAction, orderId === '' ? [click, identifiers, adsTimeOf(at)] : orderId])
  return { note: noteOf(leftOut), body: { method: 'uploadClickConversions', identity, operation } }
}
