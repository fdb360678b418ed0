const surrogate = /\\(?:u(d[89a-f][0-9a-f]{2})|[^])/g
const large = /\d{19}|\d[eE]\+?\d{3}/
const stringOrLarge = /"(?:[^"\\]|\\.)*"?|-?\d[\d.]*(?:[eE][-+]?\d+)?/g
const integer = /^-?\d{19,}$/

/** JSON text with strings as JSON.stringify writes them, but with U+FFFD in place of lone surrogates. */
const wellFormedJson = (text: string): string =>
  text.includes('\\ud') ? text.replace(surrogate, (escape, lone) => (lone === undefined ? escape : '\\ufffd')) : text

/**
 * Converts JSON text, with strings as JSON.stringify writes them, to a form that the event store's JSON columns accept.
 * Lone surrogates become U+FFFD, integers beyond 64 bits get an exponent, and numbers beyond the range of doubles
 * become null. Measured: the engine refuses all three.
 */
export const storableJson = (text: string): string => {
  const result = wellFormedJson(text)
  return large.test(result) ? result.replace(stringOrLarge, storableToken) : result
}

const storableToken = (token: string): string => {
  if (token.startsWith('"')) return token
  const number = Number(token)
  if (!Number.isFinite(number)) return 'null'
  return integer.test(token) && !fitsEngine(token) ? number.toExponential() : token
}

const fitsEngine = (text: string): boolean => {
  const value = BigInt(text)
  return value >= -(2n ** 63n) && value < 2n ** 64n
}
