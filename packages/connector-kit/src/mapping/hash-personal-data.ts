import { hash } from 'node:crypto'
import { emailOf, phoneOf, readPhone } from '@tributary/contract'
import { ExactNumber } from '@tributary/kernel'
import type { PiiRule } from '../definition/definition.ts'

/** Functions that normalize personal data for matching. They return '' if a text has no usable value. */
export const normalize: Readonly<Record<PiiRule, (text: string) => string>> = {
  email: (text) => emailOf(text) ?? '',
  phone: (text) => phoneOf(text)?.slice(1) ?? '',
  name: (text) => text.trim().toLowerCase(),
  text: (text) => text.trim().toLowerCase(),
}

type Comparable = (text: string) => string

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

const hashOne = (comparable: Comparable, value: string): string | undefined => {
  const text = value.trim()
  const known = readHash(text)
  if (known !== undefined) return known === '' ? undefined : known
  const made = comparable(text)
  return made === '' ? undefined : hash('sha256', made)
}

/** Whether personal data can be hashed: it is a hash already, or its normalized form is not empty. */
export const isComparable = (rule: PiiRule, value: unknown, comparable: Comparable = normalize[rule]): boolean => {
  if (Array.isArray(value)) return value.some((item) => isComparable(rule, item, comparable))
  if (!isWritten(value)) return false
  const text = String(value).trim()
  return (readHash(text) ?? comparable(text)) !== ''
}

/**
 * Returns why personal data cannot be hashed, as a phrase without the value; undefined if the data is empty or valid.
 */
export const personalDataProblem = (
  rule: PiiRule,
  value: unknown,
  comparable: Comparable = normalize[rule],
): string | undefined => {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const item of items) {
    if (!isWritten(item)) continue
    const text = String(item).trim()
    if (text === '') continue
    if (readHash(text) === '') return 'is the hash of an empty text'
    if (isComparable(rule, text, comparable)) continue
    if (rule === 'email') return 'is not an email address'
    if (rule !== 'phone') return 'says nothing that can be matched'
    const read = readPhone(text)
    return 'problem' in read ? read.problem : 'is not a phone number'
  }
  return undefined
}

/**
 * Returns the SHA-256 of normalized personal data in lower-case hex; an existing hash stays unchanged. Items of a list
 * are hashed one by one. Undefined for empty data, because its hash would match every user without data. `comparable`
 * replaces the rule's normalization.
 */
export const hashPersonalData = (
  rule: PiiRule,
  value: unknown,
  comparable: Comparable = normalize[rule],
): string | string[] | undefined => {
  if (Array.isArray(value)) {
    const hashes = value.flatMap((item) => {
      const made = isWritten(item) ? hashOne(comparable, String(item)) : undefined
      return made === undefined ? [] : [made]
    })
    return hashes.length === 0 ? undefined : hashes
  }
  return isWritten(value) ? hashOne(comparable, String(value)) : undefined
}
