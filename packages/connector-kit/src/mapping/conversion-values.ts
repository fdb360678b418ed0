import { cutText, ExactNumber } from '@tributary/kernel'

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Shortens a value for a message. */
const shortly = (text: string): string => (text.length > 40 ? `${cutText(text, 40).toWellFormed()}…` : text)

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/**
 * Returns the number of a value, also of a text with a decimal point; undefined for any other value, and for amounts
 * beyond 2^53.
 */
export const amountOf = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined
  const text = value instanceof ExactNumber ? value.toString() : value
  if (typeof text !== 'string' || !/^\s*-?\d+(\.\d+)?(e[+-]?\d+)?\s*$/i.test(text)) return undefined
  const amount = Number(text)
  // Larger amounts would be rounded.
  return Math.abs(amount) <= Number.MAX_SAFE_INTEGER ? amount : undefined
}

/** The value of a conversion; an absent part was not given. */
export type Money = { value?: number; currency?: string }

/** Why value or currency of a conversion cannot be sent; `problem` is a text for users. */
export type MoneyProblem = { problem: string; of: 'value' | 'currency' }

/**
 * Checks value and currency of a conversion, as every platform requires them: a number that is not negative, and an ISO
 * 4217 code in capitals. Otherwise returns a problem for users, because the platform would count a wrong value as
 * another amount.
 */
export const moneyOf = (value: unknown, currency: unknown): Money | MoneyProblem => {
  const money: Money = {}
  if (!isNothing(value)) {
    const amount = amountOf(value)
    if (amount === undefined) {
      const isText = typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber
      const shown = isText ? shortly(String(value).trim()) : typeof value
      if (isText && Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER)
        return { problem: `The value "${shown}" has more digits than an amount can have`, of: 'value' }
      const decimals = shown.includes(',') ? '. Write decimals with a point, and no separator of thousands' : ''
      return { problem: `The value "${shown}" is not a number${decimals}`, of: 'value' }
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

/** Returns the consent of an event, from the terms of consent banners; unclear terms are a denial. */
export const consentOf = (value: unknown): Consent => {
  if (isNothing(value)) return 'none'
  if (value === true || value === 1) return 'granted'
  if (typeof value !== 'string') return 'denied'
  return ['true', '1', 'yes', 'granted', 'consent_granted'].includes(value.trim().toLowerCase()) ? 'granted' : 'denied'
}
