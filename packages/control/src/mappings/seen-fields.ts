import {
  type EventType,
  eventPath,
  type FieldKind,
  type ObjectSchema,
  type PipelineEvent,
  pathOf,
  typeOfValue,
} from '@tributary/contract'
import { cutText, isJsonObject } from '@tributary/kernel'

/** A field in received events or in a schema. */
export type SeenField = { name: string; display_name: string; kind: FieldKind; type: string; example: string }

/** Fields that are shown at most, levels that are looked into, and characters of an example. */
const most = { fields: 500, depth: 5, example: 100 } as const

/** Where events of a type have the fields that a schema describes. */
export const validatedPlace = (type: EventType | ''): 'traits' | 'properties' =>
  type === 'identify' ? 'traits' : 'properties'

/** Places that clients fill by themselves, whether or not an event of the last days is at hand. */
const standard: readonly [names: readonly string[], type: string][] = [
  [['event'], 'string'],
  [['type'], 'string'],
  [['userId'], 'string'],
  [['anonymousId'], 'string'],
  [['messageId'], 'string'],
  [['timestamp'], 'string'],
  [['receivedAt'], 'string'],
  [['context', 'ip'], 'string'],
  [['context', 'userAgent'], 'string'],
  [['context', 'locale'], 'string'],
  [['context', 'timezone'], 'string'],
  [['context', 'page', 'url'], 'string'],
  [['context', 'page', 'path'], 'string'],
  [['context', 'page', 'title'], 'string'],
  [['context', 'page', 'referrer'], 'string'],
  [['context', 'campaign', 'source'], 'string'],
  [['context', 'campaign', 'medium'], 'string'],
  [['context', 'campaign', 'name'], 'string'],
]

/** Fields that other products use for routing, and that are irrelevant to a destination. */
const left = new Set(['eventId', 'integrations', 'test'])
const ids = new Set(['userId', 'anonymousId', 'groupId', 'previousId'])

const kindOf = ([first = '', second]: readonly string[]): FieldKind => {
  if (ids.has(first)) return 'identity'
  if (first === 'properties') return 'property'
  if (first === 'traits' || (first === 'context' && second === 'traits')) return 'trait'
  if (first === 'context') return 'context'
  return first === 'extra' ? 'custom' : 'event'
}

/** The path for display, without its first parts. */
const displayOf = (names: readonly string[]): string => {
  const inside = names[0] === 'context' && names[1] === 'traits' ? names.slice(2) : names.slice(1)
  const within = ['properties', 'traits', 'context', 'extra'].includes(names[0] ?? '')
  return within && inside.length > 0 ? inside.join('.') : names.join('.')
}

const exampleOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > most.example ? `${cutText(text, most.example - 1).toWellFormed()}…` : text.toWellFormed()
}

/** Gathers fields by their path; the first field that is added for a path sets its type, the first example stays. */
export const createSeenFields = () => {
  const fields = new Map<string, SeenField>()

  const add = (names: readonly string[], type: string, example: string): void => {
    const name = pathOf(names)
    const known = fields.get(name)
    if (known !== undefined) {
      if (known.example === '') known.example = example
      return
    }
    if (fields.size >= most.fields || names.includes('') || eventPath.safeParse(name).data !== name) return
    fields.set(name, { name, display_name: displayOf(names), kind: kindOf(names), type, example })
  }

  const walk = (names: readonly string[], value: unknown): void => {
    const type = typeOfValue(value)
    if (type === undefined) return
    add(names, type, type === 'object' ? '' : exampleOf(value))
    if (!isJsonObject(value) || names.length >= most.depth) return
    for (const [name, item] of Object.entries(value)) walk([...names, name], item)
  }

  return {
    /** Adds the properties or traits that a schema describes. */
    addSchema(place: 'traits' | 'properties', object: ObjectSchema): void {
      for (const [name, { type }] of object.properties) add([place, name], type, '')
    },
    /** Adds the fields of an event; add the newest of several first. */
    addEvent(event: PipelineEvent): void {
      for (const [name, value] of Object.entries(event)) if (!left.has(name)) walk([name], value)
    },
    /** Adds the fields that clients fill in automatically. */
    addStandard(): void {
      for (const [names, type] of standard) add(names, type, '')
    },
    all: (): SeenField[] => [...fields.values()],
  }
}
