import { isRecord } from './record.ts'

/**
 * JSON without loss. `JSON.parse` rounds numbers of more than 17 digits, and makes `1.0` a `1` and `1e400` an
 * `Infinity`, which `JSON.stringify` writes as `null`. It also moves names such as `10` to the front of their object.
 * This parser keeps all of that, and costs more than `JSON.parse` only for text that has some of it.
 */

const rawJson = (JSON as typeof JSON & { rawJSON?(text: string): unknown }).rawJSON

/**
 * A number that a double cannot hold as it was written: `JSON.stringify` and `String` give its text again, digit for digit,
 * arithmetic the nearest double. (In a browser without `JSON.rawJSON` it is written as that double.)
 */
export class ExactNumber extends Number {
  readonly #text: string

  /** `text` is a number as JSON writes it. */
  constructor(text: string) {
    super(text)
    this.#text = text
  }

  override toString(): string {
    return this.#text
  }

  toJSON(): unknown {
    return rawJson === undefined ? Number(this.#text) : rawJson(this.#text)
  }
}

/** A JSON value that is an object. */
export type JsonObject = { readonly [key: string]: unknown }

/** Whether a value of `parseExactJson` or `JSON.parse` is an object: neither null nor a list nor a number. */
export const isJsonObject = (value: unknown): value is JsonObject => isRecord(value) && !(value instanceof ExactNumber)

/** Whether a number of JSON, as text, is written the same after it was read as a double. */
export const isExactNumber = (text: string): boolean => {
  const number = Number(text)
  // JSON.stringify writes -0 as 0.
  return number !== 0 ? String(number) === text : text === '0'
}

const integer = /^-?[1-9]\d*$/

/** A number of JSON, as text, as the text of an id: integers to the digit, others as a double is written. */
export const numberText = (text: string): string => (integer.test(text) ? text : String(Number(text)))

/** Numbers of 16 digits or more, with an exponent, a 0 at the end of a fraction or a sign before 0; and names of digits. */
const suspects =
  /[[,:]\s*(-?(?:\d[\d.]{15,}|[\d.]+[eE][-+]?\d+|\d+\.\d*0|0\.0{6}\d*|(?<=-)0)(?:[eE][-+]?\d+)?)(?=\s*[,\]}])|"(?:\d{1,10}|\\[^"]*)"\s*:/g

const onlyNumber = /^\s*-?\d/

/**
 * Whether `JSON.parse` and `JSON.stringify` together may change more of a JSON text than its space, its escapes and
 * repeated names in an object. Linear in its length; also true of some texts that they would not change.
 */
export const losesDigits = (text: string): boolean => {
  if (onlyNumber.test(text)) return !isExactNumber(text.trim())
  suspects.lastIndex = 0
  for (let found = suspects.exec(text); found !== null; found = suspects.exec(text))
    if (found[1] === undefined || !isExactNumber(found[1])) return true
  return false
}

/** An object with these members, in their order even where names are digits; of a name that comes twice the last counts. */
export const jsonObject = (members: Iterable<readonly [string, unknown]>): Record<string, unknown> => {
  const byName = new Map(members)
  const names = [...byName.keys()]
  // fromEntries, so that `__proto__` is a name as any other.
  const object = Object.fromEntries(byName)
  const kept = Object.keys(object)
  if (names.every((name, index) => name === kept[index])) return object
  return new Proxy(object, { ownKeys: () => names })
}

const number = /-?\d[\d.]*(?:[eE][-+]?\d+)?/y
const space = /\s*/y

/** The place behind the string that begins at `from`, in text that is JSON. */
export const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; ; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x22) return at + 1
    if (char === 0x5c) at++
  }
}

/** Reads text that is known to be JSON. */
const createReader = (text: string) => {
  let at = 0

  const skipSpace = (): void => {
    space.lastIndex = at
    space.test(text)
    at = space.lastIndex
  }

  const readString = (): string => {
    const from = at
    at = endOfString(text, from)
    const token = text.slice(from, at)
    return token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1)
  }

  const readNumber = (): number | ExactNumber => {
    number.lastIndex = at
    const token = number.exec(text)?.[0] ?? ''
    at += token.length
    return isExactNumber(token) ? Number(token) : new ExactNumber(token)
  }

  /** Reads the items between the brackets around `at`. */
  const readItems = (close: string, item: () => void): void => {
    at++
    skipSpace()
    while (text[at] !== close) {
      item()
      skipSpace()
      if (text[at] === ',') at++
      skipSpace()
    }
    at++
  }

  const readValue = (): unknown => {
    switch (text[at]) {
      case '"':
        return readString()
      case '{': {
        const members: [string, unknown][] = []
        readItems('}', () => {
          const name = readString()
          skipSpace()
          at++
          skipSpace()
          members.push([name, readValue()])
        })
        return jsonObject(members)
      }
      case '[': {
        const list: unknown[] = []
        readItems(']', () => list.push(readValue()))
        return list
      }
      case 't':
        at += 4
        return true
      case 'f':
        at += 5
        return false
      case 'n':
        at += 4
        return null
      default:
        return readNumber()
    }
  }

  return (): unknown => {
    skipSpace()
    return readValue()
  }
}

