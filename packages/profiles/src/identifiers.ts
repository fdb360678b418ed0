import { emailOf, externalIdKind, isPlaceholder, phoneOf } from '@tributary/contract'
import type { Rules } from './rules.ts'

/** An identifier in an event: its type, and its value as received. */
export type Identifier = { readonly type: string; readonly value: string }

/** Maximum of identifiers of all types in a profile, whatever the limits of its workspace. */
export const maxIdentifiers = 100

/** The type under which a profile keeps an ID that an alias call gave up: a user ID or an anonymous ID. */
export const previousId = 'previous_id'

/** Maximum of bytes of an identifier's value (UTF-8). */
const valueBytes = 512
/** Maximum of external IDs read from one event. */
const externalIds = 10

/** Why a value is no identifier. */
export type Unusable = 'blocked' | 'too_long' | 'not_text'

/** Why a value is no identifier; undefined when it is one. */
export const unusable = (value: string): Unusable | undefined => {
  if (isPlaceholder(value)) return 'blocked'
  if (value.length > valueBytes || (value.length > valueBytes / 3 && Buffer.byteLength(value) > valueBytes))
    return 'too_long'
  // A database stores no NUL; the other character replaces bytes that were no text, and so stands for many values.
  return value.includes('\0') || value.includes('\ufffd') || !value.isWellFormed() ? 'not_text' : undefined
}

/** One text for each identifier. */
export const identifierKey = ({ type, value }: Identifier): string => `${type}:${value}`

/** Types with a meaning of their own, which an external ID cannot have. */
const reserved = new Set(['user_id', 'anonymous_id', previousId, 'email', 'phone'])

/**
 * Usable identifiers in `context.externalIds`, as Segment's libraries send them, by type: of users, and not encoded.
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

/** A trait, its value as JSON text. */
type Trait = { readonly name: string; readonly value: string | undefined }

/** Identifiers among the traits of an event, as far as the workspace links by them; the last of several. */
export const contactsOf = (traits: readonly Trait[], { linksEmail, linksPhone }: Rules): Identifier[] => {
  if (!linksEmail && !linksPhone) return []
  const valueOf = (wanted: string): string => {
    const json = traits.findLast(({ name }) => name === wanted)?.value ?? ''
    if (json.startsWith('"')) return String(JSON.parse(json))
    // A number, to the digit: the text of a JSON value begins with one only for numbers.
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
  /** The result of `contactsOf` for its traits. */
  readonly contacts?: readonly Identifier[]
}

/** Identifiers of an event, and why it has none. */
export type Identified = {
  /** The user id, else the anonymous id: the event belongs to its profile. Then email, phone, external ids, anonymous id. */
  readonly identifiers: readonly Identifier[]
  readonly refused: Unusable | undefined
}

/**
 * The usable identifiers of an event. There are none without a usable user ID or anonymous ID, since one of these two
 * decides which profile an event belongs to. There are none either when the workspace blocks the value of the deciding
 * one. Values are compared exactly.
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
