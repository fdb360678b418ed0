import type { OutgoingEvent } from '@tributary/connector-kit'
import type { Dialect } from './dialect.ts'
import { eventTable, extraColumn, ownTables, type Row, rowsOf, type WrittenEvent } from './event-rows.ts'

/** The table with one row for each group, which has the newest traits. */
const accounts = 'accounts'

const accountOf = (groups: Row, event: WrittenEvent): Row => {
  const entries = new Map(groups.entries)
  for (const name of ['sent_at', 'timestamp', 'original_timestamp', 'user_id', 'anonymous_id', 'group_id'])
    entries.delete(name)
  entries.set('id', { original: 'id', value: event.groupId })
  return { table: accounts, mode: 'merge', first: ['id', 'received_at'], entries, extra: new Map(groups.extra) }
}

/**
 * Whether this product uses a table of this name for something else than single events: accounts, the stage, tests of
 * the connection, and versions of rows.
 */
const isOurs = (table: string): boolean =>
  table === accounts || table.startsWith('tributary_') || (table.startsWith('_') && table.endsWith('_versions'))

/** Returns the table of a track event in a warehouse. */
const tableOfEvent = (table: string): string => (isOurs(table) ? `event_${withoutStart(table)}` : table)

const withoutStart = (table: string): string => (table.startsWith('_') ? table.slice(1) : table)

const renamed = (row: Row, { isReserved }: Dialect): Row => {
  if (![...row.entries.keys()].some(isReserved)) return row
  const entries = new Map([...row.entries].map(([name, entry]) => [isReserved(name) ? `${name}_` : name, entry]))
  return { ...row, entries }
}

/**
 * Returns the rows of an event as `rowsOf` does, with a row of `accounts` for a group call, and without names that the
 * warehouse reserves.
 */
export const warehouseRows = (
  dialect: Dialect,
  event: WrittenEvent,
  mapped?: Readonly<Record<string, unknown>>,
): Row[] => {
  const rows = rowsOf(event, mapped).map((row) => ({ ...row, table: tableOfEvent(row.table) }))
  const [groups] = rows
  if (event.type === 'group' && event.groupId !== undefined && groups !== undefined) rows.push(accountOf(groups, event))
  return rows.map((row) => renamed(row, dialect))
}

/** Returns the tables with one row for each event of this type and name. */
export const eventTables = (type: OutgoingEvent['type'], event: string): readonly string[] => {
  switch (type) {
    case 'track':
      return ['tracks', tableOfEvent(eventTable(event))]
    case 'alias':
      return ['aliases']
    case 'identify':
      return ['identifies']
    default:
      return [`${type}s`]
  }
}

/** Returns the names of the tables of this product that have one row for each user or group. */
export const mergedTables: ReadonlySet<string> = new Set(['users', accounts])

/** Whether a table has the rows of events or users, by its columns. */
export const isForEvents = (table: string, columns: ReadonlyMap<string, string>): boolean =>
  columns.has('id') &&
  columns.has('received_at') &&
  columns.has(extraColumn) &&
  (mergedTables.has(table) || ownTables.some((own) => own === table) || columns.has('anonymous_id'))
