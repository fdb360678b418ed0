import { emailOf, externalIdKind, isPlaceholder, phoneOf } from '@tributary/contract'
import type { Rules } from './rules.ts'

/** An identifier in an event: its type, and its value as received. */
export type Identifier = { readonly type: string; readonly value: string }

/** Maximum identifiers of all types in a profile, even if the limits of the workspace are higher. */
export const maxIdentifiers = 100

/** The type of a user ID or anonymous ID that an alias call replaced by another ID. */
export const previousId = 'previous_id'

/** Maximum bytes of an identifier's value (UTF-8). */
const valueBytes = 512
/** Maximum external IDs read from one event. */
const externalIds = 10

/** Why a value cannot be an identifier. */
export type Unusable = 'blocked' | 'too_long' | 'not_text'

/** Returns why a value cannot be an identifier; undefined if it can. */
export const unusable = (value: string): Unusable | undefined => {
  if (isPlaceholder(value)) return 'blocked'
  if (value.length > valueBytes || (value.length > valueBytes / 3 && Buffer.byteLength(value) > valueBytes))
    return 'too_long'
  // The database cannot store NUL. U+FFFD replaces invalid bytes, so a value with it may stand for many different
  // values.
  return value.includes('\0') || value.includes('\ufffd') || !value.isWellFormed() ? 'not_text' : undefined
}

/** Returns a unique text for each identifier. */
export const identifierKey = ({ type, value }: Identifier): string => `${type}:${value}`

/** Reserved types, which an external ID cannot have. */
const reserved = new Set(['user_id', 'anonymous_id', previousId, 'email', 'phone'])

/**
 * Returns the usable identifiers in `context.externalIds`, as Segment's libraries send them, sorted by type. Only
 * identifiers of the collection `users` without an encoding are usable.
 */
const externalOf = (context: unknown): Identifier[] => {
  const list = (context as { externalIds?: unknown } | null | undefined)?.externalIds
  if (!Array.isArray(list)) return []
  const found = list.slice(0, externalIds).flatMap((each: unknown) => {
    const { id, type, collection, encoding } = (each ?? {}) as Record<string, unknown>
    const isTaken =
      typeof id === 'string' &&
      typeof type === 'string' &&
      externalIdKind.test(type) &&
      !reserved.has(type) &&
      (collection === undefined || collection === 'users') &&
      (encoding === undefined || encoding === 'none') &&
      unusable(id) === undefined
    return isTaken ? [{ type, value: id }] : []
  })
  const byKind = found.toSorted((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0))
  return [...new Map(byKind.map((each) => [identifierKey(each), each])).values()]
}

/** A trait, with its value as JSON text. */
type Trait = { readonly name: string; readonly value: string | undefined }

/**
 * Returns the email and phone identifiers in the traits of an event, if the workspace links by them. The last value of
 * a repeated trait counts.
 */
export const contactsOf = (traits: readonly Trait[], { linksEmail, linksPhone }: Rules): Identifier[] => {
  if (!linksEmail && !linksPhone) return []
  const valueOf = (wanted: string): string => {
    const json = traits.findLast(({ name }) => name === wanted)?.value ?? ''
    if (json.startsWith('"')) return String(JSON.parse(json))
    // Numbers are kept exactly as written. Only the JSON text of a number begins with a digit or a minus sign.
    return /^-?\d/.test(json) ? json : ''
  }
  const email = linksEmail ? emailOf(valueOf('email')) : undefined
  const phone = linksPhone ? phoneOf(valueOf('phone')) : undefined
  return [
    ...(email === undefined ? [] : [{ type: 'email', value: email }]),
    ...(phone === undefined ? [] : [{ type: 'phone', value: phone }]),
  ]
}

/** The fields of an event that identify its user. */
export type Naming = {
  readonly userId?: string | undefined
  readonly anonymousId?: string | undefined
  readonly context?: unknown
  /** The result of `contactsOf` for the traits of the event. */
  readonly contacts?: readonly Identifier[]
}

/** The identifiers of an event, or why the event has none. */
export type Identified = {
  /**
   * First the user ID, or the anonymous ID if there is none: the profile with this identifier owns the event. Then
   * email, phone, external IDs, anonymous ID.
   */
  readonly identifiers: readonly Identifier[]
  readonly refused: Unusable | undefined
}

/**
 * Returns the usable identifiers of an event. Without a usable user ID or anonymous ID there are none, because one of
 * these two decides which profile owns the event. There are also none if the workspace blocks the deciding value.
 * Values are compared exactly.
 */
export const identifiersOf = (naming: Naming, rules: Rules): Identified => {
  const { userId, anonymousId, context, contacts = [] } = naming
  const noUser = userId === undefined ? undefined : unusable(userId)
  const noDevice = anonymousId === undefined ? undefined : unusable(anonymousId)
  const refused = noUser ?? noDevice
  const user = userId === undefined || noUser !== undefined ? undefined : { type: 'user_id', value: userId }
  const device =
    anonymousId === undefined || noDevice !== undefined ? undefined : { type: 'anonymous_id', value: anonymousId }
  const first = user ?? device
  if (first === undefined) return { identifiers: [], refused }
  if (rules.isBlocked(first.value)) return { identifiers: [], refused: 'blocked' }
  const identifiers = [first]
  for (const each of [...contacts, ...(context === undefined ? [] : externalOf(context))])
    if (unusable(each.value) === undefined && !rules.isBlocked(each.value)) identifiers.push(each)
  if (device !== undefined && device !== first && !rules.isBlocked(device.value)) identifiers.push(device)
  return { identifiers, refused }
}
