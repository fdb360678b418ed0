import type { SyncMode } from '../rules/catalog.ts'

/** What the rows of a model become in a source of the workspace, in place of records at a destination. */
export type EventObject = {
  /** What `object` of the sync names. */
  name: 'events' | 'profiles'
  title: string
  /** One sentence. */
  description: string
  /** The call that each row becomes. */
  type: 'track' | 'identify'
  /** The first one is the usual one. */
  syncModes: readonly SyncMode[]
  /** Fields of the event that a column can go to. */
  fields: readonly string[]
  /** Objects of the event whose members a column can go to, such as `properties.total` or `context.page.url`. */
  parents: readonly string[]
}

const ids = ['userId', 'anonymousId', 'timestamp', 'messageId'] as const

export const eventObjects: readonly EventObject[] = [
  {
    name: 'events',
    title: 'Events',
    description: 'Each row becomes a track event.',
    type: 'track',
    syncModes: ['INSERT_ONLY', 'UPSERT_ONLY'],
    fields: ['event', ...ids],
    parents: ['properties', 'context'],
  },
  {
    name: 'profiles',
    title: 'Profiles',
    description: 'Each row becomes an identify event with traits.',
    type: 'identify',
    syncModes: ['UPSERT_ONLY', 'INSERT_ONLY'],
    fields: ids,
    parents: ['traits', 'context'],
  },
]

/** What `identifier` of a sync of events is: rows are told apart by the primary key, events by this. */
export const eventIdentifier = 'messageId'

/** Why columns cannot go to these fields of events; undefined when they can. */
export const eventFieldsProblem = (
  { fields, parents, title }: EventObject,
  targets: readonly string[],
): string | undefined => {
  for (const target of targets) {
    const [parent = '', ...names] = target.split('.')
    if (fields.includes(target)) continue
    if (!parents.includes(parent) || names.length === 0 || names.includes(''))
      return `${title} have no field ${target}. Use ${fields.join(', ')}, or a name behind ${parents.map((each) => `${each}.`).join(' or ')}`
    const within = targets.find((other) => other.startsWith(`${target}.`))
    if (within !== undefined) return `${target} can't have a value, since ${within} is inside of it`
  }
  return targets.includes('userId') || targets.includes('anonymousId')
    ? undefined
    : 'Map a column to userId or anonymousId: it tells whose event it is'
}