/**
 * Parses JSON like `JSON.parse`, but `JSON.stringify` of the result writes each number to the digit and each object in
 * its order. Numbers that a double does not hold as they are written are `ExactNumber`s. Throws SyntaxError for text
 * that is no JSON, RangeError for thousands of levels.
 */
export const parseExactJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  return losesDigits(text) ? createReader(text)() : value
}

const spaceOrEscape = /[\s\\]/
/** A text without its end matches, too, so that none is looked through twice. */
const tokens = /"(?:[^"\\]|\\.)*"?|\s+/g

/**
 * JSON text without space between its tokens, its strings escaped as by `JSON.stringify`; numbers, order and repeated
 * names stay.
 */
export const compactJson = (text: string): string =>
  spaceOrEscape.test(text)
    ? text.replace(tokens, (token) => {
        if (!token.startsWith('"')) return ''
        return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token
      })
    : text

/**
 * The members of a JSON object as compact texts by their names, in their order; the last of a repeated name counts. The
 * text must be that of an object in JSON.
 */
export const jsonMembers = (text: string): Map<string, string> => {
  const members = new Map<string, string>()
  let at = text.indexOf('{') + 1
  for (;;) {
    const from = text.indexOf('"', at)
    if (from < 0) return members
    at = endOfString(text, from)
    const token = text.slice(from, at)
    const value = text.indexOf(':', at) + 1
    let depth = 0
    for (at = value; at < text.length; at++) {
      const char = text.charCodeAt(at)
      if (char === 0x22) at = endOfString(text, at) - 1
      else if (char === 0x7b || char === 0x5b) depth++
      else if (char === 0x7d || char === 0x5d) {
        if (--depth < 0) break
      } else if (char === 0x2c && depth === 0) break
    }
    members.set(
      token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1),
      compactJson(text.slice(value, at)),
    )
    at++
  }
}

/** A JSON object of members as texts, in their order. */
export const jsonText = (members: Iterable<readonly [string, string]>): string => {
  let text = ''
  for (const [name, value] of members) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${value}`
  return `{${text}}`
}

/** Names of members in a JSON text; one that stands twice counts twice. */
const namesIn = (text: string): number => {
  let count = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    at = endOfString(text, at)
    space.lastIndex = at
    space.test(text)
    if (text.charCodeAt(space.lastIndex) === 0x3a) count++
  }
  return count
}

const keysIn = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  const children: readonly unknown[] = Object.values(value)
  let count = Array.isArray(value) ? 0 : children.length
  for (const child of children) count += keysIn(child)
  return count
}

/** Whether a name stands twice in an object of a JSON text; `value` is what `JSON.parse` made of it. */
export const hasDoubledNames = (text: string, value: unknown): boolean => namesIn(text) > keysIn(value)

/** A JSON text as `JSON.parse` reads it: a repeated name of an object has its last value, at the first place. */
export const withoutDoubledNames = (text: string): string =>
  hasDoubledNames(text, JSON.parse(text)) ? JSON.stringify(parseExactJson(text)) : text

/** Integers of 16 digits and more, and exponents that may lead beyond every double. */
const beyondDoubles = /\d{16}|\d[eE]\+?\d{2}/

const computable = (value: unknown): unknown => {
  if (value instanceof ExactNumber) {
    const double = Number(value)
    return Number.isFinite(double) && !(Number.isInteger(double) && !Number.isSafeInteger(double)) ? double : value
  }
  if (Array.isArray(value)) return value.map(computable)
  if (!isJsonObject(value)) return value
  return jsonObject(Object.entries(value).map(([name, member]) => [name, computable(member)] as const))
}

/**
 * A JSON text for what computes: doubles, and `ExactNumber`s only for integers and magnitudes that a double cannot hold. Undefined where
 * `JSON.parse` gives just that.
 */
export const computableJson = (text: string): unknown =>
  beyondDoubles.test(text) ? computable(parseExactJson(text)) : undefined
