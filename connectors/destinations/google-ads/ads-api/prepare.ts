import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import type { Prepared } from '../../../wire/conversions/send-prepared.ts'
import { uploadAdjustment } from '../actions/upload-adjustment.ts'
import { uploadCall } from '../actions/upload-call.ts'
import { uploadClick } from '../actions/upload-click.ts'
import { uploadStoreSale } from '../actions/upload-store-sale.ts'
import type { GoogleAdsSettings } from '../settings.ts'
import { adjustmentOf } from './adjustment.ts'
import { callOf } from './call.ts'
import { clickConversionOf } from './click.ts'
import type { AdsOperation } from './operation.ts'
import { storeSaleOf } from './store-sale.ts'

/** The actions of the Google Ads API. */
export const adsActions = [uploadCall, uploadAdjustment, uploadClick, uploadStoreSale] as const

const preparations: Readonly<Record<string, typeof callOf>> = {
  [uploadCall.name]: callOf,
  [uploadAdjustment.name]: adjustmentOf,
  [uploadClick.name]: clickConversionOf,
  [uploadStoreSale.name]: storeSaleOf,
}

/** Whether an event is for the Google Ads API. */
export const isForAdsApi = ({ action }: OutgoingEvent): boolean => Object.hasOwn(preparations, action)

/**
 * Returns the operation of an event for the Google Ads API, or the outcome of an event that must not be sent. Without the
 * setting, the event waits until a user turns it on.
 */
export const adsOperationOf = (
  outgoing: OutgoingEvent,
  settings: GoogleAdsSettings,
  now: number,
): Prepared<AdsOperation> | EventOutcome => {
  const prepare = preparations[outgoing.action]
  if (prepare === undefined) return { kind: 'rejected', reason: `Google Ads has no action ${outgoing.action}` }
  if (settings.google_ads_api) return prepare(outgoing, settings, now)
  const title = adsActions.find(({ name }) => name === outgoing.action)?.title ?? outgoing.action
  return {
    kind: 'retry',
    misconfigured: true,
    ofEvent: true,
    reason: `"${title}" needs "Google Ads API": turn it on in the settings of the destination`,
  }
}
