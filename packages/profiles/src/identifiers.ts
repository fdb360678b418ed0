import { emailOf, externalIdKind, phoneOf } from '@tributary/contract'
import type { Rules } from './rules.ts'

/** What an event says of who did it: a kind of identifier, and its value as it came. */
export type Identifier = { readonly type: string; readonly value: string }

/** Identifiers of all kinds that a profile has at most, whoever asks for more. */
export const maxIdentifiers = 100

/** The kind under which a profile keeps an id that an alias call gave up: it stands for a user id or an anonymous id. */
export const previousId = 'previous_id'

/** Bytes of an identifier's value (UTF-8) at most. */
const valueBytes = 512
/** External ids of one event that are looked at. */
const externalIds = 10

/**
 * Values that programs send in place of nobody, in any letter case and with spaces around: they would make one person of
 * everybody. Zeros cover the empty UUID. The column `owner` of stored events tells them, too.
 */
const blocked =
  /^[ \t\r\n]*(|null|undefined|none|nil|nan|n\/a|unknown|anonymous|guest|true|false|-1|[0-]+|\[object object\])[ \t\r\n]*$/i

/** Why a value is no identifier. */
export type Unusable = 'blocked' | 'too_long' | 'not_text'

/** Why a value is no identifier; undefined when it is one. */
export const unusable = (value: string): Unusable | undefined => {
  if (blocked.test(value)) return 'blocked'
  if (value.length > valueBytes || (value.length > valueBytes / 3 && Buffer.byteLength(value) > valueBytes))
    return 'too_long'
  // A database keeps no NUL; the other stands for what was no text, and so for many values.
  return value.includes('\0') || value.includes('\ufffd') || !value.isWellFormed() ? 'not_text' : undefined
}

/** One text for each identifier. */
export const identifierKey = ({ type, value }: Identifier): string => `${type}:${value}`

/** Kinds with a meaning of their own, which an external id cannot claim. */
const reserved = new Set(['user_id', 'anonymous_id', previousId, 'email', 'phone'])

/** Usable identifiers in `context.externalIds`, as Segment's libraries send them, by their kinds: of users, and not encoded. */
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

/** Identifiers among the traits of an event, as far as the workspace links by them; of several the last. */
export const contactsOf = (traits: readonly Trait[], { linksEmail, linksPhone }: Rules): Identifier[] => {
  if (!linksEmail && !linksPhone) return []
  const valueOf = (wanted: string): string => {
    const json = traits.findLast(({ name }) => name === wanted)?.value ?? ''
    return json.startsWith('"') ? String(JSON.parse(json)) : ''
  }
  const email = linksEmail ? emailOf(valueOf('email')) : undefined
  const phone = linksPhone ? phoneOf(valueOf('phone')) : undefined
  return [
    ...(email === undefined ? [] : [{ type: 'email', value: email }]),
    ...(phone === undefined ? [] : [{ type: 'phone', value: phone }]),
  ]
}

/** What of an event says who did it. */
export type Naming = {
  readonly userId?: string | undefined
  readonly anonymousId?: string | undefined
  readonly context?: unknown
  /** What `contactsOf` its traits gives. */
  readonly contacts?: readonly Identifier[]
}

/** Identifiers of an event, and why it has none. */
export type Identified = {
  /** The user id, else the anonymous id: the event belongs to its profile. Then email, phone, external ids, anonymous id. */
  readonly identifiers: readonly Identifier[]
  readonly refused: Unusable | undefined
}

/**
 * The usable identifiers of an event. Of one that has neither a user id nor an anonymous id that is usable there are none:
 * whom an event belongs to follows from these two. It belongs to nobody, too, when the workspace blocks the value of the one
 * that it belongs to. Values are compared as they are, to the letter.
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
