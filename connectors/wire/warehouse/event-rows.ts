import { isJsonObject, type OutgoingEvent } from '@tributary/connector-kit'
import { snakeCase } from './names.ts'

/** An event in the form that the pipeline writes. */
export type WrittenEvent = {
  eventId: string
  messageId: string
  type: OutgoingEvent['type']
  event: string
  userId?: string
  anonymousId?: string
  groupId?: string
  previousId?: string
  properties?: Record<string, unknown>
  traits?: Record<string, unknown>
  context?: Record<string, unknown>
  receivedAt: string
  timestamp: string
  originalTimestamp?: string
  sentAt?: string
  extra?: Record<string, unknown>
}

/** A value for a column, and the name that it had in the event. */
export type Entry = { original: string; value: unknown }

/** A row of a table before the table's columns are known. */
export type Row = {
  table: string
  /** `insert` keeps an existing row; `merge` overwrites an existing row that is not newer. */
  mode: 'insert' | 'merge'
  /** Columns that the table begins with, the key first. */
  first: readonly string[]
  /** By column. */
  entries: Map<string, Entry>
  /** Values that have no separate column, by name in the event. */
  extra: Map<string, unknown>
}

/** The column for values that have no separate column. */
export const extraColumn = 'extra_properties'

/** The tables of the types; the table of a single event never has one of these names. */
export const ownTables = ['tracks', 'identifies', 'users', 'pages', 'screens', 'groups', 'aliases'] as const

/** Returns the name of the table of a track event. */
export const eventTable = (event: string): string => {
  const name = snakeCase(event)
  return ownTables.some((own) => own === name) ? `event_${name}` : name
}

/** Maximum depth of objects in the context that become columns joined by underscores; deeper objects stay objects. */
const contextDepth = 4

function* flatContext(
  value: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
): Generator<[string, unknown]> {
  for (const [name, item] of Object.entries(value)) {
    const place = `${path}.${name}`
    if (isJsonObject(item) && depth < contextDepth && Object.keys(item).length > 0)
      yield* flatContext(item, place, depth + 1)
    else yield [place, item]
  }
}

/** Puts a value into its column, or into `extra` if another name of the event already uses the column. */
const put = (row: Row, column: string, original: string, value: unknown): void => {
  if (value === undefined) return
  if (row.entries.has(column) || column === extraColumn) row.extra.set(original, value)
  else row.entries.set(column, { original, value })
}

/** Columns with fixed names. A property or trait with such a name gets a column with a prefix. */
const taken = new Set([
  'id',
  'received_at',
  'sent_at',
  'timestamp',
  'original_timestamp',
  'user_id',
  'anonymous_id',
  'event',
  'event_text',
  'name',
  'group_id',
  'previous_id',
  extraColumn,
])

const putAll = (row: Row, kind: 'property' | 'trait', values: Readonly<Record<string, unknown>>): void => {
  for (const [name, value] of Object.entries(values)) {
    const column = snakeCase(name)
    // A trait can use the column `name`, because only pages and screens have a fixed column of that name.
    const collides = taken.has(column) && (column !== 'name' || row.entries.has('name'))
    if (collides && row.entries.get(column)?.value === value) continue
    put(row, collides ? `${kind}_${column}` : column, name, value)
  }
}

const rowOf = (table: string, mode: Row['mode'], entries: Readonly<Record<string, unknown>>): Row => {
  const row: Row = { table, mode, first: Object.keys(entries), entries: new Map(), extra: new Map() }
  for (const [column, value] of Object.entries(entries)) put(row, column, column, value)
  return row
}

const putContext = (row: Row, { context, extra }: WrittenEvent): void => {
  for (const [place, value] of flatContext(context ?? {}, 'context', 0)) put(row, snakeCase(place), place, value)
  for (const [name, value] of Object.entries(extra ?? {})) row.extra.set(name, value)
}

const standard = (event: WrittenEvent): Record<string, unknown> => ({
  id: event.messageId,
  received_at: event.receivedAt,
  sent_at: event.sentAt,
  timestamp: event.timestamp,
  original_timestamp: event.originalTimestamp,
  user_id: event.userId,
  anonymous_id: event.anonymousId,
})

/**
 * Returns the rows of an event, in the common warehouse schema of such products. A track event is in `tracks` (without
 * its properties) and in the table of its event name. An identify call is in `identifies` and, if it has a user ID, in
 * `users`. Any other type is in the table of its type. `mapped` replaces the event's own properties or traits.
 */
export const rowsOf = (event: WrittenEvent, mapped?: Readonly<Record<string, unknown>>): Row[] => {
  const base = standard(event)
  const fields = mapped ?? event.traits ?? event.properties ?? {}
  const full = (table: string, more: Record<string, unknown>, kind: 'property' | 'trait'): Row => {
    const row = rowOf(table, 'insert', { ...base, ...more })
    putAll(row, kind, kind === 'property' ? (mapped ?? event.properties ?? {}) : fields)
    putContext(row, event)
    return row
  }
  switch (event.type) {
    case 'track': {
      const names = { event: snakeCase(event.event), event_text: event.event }
      const track = rowOf('tracks', 'insert', { ...base, ...names })
      putContext(track, event)
      return [track, full(eventTable(event.event), names, 'property')]
    }
    case 'page':
    case 'screen':
      return [full(`${event.type}s`, { name: event.event }, 'property')]
    case 'group':
      return [full('groups', { group_id: event.groupId }, 'trait')]
    case 'alias':
      return [full('aliases', { previous_id: event.previousId }, 'trait')]
    case 'identify': {
      const identify = full('identifies', {}, 'trait')
      if (event.userId === undefined) return [identify]
      const user = rowOf('users', 'merge', { id: event.userId, received_at: event.receivedAt })
      putAll(user, 'trait', fields)
      putContext(user, event)
      return [identify, user]
    }
  }
}
