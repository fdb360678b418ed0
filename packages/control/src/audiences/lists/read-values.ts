import { emailOf, type ListKind, phoneOf } from '@tributary/contract'

/** A value of a list: the identifier that it stands for, and the spellings that a trait with this value may have. */
export type ListValue = { place: number; identifier: string | null; traits: readonly string[] }

export type ReadValues = { values: ListValue[]; invalid: number[]; duplicates: number[] }

/** Maximum size of an identifier in bytes, the same as for identifiers in events. */
const valueBytes = 512

const isText = (value: string): boolean =>
  value !== '' &&
  value.length <= valueBytes &&
  Buffer.byteLength(value) <= valueBytes &&
  !value.includes('\0') &&
  value.isWellFormed()

/** Matches a text that looks like a phone number, with or without a country code. */
const phoneLike = /^\+?[\d\s().-]{5,40}$/

/**
 * Reads a text as a value of a kind. Equal values get the same `key`. Returns undefined if the text cannot be a value
 * of this kind.
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

/**
 * Returns the distinct values of a list with their positions, and the positions of invalid and of repeated values. Has
 * no side effects.
 */
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
