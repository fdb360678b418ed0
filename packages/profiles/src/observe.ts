import type { StreamedEvent } from '@tributary/contract'
import { endOfString, jsonMembers } from '@tributary/kernel'
import type { AcceptedEvent } from '@tributary/storage'
import { contactsOf, type Identified, identifiersOf, unusable } from './identifiers.ts'
import type { Observation } from './resolve.ts'
import { defaultRules, type Rules } from './rules.ts'

/** Limits of traits: names of one identifier, characters of a name, bytes of a value as JSON. */
export const traitLimits = { names: 500, nameLength: 200, valueBytes: 8192 } as const

/** Stands for the names that are not kept: those beyond the limit, and those that cannot be. */
export const otherNames = ''

/** A trait as an event gives it: its value as JSON text, to the digit; undefined when it is larger than is kept. */
export type TraitValue = { readonly name: string; readonly value: string | undefined }

/** What profiles learn from an event. */
export type Observed = Observation & {
  readonly event: AcceptedEvent
  /** Those that it was looked at by. */
  readonly rules: Rules
  /** Why it names nobody; undefined when it does. */
  readonly nobody: Identified['refused'] | 'missing'
  /** The lesser of the event's own time and that of its receipt, RFC 3339. Read only where something is learned. */
  readonly time: () => string
  readonly traits: readonly TraitValue[]
}

/** Ids and type of an event, and where its other members begin. */
type Head = Readonly<Record<'type' | 'userId' | 'anonymousId' | 'previousId' | 'groupId', string | undefined>> & {
  readonly rest: number
}

const quote = 0x22

/**
 * The members before the first that is no text, which are all that most events need: to parse the whole event for them would
 * cost several times as much. Whoever writes events puts ids and type there, without space between.
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

/** The traits in an object; names that are not kept are one without a name. */
const traitsIn = (text: string | undefined, prefix = ''): TraitValue[] => {
  if (text === undefined || !text.startsWith('{')) return []
  return [...jsonMembers(text)].map(([name, value]) =>
    name !== '' && isName(`${prefix}${name}`)
      ? { name: `${prefix}${name}`, value: Buffer.byteLength(value) <= traitLimits.valueBytes ? value : undefined }
      : { name: otherNames, value: undefined },
  )
}

/** Traits that an event gives to its person: of identify calls, of the context, and of the person's group. */
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

/** The end of an event that has no keys of its own: nothing between its braces, so that these are its own members. */
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
 * What most events do not have. Looked for in one go: each look for a text that begins with a quotation mark, of which an event is
 * full, takes four times as long as this.
 */
const externalIdsOrTraits = /"(?:externalIds":\[|traits":\{)/

/** What an accepted event says of who did it and what they are like, by the rules of its workspace. */
export const observe = (event: AcceptedEvent, rules: Rules = defaultRules): Observed => {
  const { json } = event
  const head = headOf(json)
  const { type, userId, anonymousId, previousId, rest } = head
  const hasMore = externalIdsOrTraits.test(json)
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
  }
}
