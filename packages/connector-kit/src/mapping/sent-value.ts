import type { ActionTarget, Choice } from '../definition/definition.ts'
import { coerce } from './coerce.ts'
import { isComparable, isPersonal, personalDataProblem, personalHashes } from './hash-personal-data.ts'

type Target = Pick<ActionTarget, 'type' | 'pii' | 'comparable' | 'vendorHash' | 'maxValues' | 'usable' | 'choices'>

/** The result for a target: a value to send, nothing, or the end of a sentence that says why a value is not sent. */
export type Sent = { value: unknown } | { problem: string; lost: boolean } | undefined

/** Maximum choices that a message names. */
const maxNamed = 12

/** Returns the choices of a field in words, for messages. */
export const choiceWords = (choices: readonly Choice[]): string =>
  `none of ${choices
    .slice(0, maxNamed)
    .map(({ value }) => value)
    .join(', ')}${choices.length > maxNamed ? ', and so on' : ''}`

/** Returns the choice that a value names, regardless of letter case; undefined if it names none. */
export const choiceOf = (choices: readonly Choice[], value: unknown): string | undefined => {
  const text = String(value).trim().toLowerCase()
  return choices.find((choice) => choice.value.toLowerCase() === text)?.value
}

const chosenValue = (choices: readonly Choice[], value: unknown): Sent => {
  if (typeof value === 'string' && value.trim() === '') return undefined
  const chosen = choiceOf(choices, value)
  return chosen === undefined ? { problem: `is ${choiceWords(choices)}`, lost: true } : { value: chosen }
}

/** Returns a plain value in the target's type and in the form in which it is sent. */
const plainValue = (target: Target, given: unknown): Sent => {
  const coerced = coerce(given, target.type)
  if (coerced === undefined) return undefined
  if ('problem' in coerced) return { problem: coerced.problem, lost: false }
  if (target.choices !== undefined) return chosenValue(target.choices, coerced.value)
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
