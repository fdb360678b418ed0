import { amountOf, isJsonObject, type JsonObject } from '@tributary/connector-kit'
import type { Operation } from './operation.ts'

/** The fields of actions that change the profile of the user beyond its traits. */
export const profileFields = {
  profile_set_once: {
    label: 'Set once',
    help: 'An object of properties that the profile of the user gets only if it does not have them.',
    type: 'object',
    kind: 'trait',
  },
  profile_add: {
    label: 'Increment',
    help: 'An object of numbers to add to properties of the profile, such as {"orders": 1}. Negative numbers decrease them.',
    type: 'object',
    kind: 'trait',
  },
  profile_append: {
    label: 'Append',
    help: 'An object of values to append to lists of the profile.',
    type: 'object',
    kind: 'trait',
  },
  profile_union: {
    label: 'Add to lists',
    help: 'An object of values to add to lists of the profile, if the lists do not have them.',
    type: 'object',
    kind: 'trait',
  },
  profile_transaction: {
    label: 'Transaction',
    help: 'An amount to append to $transactions of the profile, with the time of the event.',
    type: 'number',
    kind: 'trait',
  },
} as const

/** The values of the fields. */
export type ProfileChanges = {
  readonly profile_set_once?: JsonObject
  readonly profile_add?: JsonObject
  readonly profile_append?: JsonObject
  readonly profile_union?: JsonObject
  readonly profile_transaction?: unknown
}

type Profile = { readonly token: string; readonly id: string; readonly ip: string; readonly time: string }

/** Returns the numbers of an object. Adds the names of other values to `leftOut`. */
const numbersOf = (values: JsonObject, leftOut: string[]): JsonObject =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => {
      const number = amountOf(value)
      if (number === undefined) leftOut.push(`profile_add.${name}: not a number`)
      return number === undefined ? [] : [[name, number] as const]
    }),
  )

const listsOf = (values: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value : [value]]))

/**
 * Returns the records that change the profile of the user, one for each operation (docs.mixpanel.com, "User Profiles":
 * `$set_once`, `$add`, `$append`, `$union`). What cannot be sent is added to `leftOut`.
 */
export const profileChanges = (changes: ProfileChanges, profile: Profile, leftOut: string[]): Operation[] => {
  const { token, id, ip, time } = profile
  const amount = amountOf(changes.profile_transaction)
  if (changes.profile_transaction !== undefined && amount === undefined)
    leftOut.push('profile_transaction: not a number')
  const operations: readonly [string, JsonObject | undefined, boolean][] = [
    ['$set_once', changes.profile_set_once, false],
    ['$add', changes.profile_add && numbersOf(changes.profile_add, leftOut), true],
    ['$append', changes.profile_append, true],
    ['$append', amount === undefined ? undefined : { $transactions: { $amount: amount, $time: time } }, true],
    ['$union', changes.profile_union && listsOf(changes.profile_union), false],
  ]
  const made = operations.flatMap(([name, values, once]): Operation[] => {
    if (!isJsonObject(values) || Object.keys(values).length === 0) return []
    const body = { $token: token, $distinct_id: id, ...(ip === '' ? {} : { $ip: ip }), [name]: values }
    return [{ endpoint: 'engage', body, ...(once ? { once: true } : {}) }]
  })
  if (id !== '' || made.length === 0) return made
  leftOut.push('the changes of the profile: neither user ID nor anonymous ID')
  return []
}
