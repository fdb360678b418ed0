import { ExactNumber } from '@tributary/kernel'

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** What a value that is told looks like, short. */
const shortly = (text: string): string => (text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text)

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** A number, or the number that a text is with a point for its decimals; undefined for anything else. */
export const amountOf = (value: unknown): number | undefined => {
  const text = typeof value === 'number' || value instanceof ExactNumber ? value.toString() : value
  if (typeof text !== 'string' || !/^\s*-?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(text)) return undefined
  const amount = Number(text)
  return Number.isFinite(amount) ? amount : undefined
}

/** What a conversion is worth; what is not told is not there. */
export type Money = { value?: number; currency?: string }

/** Why value or currency of a conversion cannot be sent; `problem` is for people. */
export type MoneyProblem = { problem: string; of: 'value' | 'currency' }

/**
 * Value and currency of a conversion as every platform takes them: a number that is not negative, and a code of ISO 4217 in capitals. A
 * problem, in words for people, where they are not: a value of another kind would count as something that it is not.
 */
export const moneyOf = (value: unknown, currency: unknown): Money | MoneyProblem => {
  const money: Money = {}
  if (!isNothing(value)) {
    const amount = amountOf(value)
    if (amount === undefined) {
      const told = typeof value === 'string' ? shortly(value.trim()) : typeof value
      const decimals = told.includes(',') ? '. Write decimals with a point, and no separator of thousands' : ''
      return { problem: `The value "${told}" is not a number${decimals}`, of: 'value' }
    }
    if (amount < 0) return { problem: 'The value is negative', of: 'value' }
    money.value = amount
  }
  if (!isNothing(currency)) {
    const code = String(currency).trim().toUpperCase()
    if (!currencies.has(code))
      return { problem: `"${shortly(code)}" is not a currency code, such as USD`, of: 'currency' }
    money.currency = code
  }
  return money
}

export type Consent = 'granted' | 'denied' | 'none'

/** What an event says of consent, in the words of consent banners; words that say nothing clear are a denial. */
export const consentOf = (value: unknown): Consent => {
  if (isNothing(value)) return 'none'
  if (value === true || value === 1) return 'granted'
  if (typeof value !== 'string') return 'denied'
  return ['true', '1', 'yes', 'granted', 'consent_granted'].includes(value.trim().toLowerCase()) ? 'granted' : 'denied'
}
