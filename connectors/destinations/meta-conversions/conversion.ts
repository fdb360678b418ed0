import type { EventOutcome, OutgoingEvent } from '@tributary/connector-kit'
import { cutText } from '@tributary/connector-kit'
import { metaClickOf, parameterOf } from '../../wire/conversions/click-ids.ts'
import { consentOutcome, momentOf } from '../../wire/conversions/event-facts.ts'
import { integerOf, noteOf, withoutIdentifier, withValues } from '../../wire/conversions/left-out.ts'
import { maxProducts, moneyOfProduct, productsOf } from '../../wire/conversions/products.ts'
import type { Prepared } from '../../wire/conversions/send-prepared.ts'
import { metaBrowserIdOf } from '../../wire/normalization/meta.ts'
import { sendConversion } from './actions/send-conversion.ts'
import { appDataOf } from './app-data.ts'
import { mappedContentsOf, ownDataOf, standardDataOf } from './custom-data.ts'
import type { MetaConversionsSettings } from './settings.ts'

const dayMs = 24 * 60 * 60_000

/**
 * Maximum age of an event in ms ("Using the API"): 7 days, 62 days for physical stores. One older event fails the whole
 * request.
 */
export const oldestMs = { store: 62 * dayMs, others: 7 * dayMs }

/** The values of action_source ("Server Event Parameters"). */
const actionSources: ReadonlySet<string> = new Set([
  'website',
  'app',
  'phone_call',
  'chat',
  'email',
  'physical_store',
  'system_generated',
  'business_messaging',
  'other',
])

const hashedNames = ['em', 'ph', 'external_id', 'fn', 'ln', 'ct', 'st', 'zp', 'country', 'ge', 'db'] as const

/** IDs that are sent as they are, see `idFields`. */
const plainIds = [
  'madid',
  'anon_id',
  'subscription_id',
  'ctwa_clid',
  'page_id',
  'page_scoped_user_id',
  'ig_account_id',
  'ig_sid',
  'partner_id',
  'partner_name',
] as const

type Payload = ReturnType<typeof sendConversion.payloadOf>

const userDataOf = (payload: Payload, at: number, leftOut: string[]): Record<string, unknown> => {
  const user: Record<string, unknown> = {}
  // The mapping has hashed these values, and has left out and named what is no IP address, click ID, or browser ID.
  for (const name of hashedNames) if (payload[name] !== undefined) user[name] = [payload[name]].flat()
  const others = {
    ...Object.fromEntries(plainIds.map((name) => [name, payload[name]?.trim()])),
    fbc: metaClickOf(payload.fbc, at) ?? metaClickOf(parameterOf(payload.event_source_url, 'fbclid'), at),
    fbp: metaBrowserIdOf(payload.fbp ?? ''),
    lead_id: integerOf('lead_id', payload.lead_id, leftOut),
    fb_login_id: integerOf('fb_login_id', payload.fb_login_id, leftOut),
    client_ip_address: payload.client_ip_address,
    client_user_agent: payload.client_user_agent,
  }
  for (const [name, value] of Object.entries(others)) if (value !== undefined && value !== '') user[name] = value
  return user
}

/** The data that identifies a person by itself. */
const identifyingNames = [
  'em',
  'ph',
  'external_id',
  'fbc',
  'fbp',
  'lead_id',
  'madid',
  'anon_id',
  'fb_login_id',
  'ctwa_clid',
  'page_scoped_user_id',
  'ig_sid',
]

/**
 * Whether the data can identify a user. "Best Practices" lists combinations that match too many users: places, names,
 * or the browser alone.
 */
const identifies = (user: Readonly<Record<string, unknown>>): boolean =>
  identifyingNames.some((name) => user[name] !== undefined) ||
  (user['client_ip_address'] !== undefined && user['client_user_agent'] !== undefined)

/**
 * Returns the "Data Processing Options" of Limited Data Use. With country 0 and state 0, Meta determines the location of
 * the user itself. A state needs its country.
 */
const limitedUseOf = (payload: Payload, leftOut: string[]): Record<string, unknown> => {
  const country = integerOf('data_processing_country', payload.data_processing_country, leftOut) ?? 0
  const state = integerOf('data_processing_state', payload.data_processing_state, leftOut) ?? 0
  return {
    data_processing_options: ['LDU'],
    data_processing_options_country: country,
    data_processing_options_state: country === 0 ? 0 : state,
  }
}

