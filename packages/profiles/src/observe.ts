import type { StreamedEvent } from '@tributary/contract'
import { endOfString, jsonMembers } from '@tributary/kernel'
import type { AcceptedEvent } from '@tributary/storage'
import { grantedIn } from './consents.ts'
import { contactsOf, type Identified, identifiersOf, unusable } from './identifiers.ts'
import type { Observation } from './resolve.ts'
import { defaultRules, type Rules } from './rules.ts'

/** Limits of traits: names of one identifier, characters of a name, bytes of a value as JSON. */
export const traitLimits = { names: 500, nameLength: 200, valueBytes: 8192 } as const

/** The name that replaces all names that are not stored: names beyond the limit, and invalid ones. */
export const otherNames = ''

/** A trait of an event: its value as exact JSON text; undefined if it is too large to store. */
export type TraitValue = { readonly name: string; readonly value: string | undefined }

/** The facts that profiles learn from an event. */
export type Observed = Observation & {
  readonly event: AcceptedEvent
  /** The rules by which the event was observed. */
  readonly rules: Rules
  /** Why the event has no user; undefined if it has one. */
  readonly nobody: Identified['refused'] | 'missing'
  /** Returns the earlier of the event's own time and its receipt, as RFC 3339. Called only if something is learned. */
  readonly time: () => string
  readonly traits: readonly TraitValue[]
  /** The categories with consent; undefined if the event has no consent preferences. */
  readonly granted: readonly string[] | undefined
}

/** The IDs and type of an event, and the position where its other members begin. */
type Head = Readonly<Record<'type' | 'userId' | 'anonymousId' | 'previousId' | 'groupId', string | undefined>> & {
  readonly rest: number
}

const quote = 0x22

/**
 * Reads the members before the first member that is not a text. Writers of events put the IDs and the type there,
 * without whitespace. Parsing the whole event would cost several times as much.
 */
const headOf = (json: string): Head => {
  let type: string | undefined
  let userId: string | undefined
  let anonymousId: string | undefined
  let previousId: string | undefined
  let groupId: string | undefined
  let at = 1
  while (json.charCodeAt(at) === quote) {
    const from = json.indexOf(':', at) + 1
    if (json.charCodeAt(from) !== quote) break
    const end = endOfString(json, from)
    const text = (): string => {
      const value = json.slice(from + 1, end - 1)
      return value.includes('\\') ? String(JSON.parse(json.slice(from, end))) : value
    }
    switch (json.slice(at + 1, from - 2)) {
      case 'type':
        type = text()
        break
      case 'userId':
        userId = text()
        break
      case 'anonymousId':
        anonymousId = text()
        break
      case 'previousId':
        previousId = text()
        break
      case 'groupId':
        groupId = text()
        break
      default:
    }
    at = end + 1
  }
  return { type, userId, anonymousId, previousId, groupId, rest: at }
}

const isName = (text: string): boolean =>
  text.length <= traitLimits.nameLength && !text.includes('\0') && text.isWellFormed()

/** Returns the traits in an object; names that cannot be stored become `otherNames`. */
const traitsIn = (text: string | undefined, prefix = ''): TraitValue[] => {
  if (text === undefined || !text.startsWith('{')) return []
  return [...jsonMembers(text)].map(([name, value]) =>
    name !== '' && isName(`${prefix}${name}`)
      ? { name: `${prefix}${name}`, value: Buffer.byteLength(value) <= traitLimits.valueBytes ? value : undefined }
      : { name: otherNames, value: undefined },
  )
}

/**
 * Returns the traits that an event sets for its user: from identify calls, from the context, and from the user's group.
 */
const traitsOf = (head: Head, json: string): TraitValue[] => {
  const members = jsonMembers(`{${json.slice(head.rest)}`)
  const context = members.get('context')
  const around = context?.includes('"traits"') ? traitsIn(jsonMembers(context).get('traits')) : []
  if (head.type === 'identify') return [...around, ...traitsIn(members.get('traits'))]
  if (head.type !== 'group' || head.groupId === undefined) return around
  const group = { name: 'group.id', value: JSON.stringify(head.groupId) }
  return [...around, ...traitsIn(members.get('traits'), 'group.').filter(({ name }) => name !== 'group.id'), group]
}

const lesserOf = ({ receivedAt, timestamp }: Pick<StreamedEvent, 'receivedAt' | 'timestamp'>): string =>
  Date.parse(timestamp) < Date.parse(receivedAt) ? timestamp : receivedAt

/** The end of an event without custom keys. It contains no braces, so the matched members are the event's own. */
const endWithTimes =
  /"receivedAt":"([^"\\]*)","timestamp":"([^"\\]*)"(?:,"originalTimestamp":"[^"\\]*")?(?:,"sentAt":"[^"\\]*")?\}$/
const endLength = 200

const timeOf = (json: string): string => {
  const [, receivedAt, timestamp] = endWithTimes.exec(json.slice(-endLength)) ?? []
  return receivedAt === undefined || timestamp === undefined
    ? lesserOf(JSON.parse(json) as StreamedEvent)
    : lesserOf({ receivedAt, timestamp })
}

/**
 * Parts that most events lack: external IDs, traits, and consent. A search for each text alone takes four times as long,
 * because an event has many quotation marks.
 */
const rareParts = /"(?:externalIds":\[|traits":\{|categoryPreferences":\{)/

const grantedBy = (members: string): readonly string[] | undefined => {
  const context = jsonMembers(members).get('context')
  return context?.includes('"categoryPreferences":{') === true ? grantedIn(context) : undefined
}

/** Reads the identifiers and traits of an accepted event, by the rules of its workspace. */
export const observe = (event: AcceptedEvent, rules: Rules = defaultRules): Observed => {
  const { json } = event
  const head = headOf(json)
  const { type, userId, anonymousId, previousId, rest } = head
  const hasMore = rareParts.test(json)
  const context =
    hasMore && json.includes('"externalIds":[', rest) ? (JSON.parse(json) as StreamedEvent).context : undefined
  const hasTraits = type === 'identify' || type === 'group' || (hasMore && json.includes('"traits":{', rest))
  const traits = hasTraits ? traitsOf(head, json) : []
  const contacts = contactsOf(traits, rules)
  const { identifiers, refused } = identifiersOf({ userId, anonymousId, context, contacts }, rules)
  let time: string | undefined
  return {
    event,
    rules,
    identifiers,
    previous:
      type === 'alias' && previousId !== undefined && unusable(previousId) === undefined && !rules.isBlocked(previousId)
        ? previousId
        : undefined,
    nobody: identifiers.length > 0 ? undefined : (refused ?? 'missing'),
    time() {
      time ??= timeOf(json)
      return time
    },
    traits: identifiers.length > 0 ? traits : [],
    granted:
      identifiers.length > 0 && hasMore && json.includes('"categoryPreferences":{', rest)
        ? grantedBy(`{${json.slice(rest)}`)
        : undefined,
  }
}
