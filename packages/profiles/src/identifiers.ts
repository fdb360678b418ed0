/** What an event says of who did it: a kind of identifier, and its value as it came. */
export type Identifier = { readonly type: string; readonly value: string }

/**
 * Of each kind a profile has at most so many; those that are not named have `other`. `total` bounds all of them together,
 * whoever asks for more.
 */
export const identifierLimits = { user_id: 1, other: 5, total: 100 } as const

/** How many identifiers of a kind a profile may have. */
export const limitOf = (type: string): number =>
  type === 'user_id' ? identifierLimits.user_id : identifierLimits.other

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
const kind = /^[a-z0-9][a-z0-9_.-]{0,49}$/

/** Usable identifiers in `context.externalIds`, as Segment's libraries send them, by their kinds: of users, and not encoded. */
const externalOf = (context: unknown): Identifier[] => {
  const list = (context as { externalIds?: unknown } | null | undefined)?.externalIds
  if (!Array.isArray(list)) return []
  const found = list.slice(0, externalIds).flatMap((each: unknown) => {
    const { id, type, collection, encoding } = (each ?? {}) as Record<string, unknown>
    const isTaken =
      typeof id === 'string' &&
      typeof type === 'string' &&
      kind.test(type) &&
      !reserved.has(type) &&
      (collection === undefined || collection === 'users') &&
      (encoding === undefined || encoding === 'none') &&
      unusable(id) === undefined
    return isTaken ? [{ type, value: id }] : []
  })
  const byKind = found.toSorted((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0))
  return [...new Map(byKind.map((each) => [identifierKey(each), each])).values()]
}

/** What of an event says who did it. */
export type Naming = {
  readonly userId?: string | undefined
  readonly anonymousId?: string | undefined
  readonly context?: unknown
}

/** Identifiers of an event, and why it has none. */
export type Identified = {
  /** The user id, else the anonymous id: the event belongs to its profile. Then the others, by their priority. */
  readonly identifiers: readonly Identifier[]
  readonly refused: Unusable | undefined
}

/**
 * The usable identifiers of an event. Of one that has neither a user id nor an anonymous id that is usable there are none:
 * whom an event belongs to follows from these two. Values are compared as they are, to the letter.
 */
export const identifiersOf = ({ userId, anonymousId, context }: Naming): Identified => {
  const noUser = userId === undefined ? undefined : unusable(userId)
  const noDevice = anonymousId === undefined ? undefined : unusable(anonymousId)
  const refused = noUser ?? noDevice
  const user = userId === undefined || noUser !== undefined ? undefined : { type: 'user_id', value: userId }
  const device =
    anonymousId === undefined || noDevice !== undefined ? undefined : { type: 'anonymous_id', value: anonymousId }
  const first = user ?? device
  if (first === undefined) return { identifiers: [], refused }
  const identifiers: Identifier[] = context === undefined ? [first] : [first, ...externalOf(context)]
  if (device !== undefined && device !== first) identifiers.push(device)
  return { identifiers, refused }
}
