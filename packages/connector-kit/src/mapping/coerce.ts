import type { TargetType } from '@tributary/contract'
import { ExactNumber, isJsonObject, type JsonObject, parseExactJson, readTimeText } from '@tributary/kernel'

/** A converted value, nothing, or why the value cannot be converted. */
export type Coerced = { value: unknown } | { problem: string } | undefined

/** Names of the types in messages. */
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

const numeral = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i

const integer = /^\s*(-?[1-9]\d{15,})\s*$/

/**
 * Converts a value to a number. Numbers keep all their digits, also a text with an integer beyond the range of a
 * double.
 */
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

const asObject = (value: unknown): JsonObject | undefined => {
  const object = typeof value === 'string' && value.trimStart().startsWith('{') ? parsed(value) : value
  return isJsonObject(object) ? object : undefined
}

/** Returns a list unchanged, a list parsed from JSON text, or a list of the single value. */
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
  datetime: readTimeText,
  any: (value) => value,
}

/**
 * Converts a JSON value to a target's type. Absent and null values become nothing, and so does blank text, except for
 * type text. Text is parsed (a numeral, `true`, an RFC 3339 time, JSON), a single value becomes a list, a time becomes
 * RFC 3339 in UTC with ms.
 */
export const coerce = (value: unknown, type: TargetType): Coerced => {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && type !== 'string' && type !== 'any' && value.trim() === '') return undefined
  const made = asType[type](value)
  return made === undefined ? { problem: `is ${wordOf(value)} that is not ${typeWords[type]}` } : { value: made }
}
