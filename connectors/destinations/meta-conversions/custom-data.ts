import { amountOf, cutText, ExactNumber, isJsonObject } from '@tributary/connector-kit'
import { choiceOf, integerOf, withValues } from '../../wire/conversions/left-out.ts'
import { maxProducts, textOf } from '../../wire/conversions/products.ts'
import type { sendConversion } from './actions/send-conversion.ts'

type Payload = ReturnType<typeof sendConversion.payloadOf>

/** "Standard Parameters": the values of `content_type`. */
const contentTypes = ['product', 'product_group'] as const

/** Returns the mapped IDs and the mapped type of the contents, which replace those of the products. */
export const mappedContentsOf = (
  { content_ids = [], content_type }: Payload,
  leftOut: string[],
): Record<string, unknown> => {
  const ids = content_ids.slice(0, maxProducts).flatMap((id) => textOf(id) ?? [])
  return withValues({
    content_type: choiceOf('content_type', content_type, contentTypes, leftOut),
    content_ids: ids.length === 0 ? undefined : ids,
  })
}

/** "Standard Parameters": the values of `delivery_category`. */
const deliveryCategories = ['in_store', 'curbside', 'home_delivery'] as const

/** Names of `custom_data` with a field of their own, whose rules a custom field must not avoid. */
const standardNames: ReadonlySet<string> = new Set(
  'value currency order_id contents content_ids content_type content_name content_category num_items search_string predicted_ltv net_revenue delivery_category status'.split(
    ' ',
  ),
)

/**
 * Names of personal data, without punctuation and in lower case. Meta takes personal data only hashed and in
 * `user_data`. RudderStack leaves out the same ones by default (rudder-transformer, `facebook_pixel`, "PII Data
 * Processing"); the further spellings are our own.
 */
const personalNames: ReadonlySet<string> = new Set(
  'email emailaddress mail firstname lastname middlename surname fullname gender city country phone phonenumber mobile mobilephone mobilenumber state zip zipcode postalcode birthday birthdate dateofbirth dob address street streetaddress'.split(
    ' ',
  ),
)

const isPersonal = (name: string): boolean => personalNames.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''))

/** Names with which an assignment would change an object's prototype. */
const isReserved = (name: string): boolean => ['__proto__', 'constructor', 'prototype'].includes(name)

/** Maximum depth of custom data. */
const maxDepth = 5

const notePersonal = (path: string, leftOut: string[]): void => {
  leftOut.push(
    `custom_data.${cutText(path, 60).toWellFormed()}: personal data, which Meta takes only in fields of its own`,
  )
}

/** Returns a custom value without empty parts and without personal data. */
const customValue = (path: string, value: unknown, depth: number, leftOut: string[]): unknown => {
  if (value === null || value === '') return undefined
  if (depth > maxDepth) {
    leftOut.push(`custom_data.${cutText(path, 60).toWellFormed()}: too many levels`)
    return undefined
  }
  // Meta would refuse the request for a number outside the range of a double.
  if (value instanceof ExactNumber && !Number.isFinite(Number(value))) return value.toString()
  if (Array.isArray(value)) return value.map((item) => customValue(path, item, depth + 1, leftOut) ?? '')
  if (!isJsonObject(value)) return value
  const members: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    if (isReserved(name)) continue
    if (isPersonal(name)) notePersonal(`${path}.${name}`, leftOut)
    else {
      const made = customValue(`${path}.${name}`, member, depth + 1, leftOut)
      if (made !== undefined) members[name] = made
    }
  }
  return members
}

/** Returns the company's own data of an event: the mapped object `custom_data`, and further mapped fields. */
export const ownDataOf = (
  payload: Payload,
  custom: Readonly<Record<string, unknown>>,
  leftOut: string[],
): Record<string, unknown> => {
  const own: Record<string, unknown> = {}
  for (const [name, value] of Object.entries({ ...payload.custom_data, ...custom })) {
    if (isReserved(name)) continue
    if (standardNames.has(name)) {
      if (payload[name as keyof Payload] === undefined && value !== null && value !== '')
        leftOut.push(`custom_data.${name}: has a field of its own`)
      continue
    }
    if (isPersonal(name)) {
      if (value !== null && value !== '') notePersonal(name, leftOut)
      continue
    }
    const made = customValue(name, value, 1, leftOut)
    if (made !== undefined) own[name] = made
  }
  return own
}

const amountField = (field: 'predicted_ltv' | 'net_revenue', payload: Payload, leftOut: string[]) => {
  const value = payload[field]
  if (value === undefined || value === null || value === '') return undefined
  const amount = amountOf(value)
  if (amount === undefined) leftOut.push(`${field}: not a number`)
  return amount
}

/** Returns the sum of quantities, where a product without a quantity counts once; undefined if it is no integer. */
const countOf = (items: readonly { quantity?: number | undefined }[]): number | undefined => {
  const count = items.reduce((sum, { quantity }) => sum + (quantity ?? 1), 0)
  return count > 0 && Number.isSafeInteger(count) ? count : undefined
}

/** The events that have `num_items` ("Standard Events" of the pixel). */
const countedEvents: ReadonlySet<string> = new Set(['Purchase', 'InitiateCheckout'])

/**
 * Returns the standard parameters that Meta does not need: a wrong one is left out. Without a mapped number of items,
 * the quantities of the products are counted, as the pixel of a shop does. `items` is undefined if not all are known.
 */
export const standardDataOf = (
  payload: Payload,
  items: readonly { quantity?: number | undefined }[] | undefined,
  leftOut: string[],
): Record<string, unknown> => {
  const given = integerOf('num_items', payload.num_items, leftOut)
  const counted = items !== undefined && countedEvents.has(payload.event_name) ? countOf(items) : undefined
  return withValues({
    content_name: payload.content_name?.trim(),
    content_category: payload.content_category?.trim(),
    num_items: given ?? counted,
    status: payload.status?.trim(),
    delivery_category: choiceOf('delivery_category', payload.delivery_category, deliveryCategories, leftOut),
    predicted_ltv: amountField('predicted_ltv', payload, leftOut),
    net_revenue: amountField('net_revenue', payload, leftOut),
  })
}
