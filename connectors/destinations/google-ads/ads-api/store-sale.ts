import { amountOf, type EventOutcome, type OutgoingEvent, readTime } from '@tributary/connector-kit'
import { integerOf, noteOf, withValues } from '../../../wire/conversions/left-out.ts'
import type { Prepared } from '../../../wire/conversions/send-prepared.ts'
import { uploadStoreSale } from '../actions/upload-store-sale.ts'
import { oldestMs } from '../conversion.ts'
import { within, wordOf } from '../details.ts'
import { languageOf } from '../device.ts'
import type { GoogleAdsSettings } from '../settings.ts'
import { type AdsOperation, adsConsentOf, adsTimeOf, factsOf, isOutcome, rejected } from './operation.ts'
import { adsIdentifiersOf } from './person.ts'

type Payload = ReturnType<typeof uploadStoreSale.payloadOf>

/** Minimum amount of a sale in millionths ("TransactionAttribute": greater than 1000). */
const minMicros = 1000

/** Returns a share over 0 and at most 1 ("StoreSalesMetadata"); undefined for other values. */
const fractionOf = (value: unknown): number | undefined => {
  const number = amountOf(value)
  return number !== undefined && number > 0 && number <= 1 ? number : undefined
}

/** Returns "StoreSalesThirdPartyMetadata" of a partner of Google; undefined for sales of one's own. */
const partnerOf = (payload: Payload): Record<string, unknown> | EventOutcome | undefined => {
  const partnerId = payload.partner_id?.trim() ?? ''
  if (partnerId === '') return undefined
  const uploadedAt = readTime(payload.partner_upload_time ?? '')
  const partner = {
    partnerId,
    bridgeMapVersionId: wordOf(payload.partner_map_version) || undefined,
    // "yyyy-mm-dd hh:mm:ss", without an offset.
    advertiserUploadDateTime: uploadedAt === undefined ? undefined : adsTimeOf(uploadedAt).slice(0, 19),
    validTransactionFraction: fractionOf(payload.valid_transaction_fraction),
    partnerMatchFraction: fractionOf(payload.partner_match_fraction),
    partnerUploadFraction: fractionOf(payload.partner_upload_fraction),
  }
  const isWhole = /^\d{1,18}$/.test(partnerId) && Object.values(partner).every((value) => value !== undefined)
  return isWhole ? partner : rejected('A partner needs its number, version, time, and fractions over 0 and at most 1')
}

/** Returns the job of a sale: sales with equal jobs are uploaded together ("OfflineUserDataJob"). */
const jobOf = (payload: Payload): Record<string, unknown> | EventOutcome => {
  const loyaltyFraction = fractionOf(payload.loyalty_fraction)
  const transactionUploadFraction = fractionOf(payload.transaction_upload_fraction)
  if (loyaltyFraction === undefined || transactionUploadFraction === undefined)
    return rejected('The loyalty fraction and the upload fraction must be over 0 and at most 1')
  const partner = partnerOf(payload)
  if (partner !== undefined && isOutcome(partner)) return partner
  return {
    type: partner === undefined ? 'STORE_SALES_UPLOAD_FIRST_PARTY' : 'STORE_SALES_UPLOAD_THIRD_PARTY',
    storeSalesMetadata: withValues({
      loyaltyFraction,
      transactionUploadFraction,
      customKey: wordOf(payload.custom_key),
      thirdPartyMetadata: partner,
    }),
  }
}

/** Returns "ItemAttribute", which needs the product and its merchant, as a member. */
const itemOf = (payload: Payload, left: string[]): Record<string, unknown> => {
  const [itemId, merchantId] = [wordOf(payload.item_id), wordOf(payload.merchant_id)]
  if (itemId === '' || merchantId === '') return {}
  return {
    itemAttribute: withValues({
      itemId,
      merchantId,
      countryCode: wordOf(payload.merchant_feed_label),
      languageCode: languageOf(payload.merchant_feed_language),
      quantity: integerOf('item_quantity', payload.item_quantity, left),
    }),
  }
}

/** Returns "UserData" of a sale in a store and its job, or the outcome of an event that must not be sent. */
export const storeSaleOf = (
  outgoing: OutgoingEvent,
  settings: GoogleAdsSettings,
  now: number,
): Prepared<AdsOperation> | EventOutcome => {
  const payload = uploadStoreSale.payloadOf(outgoing)
  const facts = factsOf(payload, settings, { now, oldestMs: oldestMs.click })
  if (isOutcome(facts)) return facts
  const { at, money, conversionAction } = facts
  const micros = Math.round((money.value ?? 0) * 1e6)
  if (micros <= minMicros || money.currency === undefined)
    return rejected('A sale in a store needs a value of more than 0.001 and a currency')
  const job = jobOf(payload)
  if (isOutcome(job)) return job
  const partnerUser = wordOf(payload.partner_user_id)
  const identifiers = partnerUser === '' ? adsIdentifiersOf(payload) : [{ thirdPartyUserId: partnerUser }]
  if (identifiers.length === 0) return rejected('The event has no email, phone, or address')
  const leftOut: string[] = []
  const sale = withValues({
    transactionDateTime: adsTimeOf(at),
    transactionAmountMicros: micros,
    currencyCode: money.currency,
    conversionAction,
    orderId: payload.transaction_id?.trim(),
    ...within('storeAttribute', withValues({ storeCode: wordOf(payload.store_id) })),
    customValue: wordOf(payload.custom_key) === '' ? undefined : wordOf(payload.custom_value),
    ...itemOf(payload, leftOut),
  })
  const operation = { userIdentifiers: identifiers, transactionAttribute: sale, ...adsConsentOf(payload) }
  return {
    note: noteOf(leftOut),
    body: { method: 'offlineUserDataJobs', identity: outgoing.messageId, operation: { create: operation }, job },
  }
}
