import { type Catalog, findDestination } from '@tributary/configuration'
import type { RowObjectDefinition } from '@tributary/connector-kit'
import {
  cursorKindOf,
  type EventObject,
  eventFieldsProblem,
  eventIdentifier,
  type Model,
  type SyncCursor,
  type SyncCursorInput,
  type SyncField,
  type SyncMode,
  syncModes,
  usualOverlap,
} from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import type { ModelRow } from './models/read.ts'

/** The target that rows are written to: an object of a destination, or events. */
export type SyncObject = Pick<RowObjectDefinition, 'title' | 'syncModes' | 'reserved' | 'listable'> & {
  event?: EventObject
}

/** Finds the object with this name of an app's destinations; undefined if it no longer exists. */
export const findRowObject = async (
  catalog: Catalog,
  app: string,
  object: string,
): Promise<RowObjectDefinition | undefined> => {
  const definition = await (await findDestination(catalog, app))?.load()
  return definition?.rowObjects?.find(({ name }) => name === object)
}

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', text, { [field]: text })

type Given = {
  mode: SyncMode
  identifier: string
  fields: readonly SyncField[]
  to_destinations: boolean
  owns_object: boolean
  /** The name of the object at the destination; absent for a sync that is already saved. */
  object_name?: string
}

const checkEvents = (event: EventObject, { mode, identifier, fields }: Given): void => {
  if (identifier !== eventIdentifier) throw refuse('identifier', `Events are told apart by ${eventIdentifier}`)
  const targets = fields.map(({ target }) => target)
  const problem = eventFieldsProblem(event, targets)
  if (problem !== undefined) throw refuse('fields', problem)
  if (mode !== 'INSERT_ONLY' && targets.includes(eventIdentifier))
    throw refuse(
      'mode',
      `A changed row can't become another event with the same ${eventIdentifier}. Choose Insert Only`,
    )
}

/**
 * Whether a model can be read in part: only the rows from a value of a cursor on. A file is always read completely, and
 * audiences reflect one moment.
 */
export const takesCursor = (catalog: Catalog, { data_source_app }: Pick<ModelRow, 'data_source_app'>): boolean => {
  const app = catalog.dataSources.find(({ slug }) => slug === data_source_app)
  return app?.file === false && app.people === false
}

/**
 * Returns the cursor with its overlap. Throws 400 for a column that cannot be a cursor, for a data source that can only
 * read all rows, and for a mode that must find removed rows.
 */
export const checkCursor = (
  catalog: Catalog,
  row: Pick<ModelRow, 'data_source_app'>,
  { columns }: Pick<Model, 'columns'>,
  { cursor, mode }: { cursor: SyncCursorInput | null; mode: SyncMode },
): SyncCursor | null => {
  if (cursor === null) return null
  const { column, overlap } = cursor
  if (!takesCursor(catalog, row))
    throw refuse('cursor', 'Only tables and queries of a database can be read by a cursor')
  if (mode === 'FULL_SYNC')
    throw refuse(
      'cursor',
      `In the mode ${syncModes.FULL_SYNC.title} all rows are read, since rows that are gone are removed. Choose another mode, or no cursor`,
    )
  const found = columns.find(({ name }) => name === column)
  if (found === undefined) throw refuse('cursor', `The model has no column ${column}`)
  const kind = cursorKindOf(found.type)
  if (kind === undefined) throw refuse('cursor', `A cursor is a number, a date, or a time. ${column} is ${found.type}`)
  return { column, overlap: overlap ?? usualOverlap[kind] }
}

/**
 * Throws 400 for an invalid sync: a mode or a name that the object does not have, or a mapping of columns that the
 * model does not have.
 */
export const checkSync = (object: SyncObject | undefined, model: Pick<Model, 'columns'>, given: Given): void => {
  if (object === undefined) throw refuse('object', 'This destination has no such object for rows')
  if (!object.syncModes.includes(given.mode))
    throw refuse('mode', `${object.title} can't be synced in this mode. Choose another one`)
  if (given.object_name !== undefined && object.reserved?.includes(given.object_name) === true)
    throw refuse(
      'object_name',
      `The destination uses the name ${given.object_name} for deleted users. Choose another one`,
    )
  const missing = given.fields.find(({ column }) => !model.columns.some(({ name }) => name === column))
  if (missing !== undefined) throw refuse('fields', `The model has no column ${missing.column}`)
  if (given.owns_object && given.mode !== 'FULL_SYNC')
    throw refuse('owns_object', `Only a sync in the mode ${syncModes.FULL_SYNC.title} can own its object`)
  if (given.owns_object && object.listable !== true)
    throw refuse('owns_object', `${object.title} can't be listed at this destination, so no sync can own it`)
  if (object.event !== undefined) return checkEvents(object.event, given)
  if (given.to_destinations) throw refuse('to_destinations', 'Only events go to connected destinations')
  if (!given.fields.some(({ target }) => target === given.identifier))
    throw refuse('identifier', `Map a column to ${given.identifier}: it tells records apart`)
}
