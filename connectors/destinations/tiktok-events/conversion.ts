import { amountOf, cutText, type EventOutcome, type OutgoingEvent } from '@tributary/connector-kit'
import { clickIdOf, parameterOf } from '../../wire/conversions/click-ids.ts'
import { consentOutcome, momentOf } from '../../wire/conversions/event-facts.ts'
import { choiceOf, integerOf, noteOf, withoutIdentifier, withValues } from '../../wire/conversions/left-out.ts'
import { maxProducts, moneyOfProduct, productsOf, type ReadProduct, textOf } from '../../wire/conversions/products.ts'
import type { Prepared } from '../../wire/conversions/send-prepared.ts'
import { tiktokNormalization } from '../../wire/normalization/tiktok.ts'
import { sendConversion } from './actions/send-conversion.ts'
import { appEventName, appOf, deviceIdsOf, isOnlyOfApps } from './app.ts'
import { industryOf } from './industry.ts'
import { type EventSource, sourceIdOf } from './request.ts'
import type { TikTokSettings } from './settings.ts'

/**
 * Maximum age of a conversion in ms: 28 days, the longest window in which TikTok attributes a conversion to a click
 * ("About Attribution Windows").
 */
export const oldestMs = 28 * 24 * 60 * 60_000

type Payload = ReturnType<typeof sendConversion.payloadOf>

/**
 * The event sources by the words of TikTok, of other platforms, and of signals. An event that belongs to no source of
 * TikTok's, such as one that a system made, is sent with the pixel.
 */
const sources: ReadonlyMap<string, EventSource> = new Map([
  ['', 'web'],
  ['web', 'web'],
  ['website', 'web'],
  ['system_generated', 'web'],
  ['other', 'web'],
  ['app', 'app'],
  ['offline', 'offline'],
  ['in_store', 'offline'],
  ['physical_store', 'offline'],
  ['crm', 'crm'],
])

const writtenSource = (payload: Payload): string => payload.event_source?.trim().toLowerCase() ?? ''

/** Returns the source of an event; undefined if TikTok has no such source. */
export const eventSourceOf = (event: OutgoingEvent): EventSource | undefined =>
  sources.get(writtenSource(sendConversion.payloadOf(event)))

/** Titles of the sources in the Events Manager, for messages. */
const sourceTitles = { web: 'pixel', app: 'app', offline: 'offline event set', crm: 'CRM event set' } as const

/** Returns why an event of this source cannot be sent; undefined if it can. */
const sourceProblem = (event: OutgoingEvent, settings: TikTokSettings): string | undefined => {
  const source = eventSourceOf(event)
  const written = writtenSource(sendConversion.payloadOf(event))
  if (source === undefined) return `TikTok knows no event source "${cutText(written, 40).toWellFormed()}"`
  if (sourceIdOf(source, settings) !== undefined) return undefined
  return `Enter the ID of the ${sourceTitles[source]} in the settings, because the event source is ${source}`
}

const given = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value]])),
  )

/** The data of the person; a list has several hashes of one kind. */
type User = Record<string, string | readonly string[]>

const userOf = (payload: Payload, source: EventSource, leftOut: string[]): User => {
  // The mapping has hashed these values, and has left out and named what is no IP address and no click ID.
  const { email, phone, external_id, first_name, last_name, zip_code, ttp, ip, user_agent, locale } = payload
  const ttclid = clickIdOf('tiktok', payload.ttclid) ?? clickIdOf('tiktok', parameterOf(payload.page_url, 'ttclid'))
  const [city, state, country] = [payload.city, payload.state, payload.country].map((text = '') =>
    tiktokNormalization.place(text),
  )
  const hashed = { email, phone, external_id }
  const several = Object.fromEntries(Object.entries(hashed).filter(([, value]) => value !== undefined)) as User
  const others = { first_name, last_name, zip_code, city, state, country, ttclid, ttp, ip, user_agent, locale }
  return {
    ...several,
    ...given(others),
    ...(source === 'app' ? (deviceIdsOf(payload, leftOut) as User) : {}),
    // Segment sends the lead of a sale in a store with the person (`tiktok-offline-conversions/utils.ts`).
    ...(source === 'offline' ? given({ lead_id: payload.lead_id?.trim() }) : {}),
  }
}

/** The data that identifies a person by itself. */
const identifyingNames = ['email', 'phone', 'external_id', 'ttclid', 'ttp', 'idfa', 'gaid', 'idfv', 'lead_id']

const identifies = (user: Readonly<User>): boolean =>
  identifyingNames.some((name) => user[name] !== undefined) ||
  (user['ip'] !== undefined && user['user_agent'] !== undefined)

/** The values of `delivery_category` (Segment's field of the same name; TikTok's page was not seen). */
const deliveryCategories = ['in_store', 'curbside', 'home_delivery'] as const

