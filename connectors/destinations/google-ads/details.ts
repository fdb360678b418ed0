import { amountOf, cutText, emailOf, type OutgoingEvent } from '@tributary/connector-kit'
import { choiceOf, withValues } from '../../wire/conversions/left-out.ts'
import { productsOf, textOf } from '../../wire/conversions/products.ts'
import { uploadConversion } from './actions/upload-conversion.ts'
import { languageOf } from './device.ts'

type Payload = ReturnType<typeof uploadConversion.payloadOf>

/** Maximum values of a list, and characters of a text. Our own choice. */
const maxValues = 50
const maxCharacters = 500

/** Returns a text of at most 500 characters; '' for a value that is neither a text nor a number. */
export const wordOf = (value: unknown): string => cutText(textOf(value) ?? '', maxCharacters).toWellFormed()

/** Returns a number that is not negative, or notes that the value is none. */
export const numberOf = (field: string, value: unknown, leftOut: string[]): number | undefined => {
  if (value === undefined || value === null || value === '') return undefined
  const number = amountOf(value)
  if (number !== undefined && number >= 0) return number
  leftOut.push(`${field}: not a number that is not negative`)
  return undefined
}

/**
 * Returns the products of a conversion, "Item" of both APIs, which name the ID differently. Google finds a product by its ID in the
 * Merchant Center, so products without one are left out. A quantity is an integer.
 */
export const itemsOf = (
  { items: list, one_product: one, eventName }: Pick<Payload, 'items' | 'one_product'> & { eventName: string },
  nameOfId: 'merchantProductId' | 'productId',
  left: string[],
): unknown[] => {
  const { products, leftOut } = productsOf({ list, one, eventName })
  const lost = new Set<string>()
  const items = products.flatMap(({ id, quantity, price }) => {
    if (id === undefined) return []
    const isCount = quantity === undefined || (Number.isInteger(quantity) && quantity > 0)
    const isPrice = price === undefined || price >= 0
    if (!isCount) lost.add('quantity of a product: not a positive integer')
    if (!isPrice) lost.add('price of a product: negative')
    return [
      {
        [nameOfId]: id,
        ...withValues({ quantity: isCount ? quantity : undefined, unitPrice: isPrice ? price : undefined }),
      },
    ]
  })
  const unknown = products.length - items.length
  left.push(...leftOut, ...lost, ...(unknown === 0 ? [] : [`${unknown} of ${products.length} products: no ID`]))
  return items
}

/** Returns "CartData" of the Data Manager API. The details of a cart are sent only with products. */
const cartOf = (outgoing: OutgoingEvent, left: string[]): Record<string, unknown> => {
  const payload = uploadConversion.payloadOf(outgoing)
  const items = itemsOf({ ...payload, eventName: outgoing.event }, 'merchantProductId', left)
  const coupons = [payload.coupon].flat().slice(0, maxValues).map(wordOf)
  const codes = coupons.filter((code) => code !== '')
  const ofMerchant = {
    merchantId: wordOf(payload.merchant_id),
    merchantFeedLabel: wordOf(payload.merchant_feed_label),
    merchantFeedLanguageCode: languageOf(payload.merchant_feed_language),
  }
  return withValues({
    ...(items.length === 0 ? {} : ofMerchant),
    transactionDiscount: numberOf('discount', payload.discount, left),
    couponCodes: codes.length === 0 ? undefined : codes,
    items: items.length === 0 ? undefined : items,
  })
}

/**
 * Returns the text of each custom variable by its name. Google refuses an event for personal data in one of them
 * (CUSTOM_VARIABLE_VALUE_CONTAINS_PII), so an email address is left out.
 */
export const variablesOf = (
  { custom_variables: given }: Pick<Payload, 'custom_variables'>,
  left: string[],
): { variable: string; value: string }[] => {
  const entries = Object.entries(given ?? {})
  if (entries.length > maxValues) left.push(`${entries.length - maxValues} custom variables: more than ${maxValues}`)
  return entries.slice(0, maxValues).flatMap(([variable, value]) => {
    if (value === null || value === undefined || value === '') return []
    const text = typeof value === 'boolean' ? String(value) : wordOf(value)
    const problem =
      text === '' ? 'neither a text nor a number' : emailOf(text) === undefined ? undefined : 'an email address'
    if (problem === undefined) return [{ variable, value: text }]
    left.push(`custom variable ${cutText(variable, 60).toWellFormed()}: ${problem}`)
    return []
  })
}

const upper = (text: string | undefined): string | undefined => text?.toUpperCase()

/** Returns "UserProperties": the type and the value of the customer (support.google.com/google-ads/answer/14007601). */
const customerOf = (payload: Payload, left: string[]): Record<string, unknown> =>
  withValues({
    customerType: upper(choiceOf('customer_type', payload.customer_type, ['new', 'returning', 'reengaged'], left)),
    customerValueBucket: upper(choiceOf('customer_value', payload.customer_value, ['low', 'medium', 'high'], left)),
  })

/** Returns an object with a value under a name; an empty object if the value has no members. */
export const within = (name: string, value: Record<string, unknown>): Record<string, unknown> =>
  Object.keys(value).length === 0 ? {} : { [name]: value }

/** Returns the parts of a conversion that Google does not need; a wrong one is left out. */
export const detailsOf = (outgoing: OutgoingEvent, leftOut: string[]): Record<string, unknown> => {
  const payload = uploadConversion.payloadOf(outgoing)
  const variables = variablesOf(payload, leftOut)
  return {
    ...withValues({ conversionCount: numberOf('conversion_count', payload.conversion_count, leftOut) }),
    ...within('cartData', cartOf(outgoing, leftOut)),
    ...(variables.length === 0 ? {} : { customVariables: variables }),
    ...within('userProperties', customerOf(payload, leftOut)),
    ...within('eventLocation', withValues({ storeId: wordOf(payload.store_id) })),
  }
}
