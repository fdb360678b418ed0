import type { PipelineEvent } from '@tributary/contract'
import { jsonMembers } from '@tributary/kernel'
import type { AcceptedEvent } from '@tributary/storage'
import { type Identified, identifiersOf, unusable } from './identifiers.ts'
import type { Observation } from './resolve.ts'

/** Limits of traits: names of one identifier, characters of a name, bytes of a value as JSON. */
export const traitLimits = { names: 500, nameLength: 200, valueBytes: 8192 } as const

/** Stands for the names that are not kept: those beyond the limit, and those that cannot be. */
export const otherNames = ''

/** A trait as an event gives it: its value as JSON text, to the digit; undefined when it is larger than is kept. */
export type TraitValue = { readonly name: string; readonly value: string | undefined }

/** What profiles learn from an event. */
export type Observed = Observation & {
  readonly event: AcceptedEvent
  /** Why it names nobody; undefined when it does. */
  readonly nobody: Identified['refused'] | 'missing'
  /** The lesser of the event's own time and that of its receipt, RFC 3339. Read only where something is learned. */
  readonly time: () => string
  readonly traits: readonly TraitValue[]
}

/** What stands before the first of an event's objects: ids, type and name. */
const beforeObjects = ['"properties":', '"traits":', '"context":'].map((name) => `,${name}{`)

type Head = Pick<PipelineEvent, 'type' | 'userId' | 'anonymousId' | 'previousId' | 'groupId'>

/**
 * The members before the objects, which are all that most events need. Inside a text quotes are escaped, so what is looked
 * for is no part of one.
 */
const headOf = (json: string): Head => {
  let end = json.length
  for (const text of beforeObjects) {
    const at = json.indexOf(text)
    if (at >= 0 && at < end) end = at
  }
  return JSON.parse(end === json.length ? json : `${json.slice(0, end)}}`) as Head
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
  const members = jsonMembers(json)
  const context = members.get('context')
  const around = context?.includes('"traits"') ? traitsIn(jsonMembers(context).get('traits')) : []
  if (head.type === 'identify') return [...around, ...traitsIn(members.get('traits'))]
  if (head.type !== 'group' || head.groupId === undefined) return around
  const group = { name: 'group.id', value: JSON.stringify(head.groupId) }
  return [...around, ...traitsIn(members.get('traits'), 'group.').filter(({ name }) => name !== 'group.id'), group]
}

const timeOf = (json: string): string => {
  const { timestamp, receivedAt } = JSON.parse(json) as PipelineEvent
  return Date.parse(timestamp) < Date.parse(receivedAt) ? timestamp : receivedAt
}

/** What an accepted event says of who did it and what they are like. */
export const observe = (event: AcceptedEvent): Observed => {
  const { json } = event
  const head = headOf(json)
  const hasTraits = head.type === 'identify' || head.type === 'group' || json.includes('"traits":{')
  const context = json.includes('"externalIds":[') ? (JSON.parse(json) as PipelineEvent).context : undefined
  const { identifiers, refused } = identifiersOf({ userId: head.userId, anonymousId: head.anonymousId, context })
  return {
    event,
    identifiers,
    previous:
      head.type === 'alias' && head.previousId !== undefined && unusable(head.previousId) === undefined
        ? head.previousId
        : undefined,
    nobody: identifiers.length > 0 ? undefined : (refused ?? 'missing'),
    time: () => timeOf(json),
    traits: hasTraits && identifiers.length > 0 ? traitsOf(head, json) : [],
  }
}
