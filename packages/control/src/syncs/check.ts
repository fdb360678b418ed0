import type { RowObjectDefinition } from '@tributary/connector-kit'
import {
  type EventObject,
  eventFieldsProblem,
  eventIdentifier,
  type Model,
  type SyncField,
  type SyncMode,
  syncModes,
} from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import type { Catalog } from '../deps.ts'

/** What is written to: an object of a destination, or events. */
export type SyncObject = Pick<RowObjectDefinition, 'title' | 'syncModes' | 'reserved' | 'listable'> & {
  event?: EventObject
}

/** What of an app's destinations rows can be written to by this name; undefined when there is no such thing any more. */
export const findRowObject = async (
  catalog: Catalog,
  app: string,
  object: string,
): Promise<RowObjectDefinition | undefined> => {
  const definition = await catalog.destinations.find(({ slug }) => slug === app)?.load()
  return definition?.rowObjects?.find(({ name }) => name === object)
}

const refuse = (field: string, text: string): Error => badRequest('VALIDATION', text, { [field]: text })

type Given = {
  mode: SyncMode
  identifier: string
  fields: readonly SyncField[]
  to_destinations: boolean
  owns_object: boolean
  /** Of a sync that is not saved yet. */
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

/** Throws 400 for what a sync cannot be: a mode or a name that the object has not, a mapping of columns that the model has not. */
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
