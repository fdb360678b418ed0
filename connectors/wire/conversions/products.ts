import { amountOf, isJsonObject, type Money, type MoneyProblem, moneyOf } from '@tributary/connector-kit'

/** A product of an event. Each has an ID, a name, or both. */
export type Product = {
  id?: string
  name?: string
  brand?: string
  category?: string
  variant?: string
  coupon?: string
  affiliation?: string
  price?: number
  quantity?: number
  discount?: number
  index?: number
}

/** A product with the object from which it was read. */
export type ReadProduct = Product & { readonly source: Readonly<Record<string, unknown>> }

/** The products of an event, and what was left out of them, for users. */
export type Products = { products: readonly ReadProduct[]; leftOut: readonly string[] }

/** The fields of an action from which products are read. */
export type ProductInput = {
  /** The list of products. */
  list?: readonly unknown[] | undefined
  /** The product of an event without a list. */
  one?: unknown
  /** The name of the event as the source sent it. */
  eventName: string
}

/**
 * Maximum products of a request. Google Analytics takes 200 ("Recommended events", items); the other platforms name no
 * limit.
 */
export const maxProducts = 200

/** The names that libraries use for each text of a product. The first one with a value counts. */
const textNames = {
  name: ['name', 'item_name', 'title'],
  brand: ['brand', 'item_brand'],
  category: ['category', 'item_category'],
  variant: ['variant', 'item_variant'],
  coupon: ['coupon'],
  affiliation: ['affiliation'],
} as const

const numberNames = {
  price: ['price', 'item_price'],
  quantity: ['quantity'],
  discount: ['discount'],
  index: ['position', 'index'],
} as const

const idNames = ['product_id', 'item_id', 'content_id', 'id', 'sku']

type Source = Readonly<Record<string, unknown>>

/** Returns a value as text; undefined for a blank text, and for a value that is neither a text nor a number. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Number
    ? String(value).trim() || undefined
    : undefined

// These loops run for each product of each event at each platform, so they make no lists.
const firstText = (source: Source, names: readonly string[]): string | undefined => {
  for (const name of names) {
    const text = textOf(source[name])
    if (text !== undefined) return text
  }
  return undefined
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

const texts = Object.entries(textNames) as [keyof typeof textNames, readonly string[]][]

const addTexts = (product: Product, source: Source): void => {
  for (const [key, names] of texts) {
    const text = firstText(source, names)
    if (text !== undefined) product[key] = text
  }
}

const numbers = Object.entries(numberNames) as [keyof typeof numberNames, readonly string[]][]

/** Adds the numbers of a product. Adds the names of values that are not numbers to `wrong`. */
const addNumbers = (product: Product, source: Source, wrong: Set<string>): void => {
  for (const [key, names] of numbers) {
    const name = names.find((each) => !isBlank(source[each]))
    if (name === undefined) continue
    const number = amountOf(source[name])
    if (number === undefined) wrong.add(key)
    else product[key] = number
  }
}

const productOf = (source: Source, id: string | undefined, wrong: Set<string>): ReadProduct => {
  const product: Product & { source: Source } = { source }
  if (id !== undefined) product.id = id
  addTexts(product, source)
  addNumbers(product, source, wrong)
  return product
}

/**
 * Reads the properties of an event as its product. `id` alone names anything, so it does not count. A name without an ID
 * counts only for an event of a product, because the name of another event may be that of a person.
 */
const rootProduct = (one: unknown, eventName: string, wrong: Set<string>): ReadProduct | undefined => {
  if (!isJsonObject(one)) return undefined
  const id = firstText(
    one,
    idNames.filter((name) => name !== 'id'),
  )
  const isNamed = firstText(one, textNames.name) !== undefined && /\bproduct\b/i.test(eventName)
  return id === undefined && !isNamed ? undefined : productOf(one, id, wrong)
}

/** Whether an item has no name but that in the properties of its event. */
const isNameOf = (one: unknown, item: Source): boolean =>
  isJsonObject(one) && firstText(one, textNames.name) === firstText(item, textNames.name)

/**
 * Returns the products of an event: those of its list, or else the product in its own properties. Products with neither
 * an ID nor a name are left out, and so are products after the first 200.
 */
export const productsOf = ({ list = [], one, eventName }: ProductInput): Products => {
  const wrong = new Set<string>()
  const isOfProduct = /\bproduct\b/i.test(eventName)
  const products = list.slice(0, maxProducts).flatMap((each): ReadProduct[] => {
    if (!isJsonObject(each)) return []
    const id = firstText(each, idNames)
    // A mapping can make an item of the event's own properties, whose name can be that of a person.
    if (id === undefined && list.length === 1 && !isOfProduct && isNameOf(one, each)) return []
    return id === undefined && firstText(each, textNames.name) === undefined ? [] : [productOf(each, id, wrong)]
  })
  const leftOut: string[] = []
  const unnamed = Math.min(list.length, maxProducts) - products.length
  if (unnamed > 0) leftOut.push(`${unnamed} of ${Math.min(list.length, maxProducts)} products: neither ID nor name`)
  if (list.length > maxProducts) leftOut.push(`the products after the first ${maxProducts}`)
  const root = products.length === 0 ? rootProduct(one, eventName, wrong) : undefined
  if (root !== undefined) products.push(root)
  for (const name of wrong) leftOut.push(`${name} of a product: not a number`)
  return { products, leftOut }
}

/** The fields of an action from which the value of an event is read. */
export type ValueInput = { value?: unknown; price_of_one?: unknown; one_product?: unknown; currency?: unknown }

/** Rounds an amount to a millionth, because the product of two decimals has rounding errors. */
const rounded = (amount: number): number => Math.round(amount * 1e6) / 1e6

/**
 * Returns the price times the quantity; the price as given if it is not a number. Without a quantity, it is 1. Undefined
 * if the quantity is not a positive number, because the value would be wrong.
 */
const totalOf = (price: unknown, one: unknown): unknown => {
  const each = amountOf(price)
  const given = isJsonObject(one) ? one['quantity'] : undefined
  if (each === undefined || isBlank(given)) return price
  const quantity = amountOf(given)
  return quantity === undefined || quantity <= 0 ? undefined : rounded(each * quantity)
}

/**
 * Checks value and currency of an event, as `moneyOf` does. Without a value, the price of one piece times the quantity
 * is the value. With `needsCurrency`, a mapped value without a currency is a problem; a value made from the price is
 * left out.
 */
export const moneyOfProduct = (
  { value, price_of_one, one_product, currency }: ValueInput,
  { needsCurrency }: { needsCurrency: boolean },
): { money: Money; leftOut: readonly string[] } | MoneyProblem => {
  const isMade = isBlank(value) && !isBlank(price_of_one)
  const given = isMade ? totalOf(price_of_one, one_product) : value
  const money = moneyOf(given, currency)
  if ('problem' in money) return money
  if (isMade && given === undefined) return { money, leftOut: ['value: the quantity is not a positive number'] }
  if (!needsCurrency || money.value === undefined || money.currency !== undefined) return { money, leftOut: [] }
  if (!isMade) return { problem: 'A value needs a currency', of: 'currency' }
  return { money: {}, leftOut: ['value: the price has no currency'] }
}
