import { consentOf, cutText, type EventOutcome, type Money } from '@tributary/connector-kit'
import { consentOutcome, momentOf, moneyOf } from '../../../wire/conversions/event-facts.ts'
import { withValues } from '../../../wire/conversions/left-out.ts'
import { customerOf } from '../../../wire/google/data-manager.ts'
import { variablesOf } from '../details.ts'
import type { GoogleAdsSettings } from '../settings.ts'

/** The methods of the Google Ads API that take operations. */
export type AdsMethod =
  | 'uploadCallConversions'
  | 'uploadConversionAdjustments'
  | 'uploadClickConversions'
  | 'offlineUserDataJobs'

/**
 * An operation of the Google Ads API. Google refuses two operations with the same `identity` in one request. `job` is
 * the job of a sale in a store. `adjustedAt` is the time of a restatement, epoch ms.
 */
export type AdsOperation = {
  method: AdsMethod
  identity: string
  operation: Readonly<Record<string, unknown>>
  job?: Readonly<Record<string, unknown>>
  adjustedAt?: number
}

/** Returns the outcome of an event that Google would refuse. */
export const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })

/** Whether a result is the outcome of an event that must not be sent. */
export const isOutcome = (given: object): given is EventOutcome => 'kind' in given

/** Returns a time in the format "yyyy-mm-dd hh:mm:ss+|-hh:mm", in UTC; `at` is epoch ms. */
export const adsTimeOf = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}+00:00`

/** Returns the resource name of a conversion action, or the outcome of an event whose action has no number. */
export const conversionActionOf = (given: string | undefined, settings: GoogleAdsSettings): string | EventOutcome => {
  const id = given?.trim() || settings.conversion_action_id.trim()
  if (!/^\d{3,20}$/.test(id)) return rejected(`"${cutText(id, 40)}" is not the number of a conversion action`)
  return `customers/${customerOf(settings.customer_id)}/conversionActions/${id}`
}

/** The fields that all uploads of conversions share. */
type Given = {
  event_time: string
  value?: unknown
  currency?: string
  conversion_action_id?: string
  ad_user_data?: unknown
}

/** The members that all uploads of conversions have. `at` is epoch ms. */
export type Facts = { at: number; money: Money; conversionAction: string }

/** Reads the parts that all uploads of conversions share, or returns the outcome of an event that must not be sent. */
export const factsOf = (
  payload: Given,
  settings: GoogleAdsSettings,
  { now, oldestMs }: { now: number; oldestMs: number },
): Facts | EventOutcome => {
  const refused = consentOutcome(payload.ad_user_data, settings.without_consent)
  if (refused !== undefined) return refused
  const at = momentOf(payload.event_time, now, oldestMs)
  if (typeof at !== 'number') return at
  const money = moneyOf(payload.value, payload.currency)
  if ('problem' in money) return rejected(money.problem)
  const conversionAction = conversionActionOf(payload.conversion_action_id, settings)
  return typeof conversionAction === 'string' ? { at, money, conversionAction } : conversionAction
}

const statusOf = (value: unknown): string | undefined => {
  const consent = consentOf(value)
  return consent === 'none' ? undefined : consent === 'granted' ? 'GRANTED' : 'DENIED'
}

/**
 * Returns "Consent" of the Google Ads API as a member; nothing if it is unknown. Google takes `ad_personalization` only
 * of sales in stores.
 */
export const adsConsentOf = (given: { ad_user_data?: unknown; ad_personalization?: unknown }) => {
  const consent = withValues({
    adUserData: statusOf(given.ad_user_data),
    adPersonalization: statusOf(given.ad_personalization),
  })
  return Object.keys(consent).length === 0 ? {} : { consent }
}

/** Returns "CustomVariable" of the Google Ads API, which names a variable by its number, as a member. */
export const adsVariablesOf = (
  given: { custom_variables?: Readonly<Record<string, unknown>> },
  settings: GoogleAdsSettings,
  left: string[],
) => {
  const variables = variablesOf(given as Parameters<typeof variablesOf>[0], left).flatMap(({ variable, value }) => {
    const id = variable.trim()
    if (/^\d{1,20}$/.test(id))
      return [
        {
          conversionCustomVariable: `customers/${customerOf(settings.customer_id)}/conversionCustomVariables/${id}`,
          value,
        },
      ]
    left.push(`custom variable ${cutText(variable, 60).toWellFormed()}: its name is not its number`)
    return []
  })
  return variables.length === 0 ? {} : { customVariables: variables }
}