/** Returns the properties that TikTok does not need: a wrong one is left out. */
const furtherPropertiesOf = (payload: Payload, leftOut: string[]): Record<string, unknown> => {
  const { description, shop_id, predicted_ltv, search_string } = payload
  const isGiven = predicted_ltv !== undefined && predicted_ltv !== null && predicted_ltv !== ''
  const predicted = isGiven ? amountOf(predicted_ltv) : undefined
  if (isGiven && predicted === undefined) leftOut.push('predicted_ltv: not a number')
  return withValues({
    description: description?.trim(),
    shop_id: shop_id?.trim(),
    search_string: search_string?.trim(),
    num_items: integerOf('num_items', payload.num_items, leftOut),
    predicted_ltv: predicted,
    delivery_category: choiceOf('delivery_category', payload.delivery_category, deliveryCategories, leftOut),
  })
}

/**
 * Returns the products as TikTok takes them ("About parameters": contents and content_ids). Each content repeats the
 * type, as in TikTok's tag template (gtm-template-eapi, `makeDataContent`).
 */
const contentsOf = (products: readonly ReadProduct[], type: unknown): Record<string, unknown> => {
  if (products.length === 0) return {}
  const ids = products.flatMap(({ id }) => (id === undefined ? [] : [id]))
  return {
    content_type: type,
    ...(ids.length === 0 ? {} : { content_ids: ids }),
    contents: products.map(({ id, name, quantity, price, category, brand }) => ({
      content_type: type,
      ...given({ content_id: id, content_name: name, content_category: category, brand }),
      ...(quantity === undefined ? {} : { quantity }),
      ...(price === undefined ? {} : { price }),
    })),
  }
}

type Properties = { data: Record<string, unknown>; leftOut: readonly string[] }

/** The values of `content_type` (Segment's field of the same name; TikTok's page was not seen). */
const contentTypes = ['product', 'product_group'] as const

/** Returns the mapped IDs and the mapped type of the contents, which replace those of the products. */
const mappedContentsOf = ({ content_ids = [], content_type }: Payload, left: string[]): Record<string, unknown> => {
  const ids = content_ids.slice(0, maxProducts).flatMap((id) => textOf(id) ?? [])
  return withValues({
    content_type: choiceOf('content_type', content_type, contentTypes, left),
    content_ids: ids.length === 0 ? undefined : ids,
  })
}

const propertiesOf = (
  payload: Payload,
  { eventName, source }: { eventName: string; source: EventSource },
): Properties | { problem: string } => {
  const made = moneyOfProduct(payload, { needsCurrency: true })
  if ('problem' in made) return made
  const { products, leftOut } = productsOf({ list: payload.contents, one: payload.one_product, eventName })
  const { order_id, query } = payload
  const left = [...made.leftOut, ...leftOut]
  const further = furtherPropertiesOf(payload, left)
  const mapped = mappedContentsOf(payload, left)
  const industry = source === 'web' ? industryOf(payload, left) : {}
  return {
    data: {
      ...industry,
      ...further,
      ...made.money,
      ...given({ order_id, query }),
      ...contentsOf(products, mapped['content_type'] ?? 'product'),
      ...mapped,
    },
    leftOut: left,
  }
}

/** Returns the lead of an event of a CRM (Segment, `tiktok-conversions/reportWebEvent/utils.ts`). */
const leadOf = ({ lead_id, lead_event_source }: Payload): Record<string, string> =>
  given({ lead_id: lead_id?.trim(), lead_event_source: lead_event_source?.trim() })

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
  const problem = sourceProblem(event, settings)
  const source = eventSourceOf(event) ?? 'web'
  // The presets send them for each destination, also for one without an app.
  if (problem !== undefined && source === 'app' && isOnlyOfApps(payload.event_name))
    return { kind: 'skipped', reason: problem }
  if (problem !== undefined) return rejected(problem)
  const properties = propertiesOf(payload, { eventName: event.event, source })
  if ('problem' in properties) return rejected(properties.problem)
  const app = source === 'app' ? appOf(payload) : {}
  if (typeof app['problem'] === 'string') return rejected(app['problem'])
  const ofPerson: string[] = []
  const user = userOf(payload, source, ofPerson)
  const lead = source === 'crm' ? leadOf(payload) : {}
  if (!identifies(user) && lead['lead_id'] === undefined) return rejected(withoutIdentifier('TikTok', ofPerson))
  const page = given({ url: payload.page_url, referrer: payload.page_referrer })
  return {
    note: noteOf([...ofPerson, ...properties.leftOut]),
    body: {
      event: source === 'app' ? appEventName(payload.event_name) : payload.event_name,
      event_time: Math.floor(at / 1000),
      event_id: payload.event_id,
      user,
      ...(Object.keys(properties.data).length === 0 ? {} : { properties: properties.data }),
      ...(Object.keys(page).length === 0 ? {} : { page }),
      ...(Object.keys(lead).length === 0 ? {} : { lead }),
      ...app,
      ...((payload.limited_data_use ?? settings.limited_data_use) ? { limited_data_use: true } : {}),
    },
  }
}
