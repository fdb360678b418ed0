import { hash } from 'node:crypto'

/** Crockford's base 32. */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const latest = 2 ** 48

const inLetters = (value: bigint, count: number): string =>
  Array.from({ length: count }, (_, at) => letters[Number((value >> BigInt(5 * (count - 1 - at))) & 31n)]).join('')

/**
 * Returns the ULID of a text and a time in epoch ms: 48 bits of the time, and 80 bits of the text's hash. The same text
 * and time have the same ULID. Undefined for a time that it cannot have. See https://github.com/ulid/spec.
 */
export const ulidOf = (text: string, ms: number): string | undefined =>
  ms >= 0 && ms < latest
    ? `${inLetters(BigInt(Math.floor(ms)), 10)}${inLetters(BigInt(`0x${hash('sha256', text).slice(0, 20)}`), 16)}`
    : undefined
