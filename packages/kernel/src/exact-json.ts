import { isRecord } from './record.ts'

/**
 * Reads and writes JSON without loss. `JSON.parse` rounds numbers of more than 17 digits. It turns `1.0` into `1`, and
 * `1e400` into `Infinity`, which `JSON.stringify` writes as `null`. It also moves names such as `10` to the front of
 * their object. This parser preserves numbers and order. It is slower than `JSON.parse` only for texts that contain
 * such numbers or names.
 */

const rawJson = (JSON as typeof JSON & { rawJSON?(text: string): unknown }).rawJSON

/**
 * A number that a double cannot represent as written. `JSON.stringify` and `String` return its original text, digit for
 * digit; arithmetic uses the nearest double. (A browser without `JSON.rawJSON` serializes that double.)
 */
export class ExactNumber extends Number {
  readonly #text: string

  /** `text` is a number in JSON syntax. */
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

/** Whether a value from `parseExactJson` or `JSON.parse` is an object: not null, an array, or a number. */
export const isJsonObject = (value: unknown): value is JsonObject => isRecord(value) && !(value instanceof ExactNumber)

/** Whether a JSON number, given as text, is written the same after it was parsed as a double. */
export const isExactNumber = (text: string): boolean => {
  const number = Number(text)
  // JSON.stringify writes -0 as 0.
  return number !== 0 ? String(number) === text : text === '0'
}

const integer = /^-?[1-9]\d*$/

/**
 * Converts a JSON number, given as text, to the text of an ID: integers keep every digit, others are printed as a
 * double.
 */
export const numberText = (text: string): string => (integer.test(text) ? text : String(Number(text)))

/**
 * Finds numbers with 16 digits or more, numbers with an exponent, fractions that end in 0 or begin with 0.000000, and
 * -0. Also finds names that consist of digits.
 */
const suspects =
  /[[,:]\s*(-?(?:\d[\d.]{15,}|[\d.]+[eE][-+]?\d+|\d+\.\d*0|0\.0{6}\d*|(?<=-)0)(?:[eE][-+]?\d+)?)(?=\s*[,\]}])|"(?:\d{1,10}|\\[^"]*)"\s*:/g

const onlyNumber = /^\s*-?\d/

/**
 * Whether parsing with `JSON.parse` and writing with `JSON.stringify` may change a JSON text, apart from whitespace,
 * escapes, and repeated names. Runs in linear time. The result is also true for some texts that would not change.
 */
export const losesDigits = (text: string): boolean => {
  if (onlyNumber.test(text)) return !isExactNumber(text.trim())
  suspects.lastIndex = 0
  for (let found = suspects.exec(text); found !== null; found = suspects.exec(text))
    if (found[1] === undefined || !isExactNumber(found[1])) return true
  return false
}

/**
 * Creates an object with these members in their order, even if names are digits. The last value of a repeated name
 * counts.
 */
export const jsonObject = (members: Iterable<readonly [string, unknown]>): Record<string, unknown> => {
  const byName = new Map(members)
  const names = [...byName.keys()]
  // `fromEntries` treats `__proto__` like any other name.
  const object = Object.fromEntries(byName)
  const kept = Object.keys(object)
  if (names.every((name, index) => name === kept[index])) return object
  return new Proxy(object, { ownKeys: () => names })
}

const number = /-?\d[\d.]*(?:[eE][-+]?\d+)?/y
const space = /\s*/y

/** Returns the position after the string that begins at `from`. The text must be valid JSON. */
export const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; ; at++) {
    const char = text.charCodeAt(at)
    if (char === 0x22) return at + 1
    if (char === 0x5c) at++
  }
}

/** Creates a reader of text that was already validated as JSON. */
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

  /** Reads the items between the brackets that begin at `at`. */
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
 * Parses JSON like `JSON.parse`, but `JSON.stringify` of the result keeps every digit and the order of each object. A
 * number that a double cannot represent as written becomes an `ExactNumber`. Throws SyntaxError for invalid JSON,
 * RangeError for thousands of nested levels.
 */
export const parseExactJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  return losesDigits(text) ? createReader(text)() : value
}

const spaceOrEscape = /[\s\\]/
/** The pattern also matches a string without a closing quote, so that no character is scanned twice. */
const tokens = /"(?:[^"\\]|\\.)*"?|\s+/g

/**
 * Removes whitespace between the tokens of a JSON text, and escapes strings like `JSON.stringify`. Numbers, order, and
 * repeated names stay.
 */
export const compactJson = (text: string): string =>
  spaceOrEscape.test(text)
    ? text.replace(tokens, (token) => {
        if (!token.startsWith('"')) return ''
        return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token
      })
    : text

/**
 * Returns the members of a JSON object, in order, as compact text by name; the last value of a repeated name counts.
 * The text must be a JSON object.
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

/** Joins members, given as texts, to a JSON object in their order. */
export const jsonText = (members: Iterable<readonly [string, string]>): string => {
  let text = ''
  for (const [name, value] of members) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${value}`
  return `{${text}}`
}

/** Counts the member names in a JSON text; a repeated name counts each time. */
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

/** Whether an object in a JSON text repeats a name; `value` is the result of `JSON.parse` for the text. */
export const hasDoubledNames = (text: string, value: unknown): boolean => namesIn(text) > keysIn(value)

/** Removes repeated names like `JSON.parse`: a repeated name keeps its first position and its last value. */
export const withoutDoubledNames = (text: string): string =>
  hasDoubledNames(text, JSON.parse(text)) ? JSON.stringify(parseExactJson(text)) : text

/** A pattern of integers with 16 digits or more, and of exponents that may exceed the range of a double. */
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
 * Parses a JSON text for arithmetic: numbers are doubles; only integers and magnitudes that a double cannot hold are
 * `ExactNumber`s. Returns undefined if the result of `JSON.parse` is the same.
 */
export const computableJson = (text: string): unknown =>
  beyondDoubles.test(text) ? computable(parseExactJson(text)) : undefined
