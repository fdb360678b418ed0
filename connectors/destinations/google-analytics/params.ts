import { amountOf, cutText } from '@tributary/connector-kit'
import { moneyOf } from '../../wire/conversions/event-facts.ts'
import { moneyOfProduct, productsOf, type ReadProduct, textOf } from '../../wire/conversions/products.ts'
import type { sendEvent } from './actions/send-event.ts'
import { limits, paramNameProblem, paramValueOf } from './names.ts'

type Payload = ReturnType<typeof sendEvent.payloadOf>
type Values = Readonly<Record<string, unknown>>

/** The fields that are parameters of the event under their own names. */
const textParams = [
  'transaction_id',
  'search_term',
  'page_location',
  'page_referrer',
  'page_title',
  'coupon',
  'affiliation',
  'payment_type',
  'shipping_tier',
  'method',
  'content_type',
  'item_id',
  'item_list_id',
  'item_list_name',
  'promotion_id',
  'promotion_name',
  'creative_name',
  'creative_slot',
  'location_id',
  'screen_name',
  'screen_class',
  'group_id',
] as const satisfies readonly (keyof Payload)[]

/** The item parameters that a product has under the same name ("Recommended events", item parameters). */
const itemTexts = [
  'item_category2',
  'item_category3',
  'item_category4',
  'item_category5',
  'item_list_id',
  'item_list_name',
  'location_id',
  'creative_name',
  'creative_slot',
  'promotion_id',
  'promotion_name',
]

/** Returns the currency of a product; undefined for a text that is no currency. */
const currencyOf = (source: Values): string | undefined => {
  const money = moneyOf(undefined, textOf(source['currency']))
  return 'problem' in money ? undefined : money.currency
}

const itemOf = (product: ReadProduct, affiliation: string | undefined, isOfList: boolean): Values => {
  const { source, price, quantity, discount, index } = product
  const values: Record<string, unknown> = {
    item_id: product.id,
    item_name: product.name,
    // Google takes an affiliation only of items.
    affiliation: product.affiliation ?? affiliation,
    coupon: product.coupon,
    // Other properties of an event have its own currency, which is a parameter of the event.
    currency: isOfList ? currencyOf(source) : undefined,
    discount,
    index,
    item_brand: product.brand,
    item_category: product.category,
    item_variant: product.variant,
    price,
    quantity,
  }
  const item: Record<string, unknown> = {}
  for (const name in values) if (values[name] !== undefined) item[name] = values[name]
  for (const name of itemTexts) {
    const text = textOf(source[name])
    if (text !== undefined) item[name] = text
  }
  return item
}

/**
 * Returns the session ID of the Google tag, a positive number ("Measurement Protocol reference", session_id): as given, or
 * from the value of the cookie `_ga_<stream>`, which is `GS1.1.<session ID>.…` or `GS2.1.s<session ID>$…`.
 */
const sessionOf = (text: string): string | undefined => /^(?:GS\d\.\d\.)?s?(\d{1,20})(?:[.$]|$)/.exec(text)?.[1]

const numberParams = (payload: Payload, leftOut: string[]): Record<string, number> => {
  const numbers: Record<string, number> = {}
  for (const name of ['tax', 'shipping'] as const) {
    const given = payload[name]
    const number = amountOf(given)
    if (number !== undefined) numbers[name] = number
    else if (given !== undefined && given !== null && given !== '') leftOut.push(`${name}: not a number`)
  }
  return numbers
}

/** Adds the custom parameters that Google takes to `params`, and the others to `leftOut`. */
const addCustom = (params: Record<string, unknown>, custom: Values, leftOut: string[]): void => {
  let beyond = 0
  for (const [name, value] of Object.entries(custom)) {
    if (value === undefined || value === null || value === '') continue
    const taken = paramValueOf(name, value)
    const problem = paramNameProblem(name) ?? (taken === undefined ? 'neither a text nor a number' : undefined)
    if (problem !== undefined) leftOut.push(`${cutText(name, 60)}: ${problem}`)
    else if (Object.hasOwn(params, name)) continue
    else if (Object.keys(params).length < limits.params) params[name] = taken
    else beyond++
  }
  if (beyond > 0) leftOut.push(`${beyond} parameters: more than ${limits.params}`)
}

/** The parameters of an event, and what was left out of them, for users. */
export type Params = { params: Readonly<Record<string, unknown>>; leftOut: string[] }

/**
 * Returns the parameters of an event, or why it cannot be sent. Google ignores names, values, and counts beyond its
 * limits, so only the affected parameter is left out. A wrong value or currency is a problem, because Google would count
 * another amount.
 */
export const paramsOf = (
  payload: Payload,
  custom: Values,
  { eventName, debug }: { eventName: string; debug: boolean },
): Params | { problem: string } => {
  const made = moneyOfProduct(payload, { needsCurrency: true })
  if ('problem' in made) return { problem: made.problem }
  const leftOut = [...made.leftOut]
  const { products, leftOut: ofProducts } = productsOf({ list: payload.items, one: payload.one_product, eventName })
  leftOut.push(...ofProducts)
  const isOfList = payload.items !== undefined && payload.items.length > 0
  const givenSession = payload.session_id?.trim() ?? ''
  const session = sessionOf(givenSession)
  if (givenSession !== '' && session === undefined) leftOut.push('session_id: not a session of the Google tag')
  const given = custom['engagement_time_msec']
  const params: Record<string, unknown> = {
    ...made.money,
    ...numberParams(payload, leftOut),
    // Without an engagement time, an event does not appear in reports of active users, such as Realtime.
    engagement_time_msec: amountOf(given) === undefined ? 1 : paramValueOf('', given),
    ...(session === undefined ? {} : { session_id: session }),
    ...(debug ? { debug_mode: 1 } : {}),
    ...(products.length === 0
      ? {}
      : { items: products.map((product) => itemOf(product, textOf(payload.affiliation), isOfList)) }),
  }
  for (const name of textParams) {
    const value = payload[name]
    if (value === undefined || value === null || value === '') continue
    const taken = paramValueOf(name, value)
    if (taken === undefined) leftOut.push(`${name}: neither a text nor a number`)
    else params[name] = taken
  }
  addCustom(params, custom, leftOut)
  return { params, leftOut }
}
