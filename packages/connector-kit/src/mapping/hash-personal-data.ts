import { hash } from 'node:crypto'
import { emailOf, phoneOf, readPhone, trackingLimits } from '@tributary/contract'
import { ExactNumber, isJsonObject, parseExactJson } from '@tributary/kernel'
import type { ActionTarget, PiiRule } from '../definition/definition.ts'

/** Functions that normalize personal data for matching. They return '' if a text has no usable value. */
export const normalize: Readonly<Record<PiiRule, (text: string) => string>> = {
  email: (text) => emailOf(text) ?? '',
  phone: (text) => phoneOf(text)?.slice(1) ?? '',
  name: (text) => text.trim().toLowerCase(),
  text: (text) => text.trim().toLowerCase(),
}

/** The properties of a target for personal data by which its values are normalized and hashed. */
export type PersonalTarget = Required<Pick<ActionTarget, 'pii'>> &
  Pick<ActionTarget, 'comparable' | 'vendorHash' | 'maxValues'>

/** Whether a target is for personal data. */
export const isPersonal = <Target extends Pick<ActionTarget, 'pii'>>(
  target: Target,
): target is Target & { pii: PiiRule } => target.pii !== undefined

/** Maximum items of a list of personal data that are read; further items are not sent. */
export const maxItems = 100
/** Maximum characters of a text that is read as a list: as many as a whole event can have. */
const longestList = trackingLimits.eventBytes

const isWritten = (value: unknown): value is string | number | ExactNumber =>
  typeof value === 'string' || typeof value === 'number' || value instanceof ExactNumber

const isHex = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (!'0123456789abcdef'.includes(text[at] ?? ' ')) return false
  return true
}

const hashOfNothing = hash('sha256', '')

/**
 * Returns a SHA-256 hash that the company computed itself, in lower case. Returns '' for the hash of an empty text;
 * undefined if the text is not a hash.
 */
export const readHash = (text: string): string | undefined => {
  if (text.length !== hashOfNothing.length) return undefined
  const lower = text.toLowerCase()
  if (!isHex(lower)) return undefined
  return lower === hashOfNothing ? '' : lower
}

const parsedList = (text: string): unknown[] | undefined => {
  if (!text.startsWith('[') || !text.endsWith(']') || text.length > longestList) return undefined
  try {
    const list: unknown = parseExactJson(text)
    return Array.isArray(list) ? list : undefined
  } catch {
    return undefined
  }
}

/** Returns the values of a list, of a list as JSON text, or the single value. */
const itemsOf = (value: unknown): readonly unknown[] => {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? parsedList(value.trim()) : undefined
  return list === undefined ? [value] : list.slice(0, maxItems)
}

/** A value as it is sent: a hash, or a normalized text to hash. */
type Form = { hash: string } | { text: string }

/** Returns the form of a text; undefined if it is not sent. */
const formOf = (target: PersonalTarget, given: string, country: string | undefined): Form | undefined => {
  const text = given.trim()
  const known = target.vendorHash?.(text) ?? readHash(text)
  if (known !== undefined) return known === '' ? undefined : { hash: known }
  const comparable = (target.comparable ?? normalize[target.pii])(text, country)
  return comparable === '' ? undefined : { text: comparable }
}

/** Whether a value of personal data is sent: at least one of its values is a hash, or has a normalized form. */
export const isComparable = (target: PersonalTarget, value: unknown, country?: string): boolean =>
  itemsOf(value).some((item) => isWritten(item) && formOf(target, String(item), country) !== undefined)

/** Why each rule's data is not sent, if the data is a text. */
const textProblem = (pii: PiiRule, text: string): string => {
  if (pii === 'email') return 'is not an email address'
  if (pii !== 'phone') return 'says nothing that can be matched'
  const read = readPhone(text)
  return 'problem' in read ? read.problem : 'is not a phone number'
}

/**
 * Returns why personal data cannot be hashed, as a phrase without the value; undefined if the data is empty or valid.
 */
export const personalDataProblem = (target: PersonalTarget, value: unknown, country?: string): string | undefined => {
  for (const item of itemsOf(value)) {
    if (isJsonObject(item)) return 'is an object that is not text'
    if (!isWritten(item)) continue
    const text = String(item).trim()
    if (text === '' || formOf(target, text, country) !== undefined) continue
    if ((target.vendorHash?.(text) ?? readHash(text)) === '') return 'is the hash of an empty text'
    return textProblem(target.pii, text)
  }
  return undefined
}

/**
 * Returns the SHA-256 of normalized personal data in lower-case hex, at most the target's number of values, each one
 * once. An existing hash stays unchanged. Empty if nothing can be sent, because the hash of an empty text would match
 * every user without data.
 */
export const personalHashes = (target: PersonalTarget, value: unknown, country?: string): string[] => {
  const hashes = new Set<string>()
  for (const item of itemsOf(value)) {
    if (hashes.size >= (target.maxValues ?? 1)) break
    const form = isWritten(item) ? formOf(target, String(item), country) : undefined
    if (form !== undefined) hashes.add('hash' in form ? form.hash : hash('sha256', form.text))
  }
  return [...hashes]
}
