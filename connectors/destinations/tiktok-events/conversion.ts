import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { clickIdOf, parameterOf } from '../../wire/conversions/click-ids.ts'
import { consentOutcome, itemsOf, momentOf, moneyOf } from '../../wire/conversions/event-facts.ts'
import { sendConversion } from './actions/send-conversion.ts'
import type { TikTokSettings } from './settings.ts'

/**
 * Maximum age of a conversion in ms: 28 days, the longest window in which TikTok attributes a conversion to a click
 * ("About Attribution Windows").
 */
export const oldestMs = 28 * 24 * 60 * 60_000

type Payload = ReturnType<typeof sendConversion.payloadOf>

const given = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  )

/** The data of the person; a list has several hashes of one kind. */
type User = Record<string, string | readonly string[]>

const userOf = (payload: Payload): User => {
  // The mapping has already hashed the values that must be hashed.
  const { email, phone, external_id, first_name, last_name, zip_code, ttp, ip, user_agent } = payload
  const ttclid = clickIdOf('tiktok', payload.ttclid ?? parameterOf(payload.page_url, 'ttclid'))
  const hashed = { email, phone, external_id }
  const several = Object.fromEntries(Object.entries(hashed).filter(([, value]) => value !== undefined)) as User
  return { ...several, ...given({ first_name, last_name, zip_code, ttclid, ttp, ip, user_agent }) }
}

const identifies = (user: Readonly<User>): boolean =>
  ['email', 'phone', 'external_id', 'ttclid', 'ttp'].some((name) => user[name] !== undefined) ||
  (user['ip'] !== undefined && user['user_agent'] !== undefined)

const propertiesOf = (payload: Payload): Record<string, unknown> | { problem: string } => {
  const money = moneyOf(payload.value, payload.currency)
  if ('problem' in money) return money
  if (money.value !== undefined && money.currency === undefined) return { problem: 'A value needs a currency' }
  const items = itemsOf(payload.contents)
  const { order_id, query } = payload
  return {
    ...money,
    ...given({ order_id, query }),
    ...(items.length === 0
      ? {}
      : {
          content_type: 'product',
          contents: items.map(({ id, name, quantity, price, category, brand }) => ({
            content_id: id,
            ...given({ content_name: name, content_category: category, brand }),
            ...(quantity === undefined ? {} : { quantity }),
            ...(price === undefined ? {} : { price }),
          })),
        }),
  }
}

const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })

/** Returns the event in the format of the Events API, or the outcome of an event that is not sent. */
export const conversionOf = (
  event: OutgoingEvent,
  settings: TikTokSettings,
  now: number,
): { body: Readonly<Record<string, unknown>> } | EventOutcome => {
  const payload = sendConversion.payloadOf(event)
  const refused = consentOutcome(payload.consent, settings.without_consent)
  if (refused !== undefined) return refused
  const at = momentOf(payload.event_time, now, oldestMs)
  if (typeof at !== 'number') return at
  const properties = propertiesOf(payload)
  if (typeof properties['problem'] === 'string') return rejected(properties['problem'])
  const user = userOf(payload)
  if (!identifies(user)) return rejected('The event has nothing that TikTok can match a person by')
  const page = given({ url: payload.page_url, referrer: payload.page_referrer })
  return {
    body: {
      event: payload.event_name,
      event_time: Math.floor(at / 1000),
      event_id: payload.event_id,
      user,
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(Object.keys(page).length === 0 ? {} : { page }),
      ...(settings.limited_data_use ? { limited_data_use: true } : {}),
    },
  }
}
