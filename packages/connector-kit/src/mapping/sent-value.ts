import type { ActionTarget } from '../definition/definition.ts'
import { coerce } from './coerce.ts'
import { isComparable, isPersonal, personalDataProblem, personalHashes } from './hash-personal-data.ts'

type Target = Pick<ActionTarget, 'type' | 'pii' | 'comparable' | 'vendorHash' | 'maxValues' | 'usable'>

/** The result for a target: a value to send, nothing, or the end of a sentence that says why a value is not sent. */
export type Sent = { value: unknown } | { problem: string; lost: boolean } | undefined

/** Returns a plain value in the target's type and in the form in which it is sent. */
const plainValue = (target: Target, given: unknown): Sent => {
  const coerced = coerce(given, target.type)
  if (coerced === undefined) return undefined
  if ('problem' in coerced) return { problem: coerced.problem, lost: false }
  if (target.usable === undefined || typeof coerced.value !== 'string') return coerced
  const text = target.usable(coerced.value)
  if (text !== '') return { value: text }
  return coerced.value.trim() === '' ? undefined : { problem: 'has no value that the platform takes', lost: true }
}

/**
 * Returns the value that a target sends for a given value. `country` is the country of the person. `lost` is false for
 * a value of another type than the target's.
 */
export const sentValue = (target: Target, given: unknown, country: string | undefined): Sent => {
  if (!isPersonal(target)) return plainValue(target, given)
  const hashes = personalHashes(target, given, country)
  const [first] = hashes
  if (first !== undefined) return { value: hashes.length > 1 || target.type === 'array' ? hashes : first }
  const problem = personalDataProblem(target, given, country)
  return problem === undefined ? undefined : { problem, lost: true }
}

/** Whether a target sends anything for a given value; the same as `sentValue`, without hashing. */
export const isSent = (target: Target, given: unknown, country: string | undefined): boolean => {
  if (isPersonal(target)) return isComparable(target, given, country)
  const sent = plainValue(target, given)
  if (sent === undefined || 'problem' in sent) return false
  return typeof sent.value === 'string' ? sent.value.trim() !== '' : sent.value !== undefined && sent.value !== null
}
