import { type EventOutcome, ExactNumber, isJsonObject } from '@tributary/connector-kit'

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** What a value that is told looks like, short. */
const shortly = (text: string): string => (text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text)

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

const amountOf = (value: unknown): number | undefined => {
  const text = typeof value === 'number' || value instanceof ExactNumber ? value.toString() : value
  if (typeof text !== 'string' || !/^\s*-?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(text)) return undefined
  const amount = Number(text)
  return Number.isFinite(amount) ? amount : undefined
}

/** What a conversion is worth; what is not told is not there. */
export type Money = { value?: number; currency?: string }

/**
 * Value and currency of a conversion as every platform takes them: a number that is not negative, and a code of ISO 4217 in capitals. A
 * problem, in words for people, where they are not: a value of another kind would count as something that it is not.
 */
export const moneyOf = (value: unknown, currency: unknown): Money | { problem: string } => {
  const money: Money = {}
  if (!isNothing(value)) {
    const amount = amountOf(value)
    if (amount === undefined) {
      const told = typeof value === 'string' ? shortly(value.trim()) : typeof value
      const decimals = told.includes(',') ? '. Write decimals with a point, and no separator of thousands' : ''
      return { problem: `The value "${told}" is not a number${decimals}` }
    }
    if (amount < 0) return { problem: 'The value is negative' }
    money.value = amount
  }
  if (!isNothing(currency)) {
    const code = String(currency).trim().toUpperCase()
    if (!currencies.has(code)) return { problem: `"${shortly(code)}" is not a currency code, such as USD` }
    money.currency = code
  }
  return money
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const spanText = (ms: number): string => (ms % dayMs === 0 ? `${ms / dayMs} days` : `${ms / hourMs} hours`)

/** Clocks of devices go a little ahead: such a time is taken for now. */
const aheadMs = 10 * minuteMs

/** When it happened, ms; what becomes of an event that is older than the platform takes, or in the future. */
export const momentOf = (time: string, now: number, oldestMs: number): number | EventOutcome => {
  const at = Date.parse(time)
  if (Number.isNaN(at)) return { kind: 'rejected', reason: 'The event has no valid time' }
  if (at > now + aheadMs) return { kind: 'rejected', reason: 'The time of the event is in the future' }
  if (now - at > oldestMs) return { kind: 'skipped', reason: `Older than ${spanText(oldestMs)}` }
  return Math.min(at, now)
}

export type Consent = 'granted' | 'denied' | 'none'

/** What an event says of consent, in the words of consent banners; words that say nothing clear are a denial. */
export const consentOf = (value: unknown): Consent => {
  if (isNothing(value)) return 'none'
  if (value === true || value === 1) return 'granted'
  if (typeof value !== 'string') return 'denied'
  return ['true', '1', 'yes', 'granted', 'consent_granted'].includes(value.trim().toLowerCase()) ? 'granted' : 'denied'
}

/** What a setting says of events without consent. */
export type WithoutConsent = 'send' | 'leave_out'

/** What becomes of an event that a person has not agreed to; undefined where it may be sent. */
export const consentOutcome = (value: unknown, without: WithoutConsent): EventOutcome | undefined => {
  const consent = consentOf(value)
  if (consent === 'denied') return { kind: 'skipped', reason: 'The person did not consent to sharing data for ads' }
  if (consent === 'none' && without === 'leave_out')
    return { kind: 'skipped', reason: 'The event says nothing of consent' }
  return undefined
}

/** A product of a conversion. */
export type Item = { id: string; name?: string; price?: number; quantity?: number; brand?: string; category?: string }

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() || undefined : undefined

/** Products that a request has at most. */
const mostItems = 200

/** The products of an event, under the names that libraries have for them; what has no ID is left out. */
export const itemsOf = (given: readonly unknown[] = []): Item[] =>
  given.slice(0, mostItems).flatMap((each): Item[] => {
    if (!isJsonObject(each)) return []
    const first = (...names: string[]) => names.map((name) => textOf(each[name])).find((text) => text !== undefined)
    const id = first('product_id', 'item_id', 'content_id', 'id', 'sku')
    if (id === undefined) return []
    const [name, brand, category] = [first('name', 'item_name', 'title'), first('brand'), first('category')]
    const [price, quantity] = [amountOf(each['price'] ?? each['item_price']), amountOf(each['quantity'])]
    return [
      {
        id,
        ...(name === undefined ? {} : { name }),
        ...(price === undefined ? {} : { price }),
        ...(quantity === undefined ? {} : { quantity }),
        ...(brand === undefined ? {} : { brand }),
        ...(category === undefined ? {} : { category }),
      },
    ]
  })
