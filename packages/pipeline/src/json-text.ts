/** A JSON value that is an object. */
export type JsonObject = { readonly [key: string]: unknown }

/** Whether a value made by JSON.parse is an object (not null, not a list). */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A string as JSON text. Lone surrogates, which UTF-8 cannot hold, become U+FFFD. */
export const jsonString = (text: string): string => JSON.stringify(text.isWellFormed() ? text : text.toWellFormed())

const surrogate = /\\(?:u(d[89a-f][0-9a-f]{2})|[^])/g
const longNumber = /\d{19}/
const stringOrLongInteger = /"(?:[^"\\]|\\.)*"|-?\d{19,}(?![\d.eE])/g

/** JSON text, made by JSON.stringify or without any escapes, with U+FFFD in place of lone surrogates. */
export const wellFormedJson = (text: string): string =>
  text.includes('\\ud') ? text.replace(surrogate, (escape, lone) => (lone === undefined ? escape : '\\ufffd')) : text

/**
 * JSON text, made by JSON.stringify, in a form that the event store's JSON columns take: lone surrogates become U+FFFD,
 * integers beyond 64 bits are written with an exponent (measured: the engine refuses both).
 */
export const storableJson = (text: string): string => {
  const result = wellFormedJson(text)
  if (!longNumber.test(result)) return result
  return result.replace(stringOrLongInteger, (token) =>
    token.startsWith('"') ? token : fitsEngine(token) ? token : Number(token).toExponential(),
  )
}

const fitsEngine = (integer: string): boolean => {
  const value = BigInt(integer)
  return value >= -(2n ** 63n) && value < 2n ** 64n
}
