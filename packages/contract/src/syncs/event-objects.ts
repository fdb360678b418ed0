import type { SyncMode } from '../rules/catalog.ts'

/**
 * A kind of object that the rows of a model become at a source of the workspace, instead of records at a destination.
 */
export type EventObject = {
  /** The value of the sync's `object`. */
  name: 'events' | 'profiles'
  title: string
  /** One sentence. */
  description: string
  /** The call that each row becomes. */
  type: 'track' | 'identify'
  /** The possible modes; the first one is the default. */
  syncModes: readonly SyncMode[]
  /** Fields of the event to which a column can be mapped. */
  fields: readonly string[]
  /** Objects of the event to whose members a column can be mapped, such as `properties.total` or `context.page.url`. */
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

/** The `identifier` of a sync of events. The primary key identifies rows, this field identifies events. */
export const eventIdentifier = 'messageId'

/** Returns why columns cannot be mapped to these fields of events; undefined if they can. */
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
