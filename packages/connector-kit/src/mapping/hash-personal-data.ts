import { hash } from 'node:crypto'
import type { PiiRule } from '../definition/definition.ts'

const hashed = /^[a-f0-9]{64}$/i

const normalise: Readonly<Record<PiiRule, (text: string) => string>> = {
  email: (text) => text.trim().toLowerCase(),
  // The prefix of international calls is no part of the number.
  phone: (text) => text.replace(/\D+/g, '').replace(/^0+/, ''),
  name: (text) => text.trim().toLowerCase(),
  text: (text) => text.trim().toLowerCase(),
}

type Comparable = (text: string) => string

const hashOne = (comparable: Comparable, value: string): string | undefined => {
  const text = value.trim()
  if (hashed.test(text)) return text.toLowerCase()
  const made = comparable(text)
  return made === '' ? undefined : hash('sha256', made)
}

/** Whether personal data gives a hash: it is one, or its comparable form says something. */
export const isComparable = (rule: PiiRule, value: unknown, comparable: Comparable = normalise[rule]): boolean => {
  if (Array.isArray(value)) return value.some((item) => isComparable(rule, item, comparable))
  if (typeof value !== 'string' && typeof value !== 'number') return false
  const text = String(value).trim()
  return hashed.test(text) || comparable(text) !== ''
}

/**
 * SHA-256 in lower-case hex of personal data in its comparable form; what is a hash already stays one. Items of a list
 * are hashed one by one. Undefined where nothing is left to be hashed: the hash of nothing would match everybody who
 * gives nothing. `comparable` makes it so in place of the rule.
 */
export const hashPersonalData = (
  rule: PiiRule,
  value: unknown,
  comparable: Comparable = normalise[rule],
): string | string[] | undefined => {
  if (Array.isArray(value)) {
    const hashes = value.flatMap((item) => {
      const made = typeof item === 'string' || typeof item === 'number' ? hashOne(comparable, String(item)) : undefined
      return made === undefined ? [] : [made]
    })
    return hashes.length === 0 ? undefined : hashes
  }
  return typeof value === 'string' || typeof value === 'number' ? hashOne(comparable, String(value)) : undefined
}
