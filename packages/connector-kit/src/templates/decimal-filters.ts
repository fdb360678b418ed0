import { ExactNumber, isJsonObject } from '@tributary/kernel'

/** A decimal: `units` divided by 10 to the power of `places`. */
type Decimal = { units: bigint; places: number }

/** Maximum digits of a decimal. Larger numbers are doubles, so that no template creates unbounded numbers. */
const maxDigits = 400
const zero: Decimal = { units: 0n, places: 0 }

const decimalText = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/

/** Returns the decimal in a text; undefined if there is none, or it has too many digits. */
const parse = (text: string): Decimal | undefined => {
  if (text.length > maxDigits) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = decimalText.exec(text) ?? []
  if (whole === '' && fraction === '') return undefined
  const places = fraction.length - Number(exponent)
  if (Math.abs(places) > maxDigits) return undefined
  const units = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`)
  return places < 0 ? { units: units * 10n ** BigInt(-places), places: 0 } : { units, places }
}

const leadingInteger = /^[+-]?\d{1,400}/

/**
 * Returns the number that Liquid uses for a value in arithmetic: a number with its digits, the number at the start of a
 * text, or 0 for any other value. Undefined for numbers that cannot be a decimal. Source: Shopify's Liquid,
 * `Utils.to_number`.
 */
const decimalOf = (value: unknown): Decimal | undefined => {
  if (typeof value === 'number' || value instanceof ExactNumber) return parse(String(value))
  if (typeof value === 'boolean') return { units: value ? 1n : 0n, places: 0 }
  if (typeof value !== 'string') return zero
  const text = value.trim()
  return parse(text) ?? parse(leadingInteger.exec(text)?.[0] ?? '0')
}

const doubleOf = (value: unknown): number => {
  const decimal = decimalOf(value)
  return decimal === undefined ? Number(value) : Number(textOf(decimal))
}

/** Returns the text of a decimal, without unnecessary zeros. */
const textOf = ({ units, places }: Decimal): string => {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const fraction = places === 0 ? '' : digits.slice(-places)
  let end = fraction.length
  while (end > 0 && fraction[end - 1] === '0') end--
  const whole = places === 0 ? digits : digits.slice(0, -places)
  return `${units < 0n ? '-' : ''}${whole}${end === 0 ? '' : `.${fraction.slice(0, end)}`}`
}

/**
 * Converts a decimal to a number for templates: a double, or the exact digits if the decimal is an integer beyond
 * doubles.
 */
const numberOf = (decimal: Decimal): number | ExactNumber => {
  const text = textOf(decimal)
  const double = Number(text)
  return text.includes('.') || Number.isSafeInteger(double) ? double : new ExactNumber(text)
}

const power = (exponent: number): bigint => 10n ** BigInt(exponent)

const aligned = (a: Decimal, b: Decimal): { left: bigint; right: bigint; places: number } => {
  const places = Math.max(a.places, b.places)
  return { left: a.units * power(places - a.places), right: b.units * power(places - b.places), places }
}

const floorDivided = (left: bigint, right: bigint): bigint => {
  const quotient = left / right
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient
}

/** Number of decimal places of a quotient: more than a double can hold. */
const quotientPlaces = 40

type Operation = (a: Decimal, b: Decimal) => Decimal

const add: Operation = (a, b) => {
  const { left, right, places } = aligned(a, b)
  return { units: left + right, places }
}
const subtract: Operation = (a, b) => add(a, { ...b, units: -b.units })
const multiply: Operation = (a, b) => ({ units: a.units * b.units, places: a.places + b.places })
const divide: Operation = (a, b) => {
  const { left, right } = aligned(a, b)
  const sign = left < 0n !== right < 0n ? -1n : 1n
  const [dividend, divisor] = [left < 0n ? -left : left, right < 0n ? -right : right]
  return { units: (sign * (dividend * power(quotientPlaces))) / divisor, places: quotientPlaces }
}
const floorDivide: Operation = (a, b) => {
  const { left, right } = aligned(a, b)
  return { units: floorDivided(left, right), places: 0 }
}
/** Returns the remainder, with the sign of the divisor as in Ruby. */
const modulo: Operation = (a, b) => {
  const { left, right, places } = aligned(a, b)
  return { units: left - floorDivided(left, right) * right, places }
}

/** Rounds a decimal to a number of places; a tie is rounded away from zero. */
const rounded = ({ units, places }: Decimal, wanted: number): Decimal => {
  const drop = places - wanted
  if (drop <= 0) return { units, places }
  const step = power(drop)
  const half = (units < 0n ? -step : step) / 2n
  const kept = (units + half) / step
  return wanted >= 0 ? { units: kept, places: wanted } : { units: kept * power(-wanted), places: 0 }
}

const isLong = ({ units, places }: Decimal): boolean => places > maxDigits || String(units).length > maxDigits

/** Computes with decimals, or with doubles if an operand is not a decimal or has too many digits. */
const calculated = (
  a: unknown,
  b: unknown,
  operation: Operation,
  doubles: (a: number, b: number) => number,
): unknown => {
  const [left, right] = [decimalOf(a), decimalOf(b)]
  if (left === undefined || right === undefined) return doubles(Number(a), Number(b))
  const result = operation(left, right)
  return isLong(result) ? doubles(doubleOf(a), doubleOf(b)) : numberOf(result)
}

const isZero = (value: unknown): boolean => decimalOf(value)?.units === 0n

/**
 * Divides two numbers. Division by zero gives the result of doubles (Infinity or NaN), which no numeric target accepts.
 */
const divided = (a: unknown, b: unknown, operation: Operation): unknown =>
  isZero(b) ? doubleOf(a) / 0 : calculated(a, b, operation, (left, right) => left / right)

const toInteger = (value: unknown, towards: (left: bigint, right: bigint) => bigint): unknown => {
  const decimal = decimalOf(value)
  if (decimal === undefined) return Number(value)
  return numberOf({ units: towards(decimal.units, power(decimal.places)), places: 0 })
}

const isLess = (a: unknown, b: unknown): boolean => {
  const [first, second] = [decimalOf(a), decimalOf(b)]
  if (first === undefined || second === undefined) return Number(a) < Number(b)
  const { left, right } = aligned(first, second)
  return left < right
}

const numeric = (value: unknown): unknown => {
  const decimal = decimalOf(value)
  return decimal === undefined ? Number(value) : numberOf(decimal)
}

const maxPlaces = 100

/**
 * The filters of numbers, which compute with decimals as Shopify's Liquid does: `19.99 | times: 100` is 1999. Unlike in
 * Shopify's Liquid, `10 | divided_by: 4` is 2.5, because a JSON number does not show whether it is an integer, and a
 * result of 1999 is written without a point. Source: Shopify's Liquid, lib/liquid/standardfilters.rb and utils.rb
 * (BigDecimal).
 */
export const decimalFilters: Readonly<Record<string, (value: unknown, arg?: unknown, more?: unknown) => unknown>> = {
  abs: (value) => (isLess(value, 0) ? calculated(0, value, subtract, (a, b) => a - b) : numeric(value)),
  at_least: (value, arg) => numeric(isLess(value, arg) ? arg : value),
  at_most: (value, arg) => numeric(isLess(arg, value) ? arg : value),
  ceil: (value) => toInteger(value, (left, right) => -floorDivided(-left, right)),
  floor: (value) => toInteger(value, floorDivided),
  divided_by: (value, arg, isInteger) => divided(value, arg, isInteger === true ? floorDivide : divide),
  minus: (value, arg) => calculated(value, arg, subtract, (a, b) => a - b),
  modulo: (value, arg) => (isZero(arg) ? Number.NaN : calculated(value, arg, modulo, (a, b) => ((a % b) + b) % b)),
  plus: (value, arg) => calculated(value, arg, add, (a, b) => a + b),
  round(value, arg) {
    const decimal = decimalOf(value)
    if (decimal === undefined) return Number(value)
    const places = Math.trunc(doubleOf(arg))
    return numberOf(rounded(decimal, Math.max(-maxPlaces, Math.min(maxPlaces, places))))
  },
  sum(value, property) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value]
    const numberIn = (item: unknown): unknown =>
      typeof property !== 'string' ? item : isJsonObject(item) && Object.hasOwn(item, property) ? item[property] : 0
    return items.reduce((sum, item) => calculated(sum, numberIn(item), add, (a, b) => a + b), 0)
  },
  times: (value, arg) => calculated(value, arg, multiply, (a, b) => a * b),
}
