import type { TargetType } from '@tributary/contract'
import { ExactNumber, isJsonObject, type JsonObject, parseExactJson } from '@tributary/kernel'

/** A value of the type that was asked for, nothing, or why it cannot be one. */
export type Coerced = { value: unknown } | { problem: string } | undefined

/** What each type is called in messages. */
const typeWords: Readonly<Record<TargetType, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  datetime: 'a time',
  any: 'a value',
}

const isNumber = (value: unknown): value is number | ExactNumber =>
  typeof value === 'number' || value instanceof ExactNumber

const wordOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list'
  if (isJsonObject(value)) return 'an object'
  return typeof value === 'string' ? 'text' : isNumber(value) ? 'a number' : 'true or false'
}

const parsed = (text: string): unknown => {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

const numeral = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i

const integer = /^\s*(-?[1-9]\d{15,})\s*$/

/** A number stays as it was written; so does a text that is an integer beyond those of a double. */
const asNumber = (value: unknown): number | ExactNumber | undefined => {
  if (value instanceof ExactNumber) return value
  const long = typeof value === 'string' ? integer.exec(value)?.[1] : undefined
  if (long !== undefined) return new ExactNumber(long)
  const number = typeof value === 'string' && numeral.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const truths: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [1, true],
  [0, false],
  ['1', true],
  ['0', false],
  ['true', true],
  ['false', false],
])

const asBoolean = (value: unknown): boolean | undefined =>
  typeof value === 'boolean'
    ? value
    : truths.get(typeof value === 'string' ? value.trim().toLowerCase() : isNumber(value) ? Number(value) : value)

/** Days and times of RFC 3339 and their looser forms of ISO 8601: a space for the T, no seconds, no zone (then UTC). */
const iso = /^(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?\s?(Z|z|[+-]\d\d(?::?\d\d)?)?)?$/

const zoneOf = (text: string | undefined): string => {
  if (text === undefined || text.toUpperCase() === 'Z') return 'Z'
  return text.length === 3 ? `${text}:00` : text.length === 5 ? `${text.slice(0, 3)}:${text.slice(3)}` : text
}

/** Numbers below 10^11 are seconds since 1970, others ms. */
const timeOfNumber = (number: number): number => (Math.abs(number) < 1e11 ? number * 1000 : number)

const epochMs = (value: unknown): number => {
  if (isNumber(value)) return timeOfNumber(Number(value))
  if (typeof value !== 'string') return Number.NaN
  const text = value.trim()
  if (/^-?\d{9,14}(\.\d+)?$/.test(text)) return timeOfNumber(Number(text))
  const [, day, minutes, seconds = ':00', zone] = iso.exec(text) ?? []
  if (day === undefined) return Number.NaN
  // Date.parse takes 31 February for 3 March.
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return Number.NaN
  return minutes === undefined ? midnight : Date.parse(`${day}T${minutes}${seconds.replace(',', '.')}${zoneOf(zone)}`)
}

const asTime = (value: unknown): string | undefined => {
  const ms = epochMs(value)
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : undefined
}

const asObject = (value: unknown): JsonObject | undefined => {
  const object = typeof value === 'string' && value.trimStart().startsWith('{') ? parsed(value) : value
  return isJsonObject(object) ? object : undefined
}

/** A list, the list that a text is the JSON of, or a list of the one value. */
const asArray = (value: unknown): unknown[] => {
  const list = typeof value === 'string' && value.trimStart().startsWith('[') ? parsed(value) : value
  return Array.isArray(list) ? list : [value]
}

const asType: Readonly<Record<TargetType, (value: unknown) => unknown>> = {
  string: (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  number: asNumber,
  boolean: asBoolean,
  object: asObject,
  array: asArray,
  datetime: asTime,
  any: (value) => value,
}

/**
 * Makes a value of JSON one of a target's type. Nothing and null give nothing, and so does a text of spaces only for any
 * type but text; a text is read as what it says (a numeral, `true`, an RFC 3339 time, JSON), a list is made of a single
 * value, a time is RFC 3339 in UTC with ms.
 */
export const coerce = (value: unknown, type: TargetType): Coerced => {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && type !== 'string' && type !== 'any' && value.trim() === '') return undefined
  const made = asType[type](value)
  return made === undefined ? { problem: `is ${wordOf(value)} that is not ${typeWords[type]}` } : { value: made }
}
