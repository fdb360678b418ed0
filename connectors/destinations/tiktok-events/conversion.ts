import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { clickIdOf, parameterOf } from '../../wire/conversions/click-ids.ts'
import { consentOutcome, momentOf } from '../../wire/conversions/event-facts.ts'
import { noteOf } from '../../wire/conversions/left-out.ts'
import { moneyOfProduct, productsOf, type ReadProduct } from '../../wire/conversions/products.ts'
import type { Prepared } from '../../wire/conversions/send-prepared.ts'
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

/** Returns the products as TikTok takes them ("About parameters": contents and content_ids). */
const contentsOf = (products: readonly ReadProduct[]): Record<string, unknown> => {
  if (products.length === 0) return {}
  const ids = products.flatMap(({ id }) => (id === undefined ? [] : [id]))
  return {
    content_type: 'product',
    ...(ids.length === 0 ? {} : { content_ids: ids }),
    contents: products.map(({ id, name, quantity, price, category, brand }) => ({
      ...given({ content_id: id, content_name: name, content_category: category, brand }),
      ...(quantity === undefined ? {} : { quantity }),
      ...(price === undefined ? {} : { price }),
    })),
  }
}

type Properties = { data: Record<string, unknown>; leftOut: readonly string[] }

const propertiesOf = (payload: Payload, eventName: string): Properties | { problem: string } => {
  const made = moneyOfProduct(payload, { needsCurrency: true })
  if ('problem' in made) return made
  const { products, leftOut } = productsOf({ list: payload.contents, one: payload.one_product, eventName })
  const { order_id, query } = payload
  return {
    data: { ...made.money, ...given({ order_id, query }), ...contentsOf(products) },
    leftOut: [...made.leftOut, ...leftOut],
  }
}

const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })

/** Returns the event in the format of the Events API, or the outcome of an event that is not sent. */
export const conversionOf = (
  event: OutgoingEvent,
  settings: TikTokSettings,
  now: number,
): Prepared<Readonly<Record<string, unknown>>> | EventOutcome => {
  const payload = sendConversion.payloadOf(event)
  const refused = consentOutcome(payload.consent, settings.without_consent)
  if (refused !== undefined) return refused
  const at = momentOf(payload.event_time, now, oldestMs)
  if (typeof at !== 'number') return at
  const properties = propertiesOf(payload, event.event)
  if ('problem' in properties) return rejected(properties.problem)
  const user = userOf(payload)
  if (!identifies(user)) return rejected('The event has nothing that TikTok can match a person by')
  const page = given({ url: payload.page_url, referrer: payload.page_referrer })
  return {
    note: noteOf(properties.leftOut),
    body: {
      event: payload.event_name,
      event_time: Math.floor(at / 1000),
      event_id: payload.event_id,
      user,
      ...(Object.keys(properties.data).length === 0 ? {} : { properties: properties.data }),
      ...(Object.keys(page).length === 0 ? {} : { page }),
      ...(settings.limited_data_use ? { limited_data_use: true } : {}),
    },
  }
}
