import {
  type EventType,
  eventPath,
  type FieldKind,
  type ObjectSchema,
  type PipelineEvent,
  pathOf,
  typeOfValue,
} from '@tributary/contract'
import { cutText, isJsonObject, type JsonObject } from '@tributary/kernel'

/** A field in received events or in a schema. */
export type SeenField = { name: string; display_name: string; kind: FieldKind; type: string; example: string }

/** Maximum number of fields, maximum nesting depth, and maximum number of characters of an example. */
const most = { fields: 500, depth: 5, example: 100 } as const

/** Returns the member of an event that its schema describes. */
export const validatedPlace = (type: EventType | ''): 'traits' | 'properties' =>
  type === 'identify' ? 'traits' : 'properties'

/** Paths and types of fields that clients fill in automatically. They are offered even without a recent event. */
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

/** Fields that are left out: destinations do not need them. */
const left = new Set(['eventId', 'integrations', 'test'])
const ids = new Set(['userId', 'anonymousId', 'groupId', 'previousId'])

const kindOf = ([first = '', second]: readonly string[]): FieldKind => {
  if (ids.has(first)) return 'identity'
  if (first === 'properties') return 'property'
  if (first === 'traits' || (first === 'context' && second === 'traits')) return 'trait'
  if (first === 'context') return 'context'
  return first === 'extra' ? 'custom' : 'event'
}

/** Shortens a path for display: leaves out `properties`, `traits`, `context`, and `extra` at its start. */
const displayOf = (names: readonly string[]): string => {
  const inside = names[0] === 'context' && names[1] === 'traits' ? names.slice(2) : names.slice(1)
  const within = ['properties', 'traits', 'context', 'extra'].includes(names[0] ?? '')
  return within && inside.length > 0 ? inside.join('.') : names.join('.')
}

const exampleOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > most.example ? `${cutText(text, most.example - 1).toWellFormed()}…` : text.toWellFormed()
}

/**
 * Collects fields by path. The type of a field is that of its first addition; its example is the first one that is not
 * empty.
 */
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
    if (names.length >= most.depth) return
    // The first item stands for all items of a list.
    if (Array.isArray(value) && isJsonObject(value[0])) walkMembers([...names, '0'], value[0])
    if (isJsonObject(value)) walkMembers(names, value)
  }

  const walkMembers = (names: readonly string[], value: JsonObject): void => {
    for (const [name, item] of Object.entries(value)) walk([...names, name], item)
  }

  return {
    /** Adds the properties or traits that a schema describes. */
    addSchema(place: 'traits' | 'properties', object: ObjectSchema): void {
      for (const [name, { type }] of object.properties) add([place, name], type, '')
    },
    /** Adds the fields of an event. Call it for the newest event first. */
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
