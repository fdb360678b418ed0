import { emailOf, type ListKind, phoneOf } from '@tributary/contract'

/** A value of a list: its form as an identifier, and the texts that a trait may have for it. */
export type ListValue = { place: number; identifier: string | null; traits: readonly string[] }

export type ReadValues = { values: ListValue[]; invalid: number[]; duplicates: number[] }

/** Bytes of an identifier at most, as events have it. */
const valueBytes = 512

const isText = (value: string): boolean =>
  value !== '' &&
  value.length <= valueBytes &&
  Buffer.byteLength(value) <= valueBytes &&
  !value.includes('\0') &&
  value.isWellFormed()

/** A text that looks like a phone number, with or without a country code. */
const phoneLike = /^\+?[\d\s().-]{5,40}$/

/**
 * Reads a text as a value of a kind. Equal values have the same `key`. Undefined for a text that cannot be such a
 * value.
 */
const readValue = (
  kind: ListKind,
  text: string,
): { key: string; identifier: string | null; traits: string[] } | undefined => {
  if (!isText(text)) return undefined
  if (kind === 'user_id' || kind === 'anonymous_id') return { key: text, identifier: text, traits: [] }
  const written = text.trim()
  const contact = kind === 'email' ? emailOf(written) : phoneOf(written)
  if (contact === undefined && (kind === 'email' || !phoneLike.test(written))) return undefined
  return {
    key: contact ?? written,
    identifier: contact ?? null,
    traits: [...new Set([written, contact ?? written])],
  }
}

/** The distinct values of a list with their positions, and the positions of invalid and repeated values. Pure. */
export const readValues = (kind: ListKind, texts: readonly string[]): ReadValues => {
  const known = new Set<string>()
  const read: ReadValues = { values: [], invalid: [], duplicates: [] }
  for (const [place, text] of texts.entries()) {
    const value = readValue(kind, text)
    if (value === undefined) read.invalid.push(place)
    else if (known.has(value.key)) read.duplicates.push(place)
    else {
      known.add(value.key)
      read.values.push({ place, identifier: value.identifier, traits: value.traits })
    }
  }
  return read
}
