import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { cutText } from '@tributary/connector-kit'
import { clickIdOf, parameterOf } from '../../wire/conversions/click-ids.ts'
import { consentOf, consentOutcome, momentOf, moneyOf } from '../../wire/conversions/event-facts.ts'
import { ipOf, noteOf, withValues } from '../../wire/conversions/left-out.ts'
import { productsOf } from '../../wire/conversions/products.ts'
import type { Prepared } from '../../wire/conversions/send-prepared.ts'
import { adjustConversion } from './actions/adjust-conversion.ts'
import { uploadConversion } from './actions/upload-conversion.ts'
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

type Person = Pick<
  ReturnType<typeof uploadConversion.payloadOf>,
  | 'gclid'
  | 'gbraid'
  | 'wbraid'
  | 'page_url'
  | 'email'
  | 'phone'
  | 'first_name'
  | 'last_name'
  | 'country'
  | 'postal_code'
  | 'ad_user_data'
  | 'ad_personalization'
>

/** Returns one click ID, because Google refuses a conversion with two. */
const clickOf = (person: Person): Record<string, string> => {
  for (const name of ['gclid', 'gbraid', 'wbraid'] as const) {
    const id = clickIdOf('google', person[name] ?? parameterOf(person.page_url, name))
    if (id !== undefined) return { [name]: id }
  }
  return {}
}

/**
 * "UserIdentifier": returns identifiers that each have one of email, phone, and address. An address needs all of its
 * parts.
 */
const identifiersOf = ({ email, phone, first_name, last_name, country = '', postal_code = '' }: Person): unknown[] => {
  const region = country.trim().toUpperCase()
  const hasAddress =
    first_name !== undefined && last_name !== undefined && /^[A-Z]{2}$/.test(region) && postal_code.trim() !== ''
  return [
    ...[email ?? []].flat().map((emailAddress) => ({ emailAddress })),
    ...[phone ?? []].flat().map((phoneNumber) => ({ phoneNumber })),
    ...(hasAddress
      ? [
          {
            address: {
              givenName: first_name,
              familyName: last_name,
              regionCode: region,
              postalCode: postal_code.trim(),
            },
          },
        ]
      : []),
  ]
}

/**
 * Countries from which Google Ads takes no IP addresses: the EEA, the United Kingdom, and Switzerland. The source is
 * "DeviceInfo" of the Data Manager API. Greece and the United Kingdom have a second code
 * each, and regions of these countries have codes of their own.
 */
const withoutIpAddress: ReadonlySet<string> = new Set(
  (
    'AT BE BG CH CY CZ DE DK EE EL ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK UK ' +
    'AX GF GI GP MF MQ RE YT'
  ).split(' '),
)

/** Returns "DeviceInfo", the device on which a conversion happened; without values it is undefined. */
const deviceOf = (
  { ip_address, user_agent, country }: ReturnType<typeof uploadConversion.payloadOf>,
  leftOut: string[],
): Record<string, unknown> | undefined => {
  const ipAddress = ipOf('ip_address', ip_address, leftOut)
  const code = country?.trim().toUpperCase() ?? ''
  // An unknown country could be one of those.
  const isRefused = withoutIpAddress.has(code) || !/^[A-Z]{2}$/.test(code)
  // Most conversions have no country, so that this is not worth a note in each delivery.
  if (isRefused && ipAddress !== undefined && code !== '')
    leftOut.push('ip_address: Google Ads does not take it from the country of the person')
  const device = withValues({ ipAddress: isRefused ? undefined : ipAddress, userAgent: user_agent?.trim() })
  return Object.keys(device).length === 0 ? undefined : device
}

const consentField = (value: unknown): string | undefined => {
  const consent = consentOf(value)
  return consent === 'none' ? undefined : consent === 'granted' ? 'CONSENT_GRANTED' : 'CONSENT_DENIED'
}

/**
 * Returns the products of the conversion ("CartData" and "Item" of the Data Manager API). Google finds a product by its
 * ID in the Merchant Center, so products without one are left out. A quantity is an integer.
 */
const cartOf = (outgoing: OutgoingEvent): { cart: Record<string, unknown>; leftOut: string[] } => {
  const { items: list, one_product: one } = uploadConversion.payloadOf(outgoing)
  const { products, leftOut } = productsOf({ list, one, eventName: outgoing.event })
  const items = products.flatMap(({ id, quantity = 0, price = -1 }) =>
    id === undefined
      ? []
      : [
          {
            merchantProductId: id,
            ...(Number.isInteger(quantity) && quantity > 0 ? { quantity } : {}),
            ...(price < 0 ? {} : { unitPrice: price }),
          },
        ],
  )
  const unknown = products.length - items.length
  return {
    cart: items.length === 0 ? {} : { cartData: { items } },
    leftOut: [...leftOut, ...(unknown === 0 ? [] : [`${unknown} of ${products.length} products: no ID`])],
  }
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
  const ofDevice: string[] = []
  const device = adjusts ? undefined : deviceOf(uploadConversion.payloadOf(outgoing), ofDevice)
  const consent = {
    adUserData: consentField(payload.ad_user_data),
    adPersonalization: consentField(payload.ad_personalization),
  }
  const { cart, leftOut } = adjusts ? { cart: {}, leftOut: [] } : cartOf(outgoing)
  return {
    note: noteOf([...ofDevice, ...leftOut]),
    body: {
      actionId,
      event: {
        transactionId: payload.transaction_id,
        eventTimestamp: new Date(at).toISOString(),
        ...(adjusts ? { lastUpdatedTimestamp: new Date(now).toISOString() } : {}),
        eventSource: adjusts ? 'WEB' : asked,
        ...(money.value === undefined ? {} : { conversionValue: money.value }),
        ...(money.currency === undefined ? {} : { currency: money.currency }),
        ...cart,
        ...(hasClick ? { adIdentifiers: click } : {}),
        ...(device === undefined ? {} : { eventDeviceInfo: device }),
        ...(identifiers.length === 0 ? {} : { userData: { userIdentifiers: identifiers } }),
        ...(Object.values(consent).every((each) => each === undefined) ? {} : { consent }),
      },
    },
  }
}