const rejected = (reason: string): EventOutcome => ({ kind: 'rejected', reason })

type CustomData = { data: Record<string, unknown>; leftOut: string[] }

/**
 * Returns the standard parameters and the products as Meta takes them: by their ID ("Custom Data Parameters", contents and content_ids). Products
 * with only a name are left out.
 */
const contentsOf = (payload: Payload, eventName: string): CustomData => {
  const { products, leftOut } = productsOf({ list: payload.contents, one: payload.one_product, eventName })
  const contents = products.flatMap(({ id, quantity, price }) =>
    id === undefined
      ? []
      : [
          {
            id,
            ...(quantity === undefined ? {} : { quantity }),
            ...(price === undefined ? {} : { item_price: price }),
          },
        ],
  )
  const unknown = products.length - contents.length
  const isWhole = (payload.contents?.length ?? 0) <= maxProducts
  const left = [...leftOut, ...(unknown === 0 ? [] : [`${unknown} of ${products.length} products: no ID`])]
  const standard = standardDataOf(payload, isWhole ? products : undefined, left)
  const mapped = mappedContentsOf(payload, left)
  if (contents.length === 0) return { data: { ...standard, ...mapped }, leftOut: left }
  const ids = contents.map(({ id }) => id)
  return { data: { ...standard, content_type: 'product', content_ids: ids, contents, ...mapped }, leftOut: left }
}

const customDataOf = (payload: Payload, eventName: string): CustomData | { problem: string } => {
  const made = moneyOfProduct(payload, { needsCurrency: false })
  if ('problem' in made) return made
  const { money } = made
  if (payload.event_name === 'Purchase' && (money.currency === undefined || money.value === undefined))
    return { problem: 'A purchase needs a value and a currency' }
  const contents = contentsOf(payload, eventName)
  return {
    data: {
      ...money,
      ...(payload.order_id === undefined ? {} : { order_id: payload.order_id }),
      ...(payload.search_string === undefined ? {} : { search_string: payload.search_string }),
      ...contents.data,
    },
    leftOut: contents.leftOut,
  }
}

/** Returns the event in the format of the Conversions API, or the outcome of an event that must not be sent. */
export const conversionOf = (
  event: OutgoingEvent,
  settings: MetaConversionsSettings,
  now: number,
): Prepared<Readonly<Record<string, unknown>>> | EventOutcome => {
  const payload = sendConversion.payloadOf(event)
  const refused = consentOutcome(payload.consent, settings.without_consent)
  if (refused !== undefined) return refused
  const source = payload.action_source?.trim() || 'website'
  if (!actionSources.has(source)) return rejected(`Meta knows no action source "${cutText(source, 40)}"`)
  const at = momentOf(payload.event_time, now, source === 'physical_store' ? oldestMs.store : oldestMs.others)
  if (typeof at !== 'number') return at
  const custom = customDataOf(payload, event.event)
  if ('problem' in custom) return rejected(custom.problem)
  const ofPerson: string[] = []
  const user = userDataOf(payload, at, ofPerson)
  // "Parameters": website events require a user agent and a URL.
  if (source === 'website' && user['client_user_agent'] === undefined)
    return rejected('Website events need the user agent of the browser. Otherwise map another action source')
  if (source === 'website' && (payload.event_source_url ?? '') === '')
    return rejected('Website events need the URL of the page. Otherwise map another action source')
  const app = source === 'app' ? appDataOf(payload) : undefined
  if (typeof app?.['problem'] === 'string') return rejected(app['problem'])
  if (!identifies(user)) return rejected(withoutIdentifier('Meta', ofPerson))
  const { leftOut } = custom
  const limitedUse = (payload.limited_data_use ?? settings.limited_data_use) ? limitedUseOf(payload, leftOut) : {}
  const customData = { ...ownDataOf(payload, sendConversion.customOf(event), leftOut), ...custom.data }
  return {
    note: noteOf([...ofPerson, ...leftOut]),
    body: {
      event_name: payload.event_name,
      event_time: Math.floor(at / 1000),
      event_id: payload.event_id,
      action_source: source,
      ...withValues({ event_source_url: payload.event_source_url, referrer_url: payload.referrer_url?.trim() }),
      ...(payload.opt_out === true ? { opt_out: true } : {}),
      user_data: user,
      ...(Object.keys(customData).length === 0 ? {} : { custom_data: customData }),
      ...(app === undefined ? {} : { app_data: app }),
      ...limitedUse,
    },
  }
}
